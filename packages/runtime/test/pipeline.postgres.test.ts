import { BrowserError, type SessionId, type TabId } from '@wheelhouse/contracts';
import { listOperations, openDatabase } from '@wheelhouse/db';
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

describe('nothing twice', () => {
  test('S001-15 a replayed operationId is refused for ever, with the stored outcome', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const click = clickOn(tabId, await lookAt(runtime, sessionId, tabId));
    expect(await operate(runtime, sessionId, click, agent)).toMatchObject({ outcome: 'applied' });
    for (let again = 0; again < 5; again += 1) {
      const error = await failureOf(operate(house(browser), sessionId, click, agent));
      expect(error).toMatchObject({ code: 'operation_replayed', outcome: 'applied', retryable: false });
    }
    expect(clicks(browser)).toBe(1);
    expect(await ledger(sessionId, click.operationId)).toMatchObject({ replays: 5 });
  });

  test('S001-16 S001-22 a replay of an unknown outcome says unknown, and the page is not touched', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    browser.before('click', () => {
      throw new BrowserError('answer_lost', 'the connection broke', { outcome: 'unknown' });
    });
    const click = clickOn(tabId, await lookAt(runtime, sessionId, tabId));
    expect(await failureOf(operate(runtime, sessionId, click, agent))).toMatchObject({ outcome: 'unknown' });
    expect(await failureOf(operate(runtime, sessionId, click, agent))).toMatchObject({
      code: 'operation_replayed',
      outcome: 'unknown',
    });
    expect(clicks(browser)).toBe(1);
  });

  test('dispatched is committed before the adapter acts: another connection sees it from inside the call', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    await using other = openDatabase(database.url, { maxConnections: 1 });
    const seen: unknown[] = [];
    const look = (operationId: string) => async () => {
      const row = (await listOperations(other.kysely, sessionId)).find((one) => one.operationId === operationId);
      seen.push([row?.state, row?.outcome]);
    };
    browser.before('click', look('click-seen'));
    browser.before('navigate', look('go-seen'));
    await operate(runtime, sessionId, clickOn(tabId, await lookAt(runtime, sessionId, tabId), 'click-seen'), agent);
    await operate(runtime, sessionId, navigation(tabId, 'go-seen'), agent);
    expect(seen).toEqual([
      ['dispatched', null],
      ['dispatched', null],
    ]);
    expect(await ledger(sessionId, 'click-seen')).toMatchObject({ state: 'settled', outcome: 'applied' });
  });

  test('S000-18 S001-17 of two actions with the same token one acts, from two processes too', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const other = house(browser);
    for (let round = 0; round < 5; round += 1) {
      const before = clicks(browser);
      const token = await lookAt(runtime, sessionId, tabId);
      const both = await Promise.allSettled(
        [runtime, other, runtime, other].map((one) => operate(one, sessionId, clickOn(tabId, token), agent)),
      );
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const refused = both.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(refused).toMatchObject(refused.map(() => ({ code: 'stale_snapshot' })));
      expect(clicks(browser)).toBe(before + 1);
    }
  });

  test('S000-15 an interaction is tried once, whatever the upstream calls retryable', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    browser.before('click', () => {
      throw new BrowserError('upstream_busy', 'try again', { outcome: 'not_applied' });
    });
    const click = clickOn(tabId, await lookAt(runtime, sessionId, tabId));
    expect(await failureOf(operate(runtime, sessionId, click, agent))).toMatchObject({ outcome: 'not_applied' });
    expect(clicks(browser)).toBe(1);
  });

  test('S001-20 a failure before anything was sent is not applied, even when an adapter breaks', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const provider = {
      ...browser.provider,
      click: async () => {
        throw new TypeError('a bug of the adapter');
      },
    };
    const broken = openHouse(database.url, provider);
    closing.push(broken);
    const click = clickOn(tabId, await lookAt(runtime, sessionId, tabId));
    const error = await failureOf(operate(broken, sessionId, click, agent));
    expect(error).toMatchObject({ code: 'internal', outcome: 'not_applied' });
    expect(await ledger(sessionId, click.operationId)).toMatchObject({ outcome: 'not_applied', dispatchedAt: null });
  });

  test('S001-21 S000-19 a break after it was sent is unknown, even when an adapter breaks', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    browser.before('click', () => {
      throw new TypeError('a bug of the adapter');
    });
    const click = clickOn(tabId, await lookAt(runtime, sessionId, tabId));
    expect(await failureOf(operate(runtime, sessionId, click, agent))).toMatchObject({ outcome: 'unknown' });
    expect(await ledger(sessionId, click.operationId)).toMatchObject({ outcome: 'unknown' });
  });

  test('S001-23 S000-21 a click that landed is a success, and says so when only the look afterwards failed', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const blind = {
      ...browser.provider,
      click: (async (_tab, _target, act) => {
        await act.dispatched();
        return { outcome: 'applied_observation_failed', landingUrl: null, notInterceptable: [] };
      }) satisfies typeof browser.provider.click,
    };
    const other = openHouse(database.url, blind);
    closing.push(other);
    const click = clickOn(tabId, await lookAt(runtime, sessionId, tabId));
    expect(await operate(other, sessionId, click, agent)).toMatchObject({ outcome: 'applied_observation_failed' });
    const after = clickOn(tabId, await lookAt(runtime, sessionId, tabId));
    expect(await operate(runtime, sessionId, after, agent)).toMatchObject({ outcome: 'applied' });
  });
});

describe('nothing wrong', () => {
  test('S000-20 S000-16 after an unknown outcome no interaction until a new snapshot was taken', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    browser.before('click', () => {
      throw new BrowserError('answer_lost', 'the connection broke', { outcome: 'unknown' });
    });
    const token = await lookAt(runtime, sessionId, tabId);
    await failureOf(operate(runtime, sessionId, clickOn(tabId, token), agent));
    browser.before('click', () => undefined);
    const blind = await failureOf(operate(runtime, sessionId, clickOn(tabId, token), agent));
    expect(blind).toMatchObject({ code: 'snapshot_required' });
    expect(clicks(browser)).toBe(1);
    const fresh = await lookAt(runtime, sessionId, tabId);
    expect(await operate(runtime, sessionId, clickOn(tabId, fresh), agent)).toMatchObject({ outcome: 'applied' });
  });

  test('S000-17 S001-19 a token is void after any attempt, a navigation and a newer snapshot', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const stale = async (token: string) => {
      const error = await failureOf(operate(runtime, sessionId, clickOn(tabId, token), agent));
      expect(error).toMatchObject({ code: 'stale_snapshot' });
    };
    const used = await lookAt(runtime, sessionId, tabId);
    await operate(runtime, sessionId, clickOn(tabId, used), agent);
    await stale(used);
    const left = await lookAt(runtime, sessionId, tabId);
    await operate(runtime, sessionId, navigation(tabId), agent);
    await stale(left);
    const older = await lookAt(runtime, sessionId, tabId);
    await lookAt(runtime, sessionId, tabId);
    await stale(older);
    await stale('a-token-that-somebody-made-up');
    expect(clicks(browser)).toBe(1);
  });

  test('S000-22 a ref that was not in the snapshot, and another origin than expected, send nothing', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const other = { ...clickOn(tabId, await lookAt(runtime, sessionId, tabId)), ref: 'e9' } as const;
    expect(await failureOf(operate(runtime, sessionId, other, agent))).toMatchObject({ code: 'stale_snapshot' });
    const elsewhere = {
      ...clickOn(tabId, await lookAt(runtime, sessionId, tabId)),
      expectedOrigin: 'https://other.example:443',
    };
    expect(await failureOf(operate(runtime, sessionId, elsewhere, agent))).toMatchObject({ code: 'origin_mismatch' });
    expect(clicks(browser)).toBe(0);
  });

  test('S001-12 tabs of another session can neither be read nor driven', async () => {
    const { runtime, tabId } = await desk();
    const mine = await newSession(database.db);
    for (const call of [{ type: 'snapshot', tabId } as const, navigation(tabId)]) {
      expect(await failureOf(operate(runtime, mine, call, agent))).toMatchObject({ code: 'tab_not_found' });
    }
  });

  test('S002-25 a grant that only observes reads and cannot act', async () => {
    const { browser, runtime, sessionId, tabId } = await desk();
    const reader = { grant: { ...agent.grant, classes: ['observe' as const] } };
    const token = (await operate(runtime, sessionId, { type: 'snapshot', tabId }, reader)).value.documentToken;
    const before = browser.calls.length;
    const tries = [clickOn(tabId, token), navigation(tabId), { type: 'open_tab', operationId: 'o' } as const];
    for (const call of tries) {
      expect(await failureOf(operate(runtime, sessionId, call, reader))).toMatchObject({ code: 'not_permitted' });
    }
    const html = { type: 'page_html', tabId } as const;
    expect(await failureOf(operate(runtime, sessionId, html, agent))).toMatchObject({ code: 'not_permitted' });
    expect(browser.calls).toHaveLength(before);
  });

  test('S004-19 the list of one navigation narrows that of the session and never widens it', async () => {
    const { browser, sessionId, tabId } = await desk();
    const lists: (readonly string[])[] = [];
    const spying = openHouse(database.url, {
      ...browser.provider,
      navigate: (tab, url, context) => {
        lists.push(context.allowlist.entries);
        return browser.provider.navigate(tab, url, context);
      },
    });
    closing.push(spying);
    const go = (domainAllowlist: string[] | undefined) =>
      operate(
        spying,
        sessionId,
        { ...navigation(tabId), ...(domainAllowlist && { budget: { allowlist: domainAllowlist } }) },
        agent,
      );
    await go(undefined);
    await go(['www.tracker.example']);
    await go([]);
    expect(lists).toEqual([['.tracker.example'], ['www.tracker.example'], []]);
    expect(await failureOf(go(['other.example']))).toMatchObject({ code: 'host_not_allowed' });
    expect(await failureOf(go(['tracker.example', '.example']))).toMatchObject({ kind: expect.any(String) });
    expect(lists).toHaveLength(3);
  });
});
