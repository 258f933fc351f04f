import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProvider, createRedactor, createServiceDispatcher } from '@wheelhouse/adapters';
import { BrowserError, type BrowserProvider, OpenSession, profileKeyOf } from '@wheelhouse/contracts';
import {
  addProvider,
  controlChannel,
  createListener,
  createScratchDatabase,
  type Database,
  openDatabase,
  openSession,
  profileLockChannel,
  startEmbeddedPostgres,
} from '@wheelhouse/db';
import { statement } from '../chaos/statement.ts';
import type { House } from '../packages/runtime/src/pipeline/house.ts';
import { operate } from '../packages/runtime/src/pipeline/operate.ts';
import { ProfileQueue } from '../packages/runtime/src/pipeline/queue.ts';
import { rounded } from './measure.ts';
import { grant } from './open-layer.ts';

/** What one process gets done while nothing waits for a browser. */
export interface Throughput {
  /** Navigations a second through the whole pipeline: two round trips each. */
  readonly operationsPerSecond: number;
  /** Of the pairs of bare transactions that the same connections did beside it. */
  readonly operationsOverBareTransactions: number;
}

/** Sessions that act at once, and connections. */
const lanes = 8;
const sliceMs = 500;
const slices = 10;

/** Runs the pipeline over a browser that answers at once, and pairs of bare transactions, in turn. */
export async function measureThroughput(): Promise<Throughput> {
  const folder = mkdtempSync(join(tmpdir(), 'wheelhouse-bench-'));
  const server = await startEmbeddedPostgres(join(folder, 'postgres'));
  const scratch = await createScratchDatabase(server.url);
  const database = openDatabase(scratch.url, { maxConnections: lanes });
  const listener = createListener(scratch.url, [profileLockChannel, controlChannel]);
  try {
    const house = houseOf(database, listener);
    const at = await Promise.all(Array.from({ length: lanes }, (_, lane) => openLane(house, lane)));
    await statement(database.kysely, 'create table bench_bare (id text primary key, lane int, done boolean)');
    const ours = (lane: number) => {
      const { sessionId, tabId } = at[lane] ?? {};
      if (sessionId === undefined || tabId === undefined) throw new Error('no such lane');
      const input = { type: 'navigate', tabId, url: 'https://site.test/', operationId: randomUUID() } as const;
      return operate<'navigate'>(house, sessionId, input, { grant });
    };
    const bare = async (lane: number) => {
      const id = randomUUID();
      await statement(database.kysely, `insert into bench_bare values ('${id}', ${lane}, false)`);
      await statement(database.kysely, `update bench_bare set done = true where id = '${id}'`);
    };
    const done = { ours: 0, bare: 0 };
    await inSlice(ours);
    await inSlice(bare);
    for (let slice = 0; slice < slices; slice += 1) {
      done.ours += await inSlice(ours);
      done.bare += await inSlice(bare);
    }
    return {
      operationsPerSecond: Math.round(done.ours / ((slices * sliceMs) / 1000)),
      operationsOverBareTransactions: rounded(done.ours / done.bare),
    };
  } finally {
    await listener[Symbol.asyncDispose]();
    await database.close();
    await scratch[Symbol.asyncDispose]();
    await server.leave();
    rmSync(folder, { recursive: true, force: true });
  }
}

const landed = { outcome: 'applied', landingUrl: 'https://site.test/', notInterceptable: [] } as const;

/** A session with a tab. */
async function openLane(house: House & { readonly queue: ProfileQueue }, lane: number) {
  const { kysely } = house.db;
  const provider = await addProvider(kysely, {
    name: `lane ${lane}`,
    kind: 'camofox',
    baseUrl: 'http://127.0.0.1:1',
    secretRef: null,
    allowlist: ['site.test'],
  });
  const want = OpenSession.parse({
    providerId: provider?.id,
    profileKey: profileKeyOf('bench', `lane-${lane}`),
    operationId: 'open',
  });
  const { session } = await openSession(kysely, { ...want, allowlist: ['site.test'], caller: 'bench' });
  const { value } = await operate<'open_tab'>(house, session.id, { type: 'open_tab', operationId: 'tab' }, { grant });
  return { sessionId: session.id, tabId: value.tabId };
}

/** How often all lanes together get the work done in one slice of time. */
async function inSlice(work: (lane: number) => Promise<unknown>): Promise<number> {
  const until = performance.now() + sliceMs;
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (; performance.now() < until; done += 1) await work(lane);
    }),
  );
  return done;
}

/** The house as `createRuntime` makes it, over a browser that answers at once. */
function houseOf(database: Database, listener: House['listener']): House & { readonly queue: ProfileQueue } {
  const redactor = createRedactor();
  const resolveSecret = async (): Promise<string> => {
    throw new BrowserError('secret_not_found', 'the bench has no secrets');
  };
  const none = { name: 'bench', kind: 'none', baseUrl: null, secretRef: null, config: {} } as const;
  const nowhere = createProvider(none, { resolveSecret, redactor, dispatcher: createServiceDispatcher() });
  const provider: BrowserProvider = {
    ...nowhere,
    openTab: async () => ({ ...landed, upstreamTabId: randomUUID() }),
    navigate: async () => ({ ...landed, httpStatus: 200 }),
  };
  return {
    db: database,
    listener,
    redactor,
    log: { info: () => undefined, warn: () => undefined },
    adapterOf: () => provider,
    resolveSecret,
    lockTtlMs: 15_000,
    queue: new ProfileQueue(),
  };
}
