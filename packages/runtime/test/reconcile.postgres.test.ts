import { type ProviderHealth, type SessionId, type TabId } from '@wheelhouse/contracts';
import {
  closeSession,
  getSession,
  grantLease,
  listOperations,
  listTabs,
  needHuman,
  readEvents,
  takeLock,
} from '@wheelhouse/db';
import { afterEach, describe, expect, test } from 'vitest';
import { operate } from '../src/pipeline/operate.ts';
import { reconcileProvider, type ReconcileReport, wasRestarted } from '../src/reconcile.ts';
import { createScriptedBrowser } from './scripted-provider.ts';
import {
  agent,
  clickOn,
  failureOf,
  lookAt,
  newProvider,
  newSession,
  openHouse,
  openPage,
  useDatabase,
} from './test-house.ts';

const database = useDatabase();
const closing: AsyncDisposable[] = [];
afterEach(async () => {
  for (const opened of closing.splice(0)) await opened[Symbol.asyncDispose]();
});

/** A provider of its own with some sessions of one tab each. */
async function desk(sessions = 1) {
  const browser = createScriptedBrowser();
  const open = () => {
    const house = openHouse(database.url, browser.provider);
    closing.push(house);
    return house;
  };
  const house = open();
  const providerId = await newProvider(database.db);
  const opened: { sessionId: SessionId; tabId: TabId; profileKey: string }[] = [];
  for (let i = 0; i < sessions; i += 1) {
    const sessionId = await newSession(database.db, providerId);
    const tabId = await openPage(house, sessionId);
    opened.push({ sessionId, tabId, profileKey: (await getSession(database.db, sessionId))!.profileKey });
  }
  const pass = (policy?: Parameters<typeof reconcileProvider>[2]) => reconcileProvider(house, providerId, policy);
  return { browser, open, house, providerId, pass, sessions: opened, ...opened[0]! };
}

const quiet: Partial<ReconcileReport> = {
  state: 'done',
  restarted: false,
  expiredSessions: 0,
  skippedProfiles: 0,
  failedProfiles: 0,
  lostTabs: 0,
  lostSessions: 0,
  adoptedTabs: 0,
  closedTabs: 0,
  sweptSessions: 0,
  foreignTabs: 0,
};
const epochOf = async (providerId: string) =>
  (
    await database.db
      .selectFrom('browser_provider')
      .select('boot_epoch')
      .where('id', '=', providerId)
      .executeTakeFirstOrThrow()
  ).boot_epoch;
const stray = (upstreamTabId: string, sessionId: string | null) => ({
  upstreamTabId,
  sessionId,
  url: 'https://tracker.example/popup?passkey=Synth1234567890abcdef',
  text: '',
  downloads: [],
});

describe('S004-51 rows against the browser service', () => {
  test('nothing is found where nothing differs', async () => {
    const { pass } = await desk(2);
    expect(await pass()).toMatchObject(quiet);
    expect(await pass()).toMatchObject(quiet);
  });

  test('S004-68 a tab that is gone is lost, one pass is enough, and it comes back only by an explicit open', async () => {
    const { browser, house, pass, sessionId, tabId, profileKey } = await desk();
    const second = await openPage(house, sessionId);
    const token = await lookAt(house, sessionId, tabId);
    browser.profiles.get(profileKey)!.shift();
    expect(await pass()).toMatchObject({ ...quiet, lostTabs: 1 });
    expect(await pass()).toMatchObject(quiet);
    expect(await listTabs(database.db, sessionId)).toMatchObject([
      { id: tabId, status: 'lost' },
      { id: second, status: 'open' },
    ]);
    expect(await failureOf(operate(house, sessionId, clickOn(tabId, token), agent))).toMatchObject({
      code: 'tab_lost',
    });
    const events = await readEvents(database.db, sessionId);
    expect(events.filter(({ type }) => type === 'tab.lost')).toMatchObject([{ data: { tabId } }]);
  });

  test('a session whose context vanished is lost until a tab is opened and looked at', async () => {
    const { browser, house, pass, sessionId, profileKey } = await desk();
    browser.profiles.set(profileKey, []);
    expect(await pass()).toMatchObject({ ...quiet, lostTabs: 1, lostSessions: 1 });
    expect(await pass()).toMatchObject(quiet);
    expect(await getSession(database.db, sessionId)).toMatchObject({ recoveryState: 'lost' });
    const again = await openPage(house, sessionId);
    expect(await getSession(database.db, sessionId)).toMatchObject({ recoveryState: 'needs_look' });
    await lookAt(house, sessionId, again);
    expect(await getSession(database.db, sessionId)).toMatchObject({ recoveryState: 'ok' });
  });

  test('a restart that nobody announced is seen from what is gone, and counted once', async () => {
    const { browser, pass, providerId, sessions, house } = await desk(3);
    browser.profiles.clear();
    expect(await pass()).toMatchObject({ restarted: true, lostTabs: 3, lostSessions: 3 });
    expect(await epochOf(providerId)).toBe(1);
    expect(await pass()).toMatchObject(quiet);
    expect(await epochOf(providerId)).toBe(1);
    await openPage(house, sessions[0]!.sessionId);
    const { boot_epoch: epoch } = await database.db
      .selectFrom('browser_session')
      .select('boot_epoch')
      .where('id', '=', sessions[0]!.sessionId)
      .executeTakeFirstOrThrow();
    expect(epoch).toBe(1);
  });

  test('a dead browser that goes on listing its tabs is not believed', async () => {
    const { browser, pass, sessionId, providerId } = await desk();
    await pass();
    browser.health = { ...browser.health, browserRunning: false };
    expect(await pass()).toMatchObject({ restarted: true, lostTabs: 1, lostSessions: 1 });
    expect(await getSession(database.db, sessionId)).toMatchObject({ recoveryState: 'lost' });
    expect(await pass()).toMatchObject(quiet);
    expect(await epochOf(providerId)).toBe(1);
  });

  test('one tab gone, an idle browser that stops, or a profile nobody could look at is no restart', () => {
    const running = { browserRunning: true, activeSessions: 2 };
    const stopped = { browserRunning: false, activeSessions: 0 };
    const gone = { known: 2, vanished: 2 };
    expect(wasRestarted(running, running, [{ known: 2, vanished: 1 }])).toBe(false);
    expect(wasRestarted(running, stopped, [])).toBe(false);
    expect(wasRestarted(running, stopped, [gone, null])).toBe(false);
    expect(wasRestarted(running, running, [gone])).toBe(false);
    expect(wasRestarted(running, running, [gone, gone])).toBe(true);
    expect(wasRestarted(running, { ...running, activeSessions: 1 }, [gone])).toBe(true);
    expect(wasRestarted(running, stopped, [gone])).toBe(true);
  });

  test('a browser service that cannot be asked proves nothing', async () => {
    const { browser, pass, sessionId } = await desk();
    browser.profiles.clear();
    browser.health = { ...browser.health, status: 'down' } satisfies ProviderHealth;
    expect(await pass()).toMatchObject({ state: 'unreachable', lostTabs: 0 });
    expect(await getSession(database.db, sessionId)).toMatchObject({ recoveryState: 'ok' });
  });
});

describe('what no row knows', () => {
  test('a popup is taken into its session without its secrets, or closed, as the policy says', async () => {
    for (const popups of ['adopt', 'close'] as const) {
      const { browser, pass, sessionId, profileKey } = await desk();
      browser.profiles.get(profileKey)!.push(stray('popup', sessionId));
      const found = popups === 'adopt' ? { adoptedTabs: 1 } : { closedTabs: 1 };
      expect(await pass({ popups })).toMatchObject({ ...quiet, ...found });
      expect(await pass({ popups })).toMatchObject(quiet);
      const tabs = await listTabs(database.db, sessionId);
      expect(tabs).toHaveLength(popups === 'adopt' ? 2 : 1);
      expect(JSON.stringify(tabs)).not.toContain('Synth1234567890abcdef');
      expect(browser.profiles.get(profileKey)).toHaveLength(popups === 'adopt' ? 2 : 1);
    }
  });

  test('S001-14 a tab that is not ours is counted and left alone', async () => {
    const { browser, pass, profileKey } = await desk();
    browser.profiles.get(profileKey)!.push(stray('a', null), stray('b', 'somebody else'));
    expect(await pass()).toMatchObject({ ...quiet, foreignTabs: 2 });
    expect(browser.profiles.get(profileKey)).toHaveLength(3);
  });

  test('tabs of a session whose row was closed are swept once, also when the profile is in use again', async () => {
    const { browser, house, pass, providerId, sessionId, profileKey } = await desk();
    await closeSession(database.db, { sessionId, reason: 'by an operator' });
    expect(await pass({ orphans: 'leave' })).toMatchObject(quiet);
    expect(await pass()).toMatchObject({ ...quiet, closedTabs: 1, sweptSessions: 1 });
    expect(browser.profiles.get(profileKey)).toEqual([]);
    expect(await pass()).toMatchObject(quiet);
    const next = await newSession(database.db, providerId);
    await openPage(house, next);
    expect(await pass()).toMatchObject(quiet);
  });
});

describe('old sessions', () => {
  test('are closed through the ledger when idle, by their row when they wait, and never under a person', async () => {
    const { browser, pass, sessions } = await desk(3);
    const [idle, waiting, driven] = sessions.map(({ sessionId }) => sessionId);
    await needHuman(database.db, waiting!, 'captcha');
    await grantLease(database.db, { sessionId: driven!, holder: 'ops', reason: '', ttlMs: 60_000 });
    expect(await pass({ maxIdleMs: 60_000 })).toMatchObject({ expiredSessions: 0 });
    expect(await pass({ maxIdleMs: 0 })).toMatchObject({ expiredSessions: 1 });
    expect(await getSession(database.db, idle!)).toMatchObject({ controller: 'closed', closeReason: 'idle' });
    const closings = (await listOperations(database.db, idle!)).filter(({ type }) => type === 'close_session');
    expect(closings).toMatchObject([{ caller: 'reconcile', outcome: 'applied' }]);
    expect(await pass({ maxAgeMs: 0 })).toMatchObject({ expiredSessions: 1, sweptSessions: 1, closedTabs: 1 });
    expect(await getSession(database.db, waiting!)).toMatchObject({ controller: 'closed', closeReason: 'max_age' });
    expect(await getSession(database.db, driven!)).toMatchObject({ controller: 'human' });
    expect([...browser.profiles.values()].flat()).toHaveLength(1);
  });
});

describe('beside others', () => {
  test('a profile with an operation under way is left for the next pass', async () => {
    const { browser, pass, providerId, sessionId, profileKey } = await desk();
    browser.profiles.set(profileKey, []);
    const { profileKey: key } = (await getSession(database.db, sessionId))!;
    await takeLock(database.db, { providerId, profileKey: key, holder: 'job', note: 'navigate', ttlMs: 60_000 });
    const before = browser.calls.length;
    expect(await pass({ maxIdleMs: 0, maxAgeMs: 0 })).toMatchObject({ ...quiet, skippedProfiles: 1 });
    expect(browser.calls).toHaveLength(before);
    await database.db
      .updateTable('browser_profile_lock')
      .set({ expires_at: new Date(0) })
      .where('holder', '=', 'job')
      .execute();
    expect(await pass()).toMatchObject({ lostTabs: 1, lostSessions: 1 });
  });

  test('while a person drives, rows are corrected and nothing is opened or closed', async () => {
    const { browser, house, pass, sessionId, profileKey } = await desk();
    await openPage(house, sessionId);
    browser.profiles.get(profileKey)!.shift();
    browser.profiles.get(profileKey)!.push(stray('popup', sessionId));
    await grantLease(database.db, { sessionId, holder: 'ops', reason: '', ttlMs: 60_000 });
    expect(await pass({ popups: 'close' })).toMatchObject({ lostTabs: 1, closedTabs: 0, skippedProfiles: 1 });
    expect(browser.profiles.get(profileKey)).toHaveLength(2);
  });

  test('of six processes that reconcile at once each finding is made once', async () => {
    const { browser, open, providerId, sessionId, profileKey } = await desk();
    browser.profiles.set(profileKey, [stray('popup', sessionId)]);
    const houses = Array.from({ length: 6 }, open);
    const reports = await Promise.all(houses.map((house) => reconcileProvider(house, providerId)));
    reports.push(await reconcileProvider(houses[0]!, providerId));
    const sum = (name: 'lostTabs' | 'lostSessions' | 'adoptedTabs') =>
      reports.reduce((total, report) => total + report[name], 0);
    expect([sum('lostTabs'), sum('lostSessions'), sum('adoptedTabs')]).toEqual([1, 1, 1]);
    expect(await listTabs(database.db, sessionId)).toHaveLength(2);
  });

  test('a failure on one profile does not stop the others, and the turn is given back', async () => {
    const { browser, house, providerId, sessions } = await desk(2);
    const broken = sessions[0]!.profileKey;
    browser.profiles.clear();
    const picky = openHouse(database.url, {
      ...browser.provider,
      listTabs: (session, context) => {
        if (session.profileKey === broken) throw new TypeError('a bug');
        return browser.provider.listTabs(session, context);
      },
    });
    closing.push(picky);
    expect(await reconcileProvider(picky, providerId)).toMatchObject({
      failedProfiles: 1,
      lostTabs: 1,
      restarted: false,
    });
    expect(await reconcileProvider(house, providerId)).toMatchObject({ state: 'done', failedProfiles: 0, lostTabs: 1 });
  });
});
