import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Hears what other processes say through Postgres NOTIFY. */
export interface Listener extends AsyncDisposable {
  /**
   * Resolves at the next notice of this channel with this payload, or when the signal aborts. Never rejects: a notice
   * is a hint to look again, and a lost connection only means to look without one.
   */
  waitFor(channel: string, payload: string, signal: AbortSignal): Promise<void>;
}

/**
 * Listens on one connection of its own, which comes back by itself after a failure. Waiters are woken then too: a
 * notice may have been missed meanwhile.
 */
export function createListener(url: string, channels: readonly string[]): Listener {
  const waiters = new Map<string, Set<() => void>>();
  let client: pg.Client | null = null;
  let closed = false;

  const wake = (key: string) => waiters.get(key)?.forEach((go) => go());
  const wakeAll = () => [...waiters.keys()].forEach(wake);

  async function stayConnected(): Promise<void> {
    for (let pauseMs = 50; !closed; pauseMs = Math.min(pauseMs * 2, 2_000)) {
      const next = new pg.Client({ connectionString: url, application_name: 'wheelhouse listener', keepAlive: true });
      const ended = new Promise<void>((done) => {
        next.once('end', () => done());
        next.on('error', () => done());
      });
      next.on('notification', ({ channel, payload }) => wake(`${channel} ${payload ?? ''}`));
      try {
        await next.connect();
        for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`);
        client = next;
        pauseMs = 50;
        wakeAll();
        await ended;
      } catch {
        // The database is away; waiters go on by their own timers.
      }
      client = null;
      void next.end().catch(() => undefined);
      if (!closed) await sleep(pauseMs);
    }
  }
  const staying = stayConnected();

  return {
    waitFor: (channel, payload, signal) =>
      new Promise((done) => {
        const key = `${channel} ${payload}`;
        const line = waiters.get(key) ?? new Set();
        waiters.set(key, line);
        const go = () => {
          line.delete(go);
          if (line.size === 0) waiters.delete(key);
          signal.removeEventListener('abort', go);
          done();
        };
        line.add(go);
        if (signal.aborted) return go();
        signal.addEventListener('abort', go, { once: true });
      }),
    async [Symbol.asyncDispose]() {
      closed = true;
      await client?.end().catch(() => undefined);
      wakeAll();
      await staying;
    },
  };
}
