import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrowserError, Grant, OpenSession, type SessionId, type TabId } from '@wheelhouse/contracts';
import {
  addProvider,
  createScratchDatabase,
  type Database,
  openDatabase,
  openSession,
  startEmbeddedPostgres,
} from '@wheelhouse/db';
import { afterAll, beforeAll } from 'vitest';
import { operate } from '../src/pipeline/operate.ts';
import type { TestHouse } from './open-house.ts';

export { openHouse, type TestHouse } from './open-house.ts';

const folder = fileURLToPath(new URL('../../../.wheelhouse/test-pg', import.meta.url));

/** A migrated database of this test file's own, with a connection to look into it from outside. */
export function useDatabase() {
  const closers: (() => Promise<unknown>)[] = [];
  let made: { url: string; db: Database['kysely'] } | undefined;
  beforeAll(async () => {
    const server = await startEmbeddedPostgres(resolve(folder));
    closers.unshift(() => server.leave());
    const scratch = await createScratchDatabase(server.url);
    closers.unshift(async () => scratch[Symbol.asyncDispose]());
    const database = openDatabase(scratch.url, { maxConnections: 10 });
    closers.unshift(() => database.close());
    made = { url: scratch.url, db: database.kysely };
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });
  const ready = () => {
    if (made === undefined) throw new Error('the database is not made yet');
    return made;
  };
  return {
    get url() {
      return ready().url;
    },
    get db() {
      return ready().db;
    },
  };
}

let count = 0;

/** A number that nobody else has in this process. */
export function next(): number {
  return (count += 1);
}

/** A provider row and an open session on it. */
export async function newSession(db: Database['kysely'], providerId?: string): Promise<SessionId> {
  const id = providerId ?? (await newProvider(db));
  const wish = OpenSession.parse({
    providerId: id,
    profileKey: `profile-${next()}-${process.pid}`,
    operationId: 'open',
  });
  const { session } = await openSession(db, { ...wish, allowlist: ['.tracker.example'], caller: 'test' });
  return session.id;
}

/** A provider row of its own. */
export async function newProvider(db: Database['kysely']): Promise<string> {
  const provider = await addProvider(db, {
    name: `provider ${next()} ${process.pid}`,
    kind: 'camofox',
    baseUrl: 'http://127.0.0.1:9',
    secretRef: null,
    allowlist: [],
  });
  if (provider === null) throw new Error('the name was taken');
  return provider.id;
}

/** May do all that an agent with full rights may. */
export const agent = {
  grant: Grant.parse({ caller: 'agent', classes: ['observe', 'navigate', 'interact', 'manage'] }),
};

/** Opens a tab and loads an address; gives the tab. */
export async function openPage(
  house: TestHouse,
  sessionId: SessionId,
  url = 'https://tracker.example/login',
): Promise<TabId> {
  const { value } = await operate(house, sessionId, { type: 'open_tab', operationId: `open-${next()}` }, agent);
  await operate(house, sessionId, { type: 'navigate', tabId: value.tabId, operationId: `go-${next()}`, url }, agent);
  return value.tabId;
}

/** A snapshot's token. */
export async function lookAt(house: TestHouse, sessionId: SessionId, tabId: TabId): Promise<string> {
  return (await operate(house, sessionId, { type: 'snapshot', tabId }, agent)).value.documentToken;
}

/** A click on the one button, chosen under a token. */
export function clickOn(tabId: TabId, documentToken: string, operationId = `click-${next()}`) {
  return { type: 'click', tabId, documentToken, operationId, ref: 'e1' } as const;
}

/** The failure of a call, which must fail. */
export async function failureOf(call: Promise<unknown>): Promise<BrowserError> {
  try {
    await call;
  } catch (error) {
    if (BrowserError.is(error)) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

/** A promise to be settled by hand. */
export function openGate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((done) => (open = done));
  return { passed, open };
}
