import { type SessionId, type TabId } from '@wheelhouse/contracts';
import { closeSession, getSession, grantLease, handBackLease, listOperations, readLock } from '@wheelhouse/db';
import { afterEach, describe, expect, test } from 'vitest';
import { operate } from '../src/pipeline/operate.ts';
import { createScriptedBrowser, type ScriptedBrowser } from './scripted-provider.ts';
import {
  agent,
  clickOn,
  failureOf,
  lookAt,
  newSession,
  next,
  openGate,
  openHouse,
  openPage,
  type TestHouse,
  useDatabase,
} from './test-house.ts';

const database = useDatabase();
const closing: AsyncDisposable[] = [];
afterEach(async () => {
  for (const opened of closing.splice(0)) await opened[Symbol.asyncDispose]();
});

function house(browser: ScriptedBrowser, lockTtlMs?: number): TestHouse {
  const opened = openHouse(database.url, browser.provider, lockTtlMs);
  closing.push(opened);
  return opened;
}

/** A session with one page open. */
async function desk(lockTtlMs?: number) {
  const browser = createScriptedBrowser();
  const runtime = house(browser, lockTtlMs);
  const sessionId = await newSession(database.db);
  const tabId = await openPage(runtime, sessionId);
  return { browser, runtime, sessionId, tabId };
}
const ledger = async (sessionId: SessionId, operationId: string) =>
  (await listOperations(database.db, sessionId)).find((row) => row.operationId === operationId);
const clicks = ({ calls }: ScriptedBrowser) => calls.filter((call) => call.startsWith('click ')).length;
const navigation = (tabId: TabId, operationId = `go-${next()}`) =>
  ({ type: 'navigate', tabId, operationId, url: 'https://tracker.example/next' }) as const;

describe('a person at the wheel', () => {
  const granted = async (sessionId: SessionId) => {
    const lease = await grantLease(database.db, { sessionId, holder: 'ops@desk', reason: '', ttlMs: 60_000 });
    if (typeof lease === 'string') throw new Error(lease);
    return lease;
  };

  test('S003-21 S004-15 every automated call is refused at once, observation included, and nothing is queued', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const token = await lookAt(runtime, sessionId, tabId);
    const lease = await granted(sessionId);
    const before = browser.calls.length;
    const began = performance.now();
    const calls = [
      { type: 'list_tabs' },
      { type: 'snapshot', tabId },
      { type: 'screenshot', tabId },
      { type: 'wait', tabId },
      { type: 'links', tabId },
      navigation(tabId),
      clickOn(tabId, token),
      { type: 'close_session', operationId: 'end' },
    ] as const;
    for (const call of calls) {
      const error = await failureOf(operate(runtime, sessionId, call, agent));
      expect(error).toMatchObject({ code: 'human_in_control', kind: 'control_conflict', retryable: false });
      expect(error.message).toContain('ops@desk');
    }
    expect(performance.now() - began).toBeLessThan(2_000);
    await handBackLease(database.db, { leaseId: lease.id, holder: 'ops@desk', note: '' });
    expect(browser.calls).toHaveLength(before);
    expect(await readLock(database.db, (await getSession(database.db, sessionId))!)).toBeNull();
  });

  test('S003-23 S001-18 after the hand-back automation looks first, and the token from before is void', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const token = await lookAt(runtime, sessionId, tabId);
    const lease = await granted(sessionId);
    await handBackLease(database.db, { leaseId: lease.id, holder: 'ops@desk', note: 'captcha solved' });
    const blind = await failureOf(operate(runtime, sessionId, clickOn(tabId, token), agent));
    expect(blind).toMatchObject({ code: 'snapshot_required' });
    await lookAt(runtime, sessionId, tabId);
    const old = await failureOf(operate(runtime, sessionId, clickOn(tabId, token), agent));
    expect(old).toMatchObject({ code: 'stale_snapshot' });
    expect(clicks(browser)).toBe(0);
  });

  test('a look under way when a person takes over is broken off, and what it saw is not told', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    for (const listens of [true, false]) {
      const reached = openGate();
      const held = openGate();
      browser.before('look', async (signal) => {
        reached.open();
        if (listens) signal.addEventListener('abort', held.open);
        await held.passed;
      });
      const looking = failureOf(operate(runtime, sessionId, { type: 'snapshot', tabId }, agent));
      await reached.passed;
      const lease = await granted(sessionId);
      if (!listens) held.open();
      expect(await looking).toMatchObject({ code: 'fence_lost' });
      expect(await readLock(database.db, (await getSession(database.db, sessionId))!)).toBeNull();
      await handBackLease(database.db, { leaseId: lease.id, holder: 'ops@desk', note: '' });
    }
  });

  test('a click that had left when a person took over is unknown, one that had not is not sent', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const reached = openGate();
    browser.before('click', async (signal) => {
      reached.open();
      await new Promise((_, failed) => signal.addEventListener('abort', () => failed(new Error('broken off'))));
    });
    const click = clickOn(tabId, await lookAt(runtime, sessionId, tabId));
    const clicking = failureOf(operate(runtime, sessionId, click, agent));
    await reached.passed;
    const queued = failureOf(operate(runtime, sessionId, navigation(tabId), agent));
    await granted(sessionId);
    expect((await clicking).outcome).toBe('unknown');
    expect(await queued).toMatchObject({ code: 'human_in_control' });
    expect(browser.calls.filter((call) => call.startsWith('navigate'))).toHaveLength(1);
  });

  test('a session that is closed under an operation keeps its outcome and frees the profile', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    browser.before('navigate', async () => {
      await closeSession(database.db, { sessionId, reason: 'by an operator' });
    });
    const go = navigation(tabId);
    expect(await operate(runtime, sessionId, go, agent)).toMatchObject({ outcome: 'applied' });
    expect(await ledger(sessionId, go.operationId)).toMatchObject({ outcome: 'applied' });
    expect(await readLock(database.db, (await getSession(database.db, sessionId))!)).toBeNull();
  });
});
