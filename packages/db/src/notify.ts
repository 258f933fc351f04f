import { setTimeout as sleep } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';
import { connectionOf } from './database.ts';

/** Hears what other processes say through Postgres NOTIFY. */
export interface Listener extends AsyncDisposable {
  /**
   * Resolves at the next notice of this channel with this payload, or when the signal aborts. Never rejects: a notice
   * is a hint to look again, and a lost connection only means to look without one.
   */
  waitFor(channel: string, payload: string, signal: AbortSignal): Promise<void>;
  /**
   * Calls `heard` with the payload of each notice of a channel, and with `null` when notices may have been missed: look
   * at everything then. Returns how to stop.
   */
  on(channel: string, heard: (payload: string | null) => void): () => void;
}

/** Pauses between two tries to connect, milliseconds: doubled from the first to the last. */
const firstPauseMs = 50;
const lastPauseMs = 2_000;

/**
 * Listens on one connection of its own, which comes back by itself after a failure. Waiters are woken then too: a
 * notice may have been missed meanwhile.
 *
 * Needs a connection that stays: an address behind a pooler in transaction mode hears nothing.
 */
export function createListener(url: string, channels: readonly string[]): Listener {
  const connection = connectionOf(url);
  const hearers = new Map<string, Set<(payload: string | null) => void>>(channels.map((name) => [name, new Set()]));
  const stop = new AbortController();

  const hearersOf = (channel: string) => {
    const found = hearers.get(channel);
    if (found === undefined) throw new Error(`nobody listens on ${channel}`);
    return found;
  };
  const tell = (channel: string, payload: string | null) => {
    for (const heard of hearers.get(channel) ?? []) heard(payload);
  };

  async function listenUntilLost(): Promise<void> {
    const client = new Client({
      ...connection,
      application_name: 'wheelhouse listener',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    const lost = new Promise<void>((done) => {
      client.once('end', () => done());
      client.on('error', () => done());
      stop.signal.addEventListener('abort', () => done(), { once: true });
    });
    client.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of channels) await client.query(`listen ${escapeIdentifier(channel)}`);
      for (const channel of channels) tell(channel, null);
      await lost;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function stayConnected(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!stop.signal.aborted) {
      const began = Date.now();
      await listenUntilLost().catch(() => undefined);
      // A connection that held for a while makes the next failure a new one.
      pauseMs = Date.now() - began > lastPauseMs ? firstPauseMs : Math.min(pauseMs * 2, lastPauseMs);
      await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }
  const staying = stayConnected();

  return {
    on: (channel, heard) => {
      const line = hearersOf(channel);
      line.add(heard);
      return () => line.delete(heard);
    },
    waitFor: (channel, payload, signal) =>
      new Promise((done) => {
        const line = hearersOf(channel);
        const heard = (said: string | null) => {
          if (said === null || said === payload) go();
        };
        const go = () => {
          line.delete(heard);
          signal.removeEventListener('abort', go);
          done();
        };
        line.add(heard);
        signal.addEventListener('abort', go, { once: true });
        if (signal.aborted || stop.signal.aborted) go();
      }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      for (const channel of channels) tell(channel, null);
      await staying;
    },
  };
}
