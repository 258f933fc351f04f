import type { SessionId, TabId } from '@wheelhouse/contracts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  beginOperation,
  createListener,
  getSession,
  grantLease,
  handBackLease,
  listOperations,
  listTabs,
  profileLockChannel,
  readEvents,
} from '../src/index.ts';
import { stepsOf, wanted } from './operation-steps.ts';
import { rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newSession, newTab } = rowsFor(database);
const { begun, dispatch, settle, lockRunsOut } = stepsOf(database);
const token = 'token-of-sixteen-';

const rowOf = async (sessionId: SessionId) => (await listOperations(database.db, sessionId)).at(-1);
async function tabRow(id: TabId) {
  return database.db
    .selectFrom('browser_tab')
    .select(['document_token as token', 'generation', 'status'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

describe('beginning an operation', () => {
  test('S001-15 an operationId is used once, whoever sends it how often at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const sessionId = await newSession();
      const want = wanted(sessionId, { operationId: 'login-3' });
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, i) => beginOperation(database.db, { ...want, holder: `h${i}` })),
      );
      expect(all.filter((answer) => 'lockFence' in answer)).toHaveLength(1);
      expect(all.filter((answer) => 'refused' in answer && answer.refused === 'operation_replayed')).toHaveLength(19);
      expect(await rowOf(sessionId)).toMatchObject({ replays: 19, state: 'dispatched', outcome: null });
    }
  });

  test('S001-15 a replay is told what became of the first call', async () => {
    const sessionId = await newSession();
    const running = await begun(sessionId);
    await settle(running, { outcome: 'applied', result: { url: 'https://tracker.example/' } });
    expect(await beginOperation(database.db, { ...running.want, holder: 'again' })).toMatchObject({
      refused: 'operation_replayed',
      state: 'settled',
      outcome: 'applied',
      result: { url: 'https://tracker.example/' },
    });
  });

  test('one operation of a profile at a time; whoever is too late leaves nothing behind', async () => {
    const sessionId = await newSession();
    const running = await begun(sessionId);
    const late = wanted(sessionId);
    expect(await beginOperation(database.db, late)).toMatchObject({ busy: true, holderNote: 'navigate' });
    await settle(running);
    expect(await beginOperation(database.db, late)).toMatchObject({ lockFence: running.admitted.lockFence + 1 });
  });

  test('S000-17 every attempt to act kills what was seen before, whatever becomes of it', async () => {
    const sessionId = await newSession();
    const tabId = await newTab(sessionId);
    const click = { tabId, type: 'click', effect: 'interact', dispatch: false, documentToken: token } as const;
    const running = await begun(sessionId, click);
    expect(await tabRow(tabId)).toMatchObject({ token: null, generation: 2 });
    await settle(running, { outcome: 'not_applied', errorCode: 'stale_snapshot' });
    expect(await beginOperation(database.db, wanted(sessionId, click))).toMatchObject({ refused: 'stale_snapshot' });
  });

  test('S001-19 another token than the newest is refused, and nothing is written', async () => {
    const sessionId = await newSession();
    const tabId = await newTab(sessionId);
    const want = wanted(sessionId, { tabId, type: 'click', effect: 'interact', documentToken: 'an-older-token--' });
    expect(await beginOperation(database.db, want)).toMatchObject({ refused: 'stale_snapshot' });
    expect(await listOperations(database.db, sessionId)).toEqual([]);
    expect(await tabRow(tabId)).toMatchObject({ token, generation: 1 });
  });

  test('a tab of another session, a closed one and a lost one cannot be acted on', async () => {
    const sessionId = await newSession();
    const [foreign, closed, lost] = [
      await newTab(await newSession()),
      await newTab(sessionId),
      await newTab(sessionId),
    ];
    await sql`update browser_tab set status = 'closed', closed_at = now() where id = ${closed}`.execute(database.db);
    await sql`update browser_tab set status = 'lost' where id = ${lost}`.execute(database.db);
    const refusals = [foreign, closed, lost].map((tabId) => beginOperation(database.db, wanted(sessionId, { tabId })));
    expect(await Promise.all(refusals)).toMatchObject([
      { refused: 'tab_not_found' },
      { refused: 'tab_not_found' },
      { refused: 'tab_lost' },
    ]);
  });
});

describe('dispatching', () => {
  const click = { type: 'click', effect: 'interact', dispatch: false } as const;

  test('is written before anything leaves, and only once', async () => {
    const running = await begun(await newSession(), click);
    const all = await Promise.all(Array.from({ length: 10 }, () => dispatch(running)));
    expect(all.filter((answer) => answer === 'dispatched')).toHaveLength(1);
    expect(all.filter((answer) => answer === 'outcome_unknown')).toHaveLength(9);
  });

  test('is refused when a person took over since, even if the person gave back already', async () => {
    const sessionId = await newSession();
    const running = await begun(sessionId, click);
    const lease = await grantLease(database.db, { sessionId, holder: 'ops', reason: '', ttlMs: 60_000 });
    expect(await dispatch(running)).toBe('fence_lost');
    if (typeof lease === 'string') throw new Error(lease);
    await handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: '' });
    expect(await dispatch(running)).toBe('fence_lost');
    expect(await rowOf(sessionId)).toMatchObject({ state: 'reserved', dispatchedAt: null });
  });

  test('is refused when the lock ran out, also before anybody else took it', async () => {
    const sessionId = await newSession();
    const running = await begun(sessionId, click);
    await lockRunsOut(sessionId);
    expect(await dispatch(running)).toBe('fence_lost');
  });
});

describe('settling', () => {
  test('writes outcome, session, tab and event together', async () => {
    const sessionId = await newSession();
    const tabId = await newTab(sessionId);
    const running = await begun(sessionId, { tabId });
    const generation = running.admitted.tab?.generation ?? 0;
    await settle(running, {
      change: {
        sessionFence: running.admitted.session.fence,
        currentUrl: 'https://tracker.example/torrents',
        tabUrl: 'https://tracker.example/torrents',
        tabTitle: 'Torrents',
        recoveryState: 'ok',
        documentToken: 'a-new-token-16ch',
        document: { origin: 'https://tracker.example:443', elements: { e1: 'print' } },
        generation: generation + 1,
      },
    });
    expect(await getSession(database.db, sessionId)).toMatchObject({ currentUrl: 'https://tracker.example/torrents' });
    expect(await tabRow(tabId)).toMatchObject({ token: 'a-new-token-16ch' });
    expect(await listTabs(database.db, sessionId)).toMatchObject([{ title: 'Torrents' }]);
    expect((await readEvents(database.db, sessionId)).map(({ type }) => type)).toEqual([
      'session.opened',
      'operation.dispatched',
      'operation.settled',
    ]);
  });

  test('a look from before a takeover is not kept', async () => {
    const sessionId = await newSession();
    const tabId = await newTab(sessionId);
    const running = await begun(sessionId, { tabId, operationId: null, type: 'snapshot', effect: 'observe' });
    await grantLease(database.db, { sessionId, holder: 'ops', reason: '', ttlMs: 60_000 });
    await settle(running, {
      change: {
        sessionFence: running.admitted.session.fence,
        recoveryState: 'ok',
        documentToken: 'seen-before-that',
        document: { origin: null, elements: {} },
        generation: running.admitted.tab?.generation,
      },
    });
    expect(await tabRow(tabId)).toMatchObject({ token: null });
    expect(await getSession(database.db, sessionId)).toMatchObject({ recoveryState: 'needs_look' });
  });

  test("a late holder writes nothing and cannot free what is another one's", async () => {
    const sessionId = await newSession();
    const late = await begun(sessionId);
    await lockRunsOut(sessionId);
    const next = await begun(sessionId);
    expect(await settle(late)).toBe('fence_lost');
    expect(await settle(next)).toBe('settled');
    const rows = await listOperations(database.db, sessionId);
    expect(rows.map(({ outcome }) => outcome)).toEqual([null, 'applied']);
  });

  test('wakes who waits for the profile', async () => {
    const sessionId = await newSession();
    await using listener = createListener(database.url, [profileLockChannel]);
    const heard: (string | null)[] = [];
    listener.on(profileLockChannel, (payload) => heard.push(payload));
    await expect.poll(() => heard).toEqual([null]);
    const running = await begun(sessionId);
    await beginOperation(database.db, wanted(sessionId));
    await settle(running);
    const session = await getSession(database.db, sessionId);
    await expect.poll(() => heard).toEqual([null, `${session?.providerId} ${session?.profileKey}`]);
  });

  test('closing a session closes its tabs for ever', async () => {
    const sessionId = await newSession();
    const tabId = await newTab(sessionId);
    const running = await begun(sessionId, { type: 'close_session', effect: 'manage' });
    await settle(running, { change: { sessionFence: 1, closeReason: 'done' } });
    expect(await getSession(database.db, sessionId)).toMatchObject({ controller: 'closed', closeReason: 'done' });
    expect(await tabRow(tabId)).toMatchObject({ status: 'closed', token: null });
    expect(await beginOperation(database.db, wanted(sessionId))).toMatchObject({ refused: 'session_closed' });
  });
});
