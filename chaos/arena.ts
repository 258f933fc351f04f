import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenSession, profileKeyOf, type SessionId, type TabId } from '@wheelhouse/contracts';
import { addProvider, openSession } from '@wheelhouse/db';
import { bundlePrograms } from './bundle.ts';
import { type Child, startChild } from './child.ts';
import { type BreakableDatabase, startDatabase } from './database.ts';
import type { BrokenPart, ChildMessage, UpstreamControl, WorkerCall } from './protocol.ts';
import { plantNoFence } from './broken/no-fence.ts';

/** How large an arena is. */
export interface ArenaOptions {
  readonly lanes: number;
  readonly workers: number;
  readonly lockTtlMs: number;
  readonly broken: BrokenPart | null;
}

/** A session with a browser service of its own, on which one cycle runs after the other. */
export interface Lane {
  readonly number: number;
  readonly sessionId: SessionId;
  readonly profileKey: string;
  readonly upstream: string;
  tabId: TabId | null;
}

/** A moment of a running operation, as a worker told it. */
export interface Note {
  readonly operationId: string;
  readonly what: 'begun' | 'sent';
  readonly ns: bigint;
}

/** A worker process and whoever comes after it in its place. */
export interface Seat {
  readonly name: string;
  child: Child;
  /** When something was last done to it, by `performance.now()`. */
  disturbedAt: number;
}

/** Workers, browser services, site and database, all in processes of their own. */
export interface Arena extends AsyncDisposable {
  readonly database: BreakableDatabase;
  readonly lanes: readonly Lane[];
  readonly siteOrigin: string;
  readonly lockTtlMs: number;
  readonly notes: readonly Note[];
  /** A worker that answers, chosen by this number. */
  worker(choice: number, not?: Seat): Promise<Seat>;
  call(seat: Seat, command: WorkerCall): Promise<unknown>;
  upstream(command: UpstreamControl): Promise<unknown>;
  /** Resolves when the operation stands at the place where it was told to. */
  held(operationId: string): Promise<void>;
  /** Kills a worker; a new one takes its place. */
  kill(seat: Seat): void;
  /** How often each id was pressed, by the site's own count. */
  presses(): Promise<Readonly<Record<string, number>>>;
}

/** Starts everything. */
export async function openArena(options: ArenaOptions): Promise<Arena> {
  const root = fileURLToPath(new URL('../.wheelhouse/', import.meta.url));
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(root, 'chaos-'));
  const program = await bundlePrograms(['worker', 'upstream', 'site'], join(folder, 'programs'));
  const database = await startDatabase(join(folder, 'postgres'));
  if (options.broken === 'no-fence') await plantNoFence(database.db);
  const notes: Note[] = [];
  const waiting = new Map<string, () => void>();
  const hear = (message: ChildMessage) => {
    if (message.says === 'held') waiting.get(message.operationId)?.();
    if (message.says === 'note') {
      notes.push({ operationId: message.operationId, what: message.what, ns: BigInt(message.ns) });
    }
  };
  let closing = false;
  const startWorker = (name: string): Child => {
    const settings = { name, databaseUrl: database.url, lockTtlMs: options.lockTtlMs, broken: options.broken };
    return startChild(program('worker'), { CHAOS_WORKER: JSON.stringify(settings) }, hear);
  };
  const seats = Array.from({ length: options.workers }, (_, at): Seat => {
    const name = `chaos-worker-${at}`;
    return { name, child: startWorker(name), disturbedAt: 0 };
  });
  const upstream = startChild(program('upstream'), { CHAOS_LANES: String(options.lanes) });
  const site = startChild(program('site'), {});
  const refill = async (seat: Seat) => {
    for (;;) {
      await seat.child.ended;
      if (closing) return;
      seat.child = startWorker(seat.name);
    }
  };
  for (const seat of seats) void refill(seat);
  const close = async () => {
    closing = true;
    for (const child of [...seats.map((seat) => seat.child), upstream, site]) {
      child.signal('SIGKILL');
      await child.ended;
    }
    await database[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  const setUp = async () => {
    const origins = (await upstream.ready) as readonly string[];
    const made: Lane[] = [];
    for (const origin of origins) made.push(await openLane(database, origin, made.length));
    await Promise.all(seats.map((seat) => seat.child.ready));
    return { lanes: made, siteOrigin: (await site.ready) as string };
  };
  const { lanes, siteOrigin } = await setUp().catch(async (thrown: unknown) => {
    await close();
    throw thrown;
  });

  const worker = async (choice: number, not?: Seat): Promise<Seat> => {
    for (let at = choice; ; at += 1) {
      const seat = seats[at % seats.length];
      if (seat !== undefined && seat !== not && seat.child.alive()) {
        const ready = await Promise.race([
          seat.child.ready.then(
            () => true,
            () => false,
          ),
          sleep(50, false),
        ]);
        if (ready) return seat;
      }
      if (at % seats.length === 0) await sleep(20);
    }
  };
  const kill = (seat: Seat) => {
    seat.disturbedAt = performance.now();
    seat.child.signal('SIGKILL');
  };
  return {
    database,
    lanes,
    siteOrigin,
    lockTtlMs: options.lockTtlMs,
    notes,
    worker,
    kill,
    call: (seat, command) => seat.child.call(command),
    upstream: (command) => upstream.call(command),
    held: (operationId) =>
      new Promise((done) => {
        waiting.set(operationId, () => {
          waiting.delete(operationId);
          done();
        });
      }),
    presses: async () => (await site.call({})) as Readonly<Record<string, number>>,
    [Symbol.asyncDispose]: close,
  };
}

async function openLane(database: BreakableDatabase, origin: string, number: number): Promise<Lane> {
  const provider = await addProvider(database.db, {
    name: `lane ${number}`,
    kind: 'camofox',
    baseUrl: origin,
    secretRef: null,
    allowlist: ['127.0.0.1'],
  });
  const profileKey = profileKeyOf('chaos', `lane-${number}`);
  const want = OpenSession.parse({ providerId: provider?.id, profileKey, operationId: 'open' });
  const { session } = await openSession(database.db, { ...want, allowlist: ['127.0.0.1'], caller: 'chaos' });
  return { number, sessionId: session.id, profileKey, upstream: origin, tabId: null };
}
