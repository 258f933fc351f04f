import { type Capabilities, capabilitiesWith, ProfileKey } from '@wheelhouse/contracts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  addProvider,
  appendEvent,
  beginBootEpoch,
  closeSession,
  findProvider,
  getSession,
  listOpenSessions,
  listOpenTabs,
  listTabs,
  loseTabs,
  openDatabase,
  openSession,
  readAllEvents,
  readEvents,
  removeProvider,
  saveCapabilities,
  saveHealth,
  setProviderEnabled,
  setRecoveryState,
} from '../src/index.ts';
import { rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newProvider, newSession, newTab, wish } = rowsFor(database);

/** Something that a test waits for, and opens. */
function openGate() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}

describe('opening a session', () => {
  test('of twenty who open one profile at once, one creates it and all get the same', async () => {
    for (let round = 0; round < 10; round += 1) {
      const want = wish((await newProvider()).id);
      const all = await Promise.all(Array.from({ length: 20 }, () => openSession(database.db, want)));
      expect(all.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(all.map(({ session }) => session.id)).size).toBe(1);
      expect(await readEvents(database.db, all[0]!.session.id)).toHaveLength(1);
    }
  });

  test('after the last one was closed there is a new one, with a history of its own', async () => {
    const want = wish((await newProvider()).id);
    const first = await openSession(database.db, want);
    expect(await closeSession(database.db, { sessionId: first.session.id, reason: 'done' })).toBe(true);
    expect(await closeSession(database.db, { sessionId: first.session.id, reason: 'again' })).toBe(false);
    const second = await openSession(database.db, want);
    expect(second).toMatchObject({ created: true, session: { fence: 1, controller: 'automation' } });
    expect(second.session.id).not.toBe(first.session.id);
    expect(await getSession(database.db, first.session.id)).toMatchObject({
      closeReason: 'done',
      controller: 'closed',
    });
    const open = await listOpenSessions(database.db);
    expect(open.map(({ id }) => id)).toContain(second.session.id);
    expect(open.map(({ id }) => id)).not.toContain(first.session.id);
  });

  test('opening and closing by many at once never leaves two open', async () => {
    const want = { ...wish((await newProvider()).id), profileKey: ProfileKey.parse('wh-site-x-acct-x') };
    const work = Array.from({ length: 12 }, async () => {
      for (let i = 0; i < 10; i += 1) {
        const { session } = await openSession(database.db, want);
        await closeSession(database.db, { sessionId: session.id, reason: 'done' });
      }
    });
    await Promise.all(work);
    const { rows } = await sql<{ open: number; created: number }>`
      select count(*) filter (where closed_at is null)::int as open, count(*)::int as created
      from browser_session where profile_key = 'wh-site-x-acct-x'`.execute(database.db);
    expect(rows[0]?.open).toBe(0);
    expect(rows[0]?.created).toBeGreaterThan(1);
  });
});

describe('tabs', () => {
  test('S004-68 a tab that the upstream lost stays lost, and its token is void', async () => {
    const sessionId = await newSession();
    const [gone, kept] = [await newTab(sessionId), await newTab(sessionId)];
    expect(await loseTabs(database.db, sessionId, [gone])).toEqual([gone]);
    expect(await loseTabs(database.db, sessionId, [gone])).toEqual([]);
    expect((await listOpenTabs(database.db, sessionId)).map(({ id }) => id)).toEqual([kept]);
    expect(await listTabs(database.db, sessionId)).toMatchObject([
      { id: gone, status: 'lost', closedAt: null },
      { id: kept, status: 'open' },
    ]);
    const tokens = await database.db
      .selectFrom('browser_tab')
      .select(['document_token', 'generation'])
      .where('id', '=', gone)
      .execute();
    expect(tokens).toEqual([{ document_token: null, generation: 2 }]);
  });

  test('after a restart of the browser service what was open is lost, and everybody is told', async () => {
    const provider = await newProvider();
    const [used, blank, other] = [await newSession(provider), await newSession(provider), await newSession()];
    const tab = await newTab(used);
    await newTab(other);
    expect(await beginBootEpoch(database.db, provider.id)).toEqual([used]);
    expect(await getSession(database.db, used)).toMatchObject({ recoveryState: 'lost' });
    expect(await getSession(database.db, blank)).toMatchObject({ recoveryState: 'ok' });
    expect(await listOpenTabs(database.db, other)).toHaveLength(1);
    const told = await readEvents(database.db, used);
    expect(told.map(({ type, data }) => [type, data['tabId'] ?? data['bootEpoch']]).slice(1)).toEqual([
      ['tab.lost', tab],
      ['session.lost', 1],
    ]);
  });

  test('a closed session takes no state of its upstream half any more', async () => {
    const sessionId = await newSession();
    expect(await setRecoveryState(database.db, sessionId, 'needs_look')).toBe(true);
    await closeSession(database.db, { sessionId, reason: 'done' });
    expect(await setRecoveryState(database.db, sessionId, 'ok')).toBe(false);
  });
});

describe('the history', () => {
  test('a reader of all sessions misses nothing, whatever order things are committed in', async () => {
    await using slow = openDatabase(database.url, { maxConnections: 1 });
    const [first, second] = [await newSession(), await newSession()];
    const start = (await readAllEvents(database.db, { limit: 10_000 })).at(-1)!.id;
    const began = openGate();
    const commit = openGate();
    const late = slow.kysely.transaction().execute(async (transaction) => {
      await appendEvent(transaction, { sessionId: first, type: 'tab.opened', data: { n: 1 } });
      began.resolve();
      await commit.promise;
    });
    await began.promise;
    await appendEvent(database.db, { sessionId: second, type: 'tab.opened', data: { n: 2 } });
    // The second is committed and the first is not: a reader who took it now would never see the first.
    const seen = [...(await readAllEvents(database.db, { after: start }))];
    commit.resolve();
    await late;
    seen.push(...(await readAllEvents(database.db, { after: seen.at(-1)?.id ?? start })));
    expect(seen.map(({ data }) => data['n'])).toEqual([1, 2]);
  });

  test('numbers of one session are in the order of commits, with twenty who write at once', async () => {
    const sessionId = await newSession();
    const seen: number[] = [];
    let writing = true;
    const reader = (async () => {
      for (let after = 0; ;) {
        const last = !writing;
        const page = await readEvents(database.db, sessionId, { after });
        seen.push(...page.map(({ id }) => id));
        after = page.at(-1)?.id ?? after;
        if (last) return;
      }
    })();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let i = 0; i < 10; i += 1) {
          await appendEvent(database.db, { sessionId, type: 'tab.opened', data: { i } });
        }
      }),
    );
    writing = false;
    await reader;
    expect(seen).toEqual((await readEvents(database.db, sessionId)).map(({ id }) => id));
    expect(seen).toHaveLength(201);
  });
});

describe('providers', () => {
  test('are found by name and id, and forgotten only while they have no history', async () => {
    const provider = await newProvider();
    expect(await findProvider(database.db, provider.name)).toEqual(provider);
    expect(await findProvider(database.db, provider.id)).toEqual(provider);
    expect(await addProvider(database.db, { ...provider, allowlist: [] })).toBeNull();
    await saveHealth(database.db, provider.id, 'degraded');
    await setProviderEnabled(database.db, provider.id, false);
    expect(await findProvider(database.db, provider.id)).toMatchObject({ healthStatus: 'degraded', enabled: false });
    await newSession(provider);
    expect(await removeProvider(database.db, provider.id)).toBe(false);
    expect(await removeProvider(database.db, (await newProvider()).id)).toBe(true);
  });

  test('S004-10 probing never verifies, keeps what was verified, and a changed version drops it', async () => {
    const { id } = await newProvider();
    const found = (upstreamVersion: string): Capabilities =>
      capabilitiesWith({ snapshot: { supported: true } }, 'no', {
        upstreamVersion,
        engine: 'firefox',
        probedAt: new Date('2026-01-01T00:00:00Z'),
      });
    const verified = async () => (await findProvider(database.db, id))?.capabilities?.snapshot.verified;
    await saveCapabilities(database.db, id, found('1.17.0'));
    expect(await verified()).toBe(false);
    await sql`update browser_provider set capabilities = jsonb_set(capabilities, '{snapshot,verified}', 'true')
      where id = ${id}`.execute(database.db);
    await saveCapabilities(database.db, id, found('1.17.0'));
    expect(await verified()).toBe(true);
    await saveCapabilities(database.db, id, found('1.18.0'));
    expect(await verified()).toBe(false);
    expect((await findProvider(database.db, id))?.capabilities?.probedAt).toEqual(new Date('2026-01-01T00:00:00Z'));
  });
});
