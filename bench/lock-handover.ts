import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { timeLimit } from '@wheelhouse/adapters';
import { profileKeyOf } from '@wheelhouse/contracts';
import {
  addProvider,
  createListener,
  createScratchDatabase,
  type Database,
  openDatabase,
  releaseLock,
  startEmbeddedPostgres,
  takeLock,
} from '@wheelhouse/db';
import { statement } from '../chaos/statement.ts';
import { median, rounded } from './measure.ts';

/** Channel of the notices that go forth and back. */
export const echoChannel = 'bench_echo';

/** A bare NOTIFY on the echo channel. */
export async function notify(db: Database['kysely'], payload: string): Promise<void> {
  await statement(db, `select pg_notify('${echoChannel}', '${payload}')`);
}

const rounds = 300;
const warmUp = 100;

/**
 * How long it takes from the release of a profile lock in one process until another one that waits holds it, against
 * a bare NOTIFY from process to process and back; p50 of both, in turn.
 */
export async function measureLockHandover(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'wheelhouse-bench-'));
  const server = await startEmbeddedPostgres(join(folder, 'postgres'));
  const scratch = await createScratchDatabase(server.url);
  const database = openDatabase(scratch.url, { maxConnections: 2 });
  const listener = createListener(scratch.url, [echoChannel]);
  const provider = await addProvider(database.kysely, {
    name: 'locks',
    kind: 'camofox',
    baseUrl: 'http://127.0.0.1:1',
    secretRef: null,
    allowlist: [],
  });
  const want = {
    providerId: provider?.id ?? '',
    profileKey: profileKeyOf('bench', 'locks'),
    note: 'bench',
    ttlMs: 15_000,
  };
  const partner = fork(fileURLToPath(new URL('lock-partner.ts', import.meta.url)), {
    env: { ...process.env, BENCH_PARTNER: JSON.stringify({ url: scratch.url, want }) },
  });
  try {
    await said(partner, 'ready');
    const handover = async (round: number): Promise<number> => {
      const lock = await takeLock(database.kysely, { ...want, holder: `ours-${round}` });
      if (lock === null) throw new Error('the lock of the bench is held by a stranger');
      const waits = said(partner, 'waits');
      const held = said(partner, 'heldNs');
      const released = said(partner, 'released');
      partner.send('take');
      await waits;
      const began = process.hrtime.bigint();
      await releaseLock(database.kysely, lock);
      const tookNs = BigInt(String(await held)) - began;
      await released;
      return Number(tookNs) / 1e6;
    };
    const echo = async (round: number): Promise<number> => {
      using limit = timeLimit(5_000);
      const heard = listener.waitFor(echoChannel, `pong ${round}`, limit.signal);
      const began = performance.now();
      await notify(database.kysely, `ping ${round}`);
      await heard;
      return performance.now() - began;
    };
    const times = { ours: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < warmUp + rounds; round += 1) {
      const ours = await handover(round);
      const baseline = await echo(round);
      if (round < warmUp) continue;
      times.ours.push(ours);
      times.baseline.push(baseline);
    }
    return rounded(median(times.ours) / median(times.baseline));
  } finally {
    partner.disconnect();
    await listener[Symbol.asyncDispose]();
    await database.close();
    await scratch[Symbol.asyncDispose]();
    await server.leave();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The next word of the partner that has this key. Rejects when the partner ends instead. */
function said(partner: ChildProcess, key: string): Promise<unknown> {
  return new Promise((done, failed) => {
    const hear = (message: unknown) => {
      if (typeof message !== 'object' || message === null || !(key in message)) return;
      stop();
      done(Reflect.get(message, key));
    };
    const gone = () => {
      stop();
      failed(new Error('the other process of the bench ended'));
    };
    const stop = () => {
      partner.off('message', hear);
      partner.off('exit', gone);
    };
    partner.on('message', hear);
    partner.on('exit', gone);
  });
}
