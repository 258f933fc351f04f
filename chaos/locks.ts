import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OpenSession, profileKeyOf } from '@wheelhouse/contracts';
import { addProvider, openSession } from '@wheelhouse/db';
import { bundlePrograms } from './bundle.ts';
import { startChild } from './child.ts';
import { startDatabase } from './database.ts';
import type { Held, LockWork } from './protocol.ts';

/** What the histories of all processes show. */
export interface LocksReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly locks: number;
  readonly leases: number;
  /** How often a lock was held, and a lease. */
  readonly lockHolds: number;
  readonly leaseHolds: number;
  /** Times in which two held the same. */
  readonly lockOverlaps: number;
  readonly leaseOverlaps: number;
  /** Fences that were given out twice, or smaller than one before. */
  readonly fencesOutOfOrder: number;
  readonly durationMs: number;
}

const processes = 8;
const contested = 6;

/** Eight processes take and give back the same few locks, then the same few leases, `operations` of each in all. */
export async function runLocks(operations: number, seed: number): Promise<LocksReport> {
  const began = performance.now();
  const root = fileURLToPath(new URL('../.wheelhouse/', import.meta.url));
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(root, 'locks-'));
  const program = await bundlePrograms(['lock-worker'], join(folder, 'programs'));
  const database = await startDatabase(join(folder, 'postgres'));
  const children = Array.from({ length: processes }, (_, at) => {
    const settings = { name: `locks-${at}`, databaseUrl: database.directUrl, seed: seed * processes + at };
    return startChild(program('lock-worker'), { CHAOS_LOCKS: JSON.stringify(settings) });
  });
  try {
    const provider = await addProvider(database.db, {
      name: 'locks',
      kind: 'camofox',
      baseUrl: 'http://127.0.0.1:1',
      secretRef: null,
      allowlist: [],
    });
    const providerId = provider?.id ?? '';
    const profiles = Array.from({ length: contested }, (_, at) => profileKeyOf('chaos', `locks-${at}`));
    const sessions: string[] = [];
    for (const profileKey of profiles) {
      const want = OpenSession.parse({ providerId, profileKey, operationId: 'open' });
      sessions.push((await openSession(database.db, { ...want, allowlist: [], caller: 'chaos' })).session.id);
    }
    await Promise.all(children.map(({ ready }) => ready));
    const run = async (of: LockWork['of']) => {
      const work: LockWork = { of, operations: Math.ceil(operations / processes), providerId, profiles, sessions };
      return (await Promise.all(children.map((child) => child.call(work)))).flat() as Held[];
    };
    const locks = inOrder(await run('locks'));
    const leases = inOrder(await run('leases'));
    const lockOverlaps = overlaps(locks);
    const leaseOverlaps = overlaps(leases);
    const fencesOutOfOrder = outOfOrder(locks) + outOfOrder(leases);
    return {
      ok: lockOverlaps + leaseOverlaps + fencesOutOfOrder === 0,
      seed,
      locks: operations,
      leases: operations,
      lockHolds: locks.length,
      leaseHolds: leases.length,
      lockOverlaps,
      leaseOverlaps,
      fencesOutOfOrder,
      durationMs: Math.round(performance.now() - began),
    };
  } finally {
    for (const child of children) child.signal('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
    await database[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By what was held, then by time. */
function inOrder(history: readonly Held[]): readonly Held[] {
  return history.toSorted((a, b) => (a.key === b.key ? a.fromUs - b.fromUs : a.key < b.key ? -1 : 1));
}

/** Neighbours that held the same at the same time. */
function overlaps(history: readonly Held[]): number {
  let found = 0;
  let latest: Held | undefined;
  for (const held of history) {
    if (latest?.key === held.key && held.fromUs < latest.untilUs) found += 1;
    if (latest?.key !== held.key || held.untilUs > latest.untilUs) latest = held;
  }
  return found;
}

function outOfOrder(history: readonly Held[]): number {
  return history.filter((held, at) => {
    const earlier = history[at - 1];
    return earlier?.key === held.key && earlier.fence >= held.fence;
  }).length;
}
