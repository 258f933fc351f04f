import type { SessionId } from '@wheelhouse/contracts';
import { type Database, getSession, listOperations, readLock } from '@wheelhouse/db';
import { afterEach, describe, expect, test } from 'vitest';
import { operate } from '../src/pipeline/operate.ts';
import { maxWaiting } from '../src/pipeline/queue.ts';
import { createScriptedBrowser, type ScriptedBrowser } from './scripted-provider.ts';
import {
  agent,
  failureOf,
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

async function desk(lockTtlMs?: number) {
  const browser = createScriptedBrowser();
  const runtime = house(browser, lockTtlMs);
  const sessionId = await newSession(database.db);
  const tabId = await openPage(runtime, sessionId);
  const go = (by: TestHouse, name: string, timeoutMs = 20_000) =>
    operate(
      by,
      sessionId,
      { type: 'navigate', tabId, operationId: name, url: `https://tracker.example/${name}` },
      { ...agent, timeoutMs },
    );
  return { browser, runtime, sessionId, tabId, go };
}

/** Makes the next navigation wait inside the browser until it is let on. */
function holdNavigation(browser: ScriptedBrowser) {
  const reached = openGate();
  const gate = openGate();
  browser.before('navigate', async () => {
    browser.before('navigate', () => undefined);
    reached.open();
    await gate.passed;
  });
  return { reached: reached.passed, letOn: gate.open };
}

async function lockOf(db: Database['kysely'], sessionId: SessionId) {
  return readLock(db, (await getSession(db, sessionId))!);
}
const visited = async (sessionId: SessionId) =>
  (await listOperations(database.db, sessionId))
    .filter(({ type }) => type === 'navigate')
    .toSorted((one, other) => one.dispatchedAt!.getTime() - other.dispatchedAt!.getTime())
    .map(({ operationId }) => operationId);

describe('S004-39 one operation of a profile at a time', () => {
  test('callers of one process go first come, first served; the 33rd who waits is refused at once', async () => {
    const { browser, runtime, sessionId, go } = await desk();
    const { reached, letOn } = holdNavigation(browser);
    const first = go(runtime, 'first');
    await reached;
    const names = Array.from({ length: maxWaiting }, (_, i) => `waiter-${String(i).padStart(2, '0')}`);
    const waiters = names.map((name) => go(runtime, name));
    expect(maxWaiting).toBe(32);
    expect(await failureOf(go(runtime, 'one-too-many'))).toMatchObject({ code: 'queue_full', kind: 'rate_limited' });
    letOn();
    await Promise.all([first, ...waiters]);
    expect((await visited(sessionId)).slice(1)).toEqual(['first', ...names]);
    expect(
      (await listOperations(database.db, sessionId)).some(({ operationId }) => operationId === 'one-too-many'),
    ).toBe(false);
  });

  test('lock_timeout names what holds the profile and since when, and the operationId is still free', async () => {
    const { browser, runtime, go } = await desk();
    const other = house(browser);
    const { reached, letOn } = holdNavigation(browser);
    const began = Date.now();
    const first = go(runtime, 'slow');
    await reached;
    const error = await failureOf(go(other, 'patient', 400));
    expect(error).toMatchObject({ code: 'lock_timeout', kind: 'lock_timeout', retryable: true });
    const since = /busy with navigate since (\S+)$/.exec(error.message)?.[1];
    expect(Math.abs(Date.parse(since ?? '') - began)).toBeLessThan(2_000);
    letOn();
    await first;
    expect(await go(other, 'patient')).toMatchObject({ outcome: 'applied' });
  });

  test('a waiter in another process is woken by the release, not by its own nap', async () => {
    const { browser, runtime, go } = await desk(30_000);
    const other = house(browser, 30_000);
    const waitsMs: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const { reached, letOn } = holdNavigation(browser);
      const first = go(runtime, `hold-${next()}`);
      await reached;
      const second = go(other, `wake-${next()}`);
      // Long enough for the naps to have grown to their full length.
      await new Promise((done) => setTimeout(done, 250));
      const freed = performance.now();
      letOn();
      await Promise.all([first, second]);
      waitsMs.push(performance.now() - freed);
    }
    expect(waitsMs.toSorted((a, b) => a - b)[3]).toBeLessThan(500);
  });

  test('a lost lock stops the work, and the end of the late holder is refused by the fence', async () => {
    const { browser, runtime, sessionId, go } = await desk(600);
    const other = house(browser);
    const stopped = openGate();
    const reached = openGate();
    browser.before('navigate', async (signal) => {
      browser.before('navigate', () => undefined);
      signal.addEventListener('abort', () => stopped.open());
      reached.open();
      // An upstream that answers although nobody listens any more.
      await stopped.passed;
    });
    const late = failureOf(go(runtime, 'late'));
    await reached.passed;
    const { providerId, profileKey } = (await getSession(database.db, sessionId))!;
    await database.db
      .updateTable('browser_profile_lock')
      .set({ expires_at: new Date(0) })
      .where('provider_id', '=', providerId)
      .where('profile_key', '=', profileKey)
      .execute();
    expect(await go(other, 'successor')).toMatchObject({ outcome: 'applied' });
    expect(await late).toMatchObject({ code: 'fence_lost', outcome: 'unknown' });
    const row = (await listOperations(database.db, sessionId)).find(({ operationId }) => operationId === 'late');
    expect(row).toMatchObject({ state: 'dispatched', outcome: null });
    expect(await lockOf(database.db, sessionId)).toBeNull();
  });

  test('a holder that works longer than the life of its lock keeps it', async () => {
    const { browser, runtime, go } = await desk(300);
    const other = house(browser);
    const { reached, letOn } = holdNavigation(browser);
    const slow = go(runtime, 'slow');
    await reached;
    const early = failureOf(go(other, 'early', 900));
    expect(await early).toMatchObject({ code: 'lock_timeout' });
    letOn();
    expect(await slow).toMatchObject({ outcome: 'applied' });
  });

  test('a caller that gives up leaves the line, and the others move on', async () => {
    const { browser, runtime, sessionId, go } = await desk();
    const { reached, letOn } = holdNavigation(browser);
    const first = go(runtime, 'first');
    await reached;
    const impatient = failureOf(go(runtime, 'impatient', 150));
    const last = go(runtime, 'last');
    expect(await impatient).toMatchObject({ code: 'lock_timeout' });
    letOn();
    await Promise.all([first, last]);
    expect((await visited(sessionId)).slice(1)).toEqual(['first', 'last']);
  });
});
