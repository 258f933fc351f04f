import {
  BrowserError,
  type BrowserProvider,
  type Postcondition,
  type SessionId,
  type TabId,
} from '@wheelhouse/contracts';
import { grantLease, handBackLease, listOperations, listTabs, readEvents } from '@wheelhouse/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operate } from '../src/pipeline/operate.ts';
import { resolveUnknowns } from '../src/resolve.ts';
import { createScriptedBrowser } from './scripted-provider.ts';
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
const browser = createScriptedBrowser();
/** What a resolver may touch; everything else of the browser fails the test. */
const looking = new Set(['look', 'listTabs', 'listDownloads']);
const acted: string[] = [];
const onlyLooks = new Proxy(browser.provider, {
  get: (provider, name: keyof BrowserProvider) =>
    looking.has(name) || typeof provider[name] !== 'function'
      ? provider[name]
      : () => {
          acted.push(name);
          throw new Error(`the resolver called ${name}`);
        },
});
let house: TestHouse;
let resolver: TestHouse;
beforeAll(() => {
  house = openHouse(database.url, browser.provider);
  resolver = openHouse(database.url, onlyLooks);
});
afterAll(async () => {
  await house[Symbol.asyncDispose]();
  await resolver[Symbol.asyncDispose]();
});

const lost = () => {
  throw new BrowserError('answer_lost', 'the connection broke', { outcome: 'unknown' });
};
const outcomeOf = async (sessionId: SessionId, operationId: string) =>
  (await listOperations(database.db, sessionId)).find((row) => row.operationId === operationId)?.outcome;
const upstreamOf = async (tabId: TabId) =>
  (
    await database.db
      .selectFrom('browser_tab')
      .select('upstream_tab_id')
      .where('id', '=', tabId)
      .executeTakeFirstOrThrow()
  ).upstream_tab_id;

/** A click whose answer got lost; `effect` is what it did to the page nevertheless. */
async function lostClick(
  postcondition: Postcondition | undefined,
  effect: (upstreamTabId: string) => void = () => undefined,
) {
  const sessionId = await newSession(database.db);
  const tabId = await openPage(house, sessionId);
  const upstreamTabId = await upstreamOf(tabId);
  browser.before('click', () => {
    effect(upstreamTabId);
    lost();
  });
  const click = { ...clickOn(tabId, await lookAt(house, sessionId, tabId)), ...(postcondition && { postcondition }) };
  await failureOf(operate(house, sessionId, click, agent));
  browser.before('click', () => undefined);
  expect(await outcomeOf(sessionId, click.operationId)).toBe('unknown');
  return { sessionId, tabId, upstreamTabId, operationId: click.operationId };
}
const resolve = async ({ sessionId }: { sessionId: SessionId }) => {
  const [first] = await resolveUnknowns(resolver, sessionId);
  return first?.outcome ?? null;
};
const setText = (text: string) => (upstreamTabId: string) => void (browser.tab(upstreamTabId).text = text);
const text = { kind: 'text_present', text: 'Logged in as ada' } as const;

describe('S000-16 an unknown outcome', () => {
  test('is applied when what was to come is there, was not there before, and nothing else can have caused it', async () => {
    const proofs: [Postcondition, (upstreamTabId: string) => void][] = [
      [text, setText('- text: Logged in as ada\n')],
      [
        { kind: 'address_is', url: 'https://tracker.example/home' },
        (id) => (browser.tab(id).url = 'https://tracker.example/home?sid=1#top'),
      ],
      [
        { kind: 'address_starts_with', url: 'https://tracker.example/user/' },
        (id) => (browser.tab(id).url = 'https://tracker.example/user/7'),
      ],
      [
        { kind: 'download_present', filename: 'a.torrent' },
        (id) =>
          void browser.tab(id).downloads.push({
            id: '1',
            url: '',
            suggestedFilename: 'a.torrent',
            sizeBytes: 1,
            state: 'finished',
            createdAt: null,
          }),
      ],
    ];
    for (const [postcondition, effect] of proofs) {
      const click = await lostClick(postcondition, effect);
      expect([postcondition.kind, await resolve(click)]).toEqual([postcondition.kind, 'applied']);
      expect(await outcomeOf(click.sessionId, click.operationId)).toBe('applied');
      expect(await resolve(click)).toBeNull();
      const events = await readEvents(database.db, click.sessionId);
      expect(events.at(-1)).toMatchObject({ type: 'operation.resolved', data: { outcome: 'applied' } });
      const row = await database.db
        .selectFrom('browser_operation')
        .select(['evidence', 'postcondition'])
        .where('session_id', '=', click.sessionId)
        .where('operation_id', '=', click.operationId)
        .executeTakeFirst();
      expect(row).toMatchObject({ evidence: { before: false, holds: true, final: true }, postcondition });
    }
  });

  test('of a navigation is settled the same way', async () => {
    const sessionId = await newSession(database.db);
    const tabId = await openPage(house, sessionId);
    const upstreamTabId = await upstreamOf(tabId);
    browser.before('navigate', () => {
      browser.tab(upstreamTabId).url = 'https://tracker.example/there';
      lost();
    });
    const url = 'https://tracker.example/there';
    const go = { type: 'navigate', tabId, operationId: 'go', url, postcondition: { kind: 'address_is', url } } as const;
    expect(await failureOf(operate(house, sessionId, go, agent))).toMatchObject({ outcome: 'unknown' });
    browser.before('navigate', () => undefined);
    expect(await resolve({ sessionId })).toBe('applied');
  });

  test('stays unknown without a postcondition, and while what was to come is not there', async () => {
    expect(await resolve(await lostClick(undefined))).toBeNull();
    const click = await lostClick(text);
    expect(await resolve(click)).toBe('unknown');
    setText('- text: Logged in as ada\n')(click.upstreamTabId);
    expect(await resolve(click)).toBe('applied');
  });

  test('stays unknown when it held before: a text that was there already proves nothing', async () => {
    const sessionId = await newSession(database.db);
    const tabId = await openPage(house, sessionId);
    setText('- text: Logged in as ada\n')(await upstreamOf(tabId));
    const click = { ...clickOn(tabId, await lookAt(house, sessionId, tabId)), postcondition: text };
    browser.before('click', lost);
    await failureOf(operate(house, sessionId, click, agent));
    browser.before('click', () => undefined);
    expect(await resolve({ sessionId })).toBe('unknown');
    expect(await resolve({ sessionId })).toBeNull();
    expect(await outcomeOf(sessionId, click.operationId)).toBe('unknown');
  });

  test('stays unknown when a later operation or a person may have caused what is seen', async () => {
    const later = await lostClick(text);
    await operate(
      house,
      later.sessionId,
      { type: 'navigate', tabId: later.tabId, operationId: `go-${next()}`, url: 'https://tracker.example/x' },
      agent,
    );
    setText('- text: Logged in as ada\n')(later.upstreamTabId);
    expect(await resolve(later)).toBe('unknown');
    expect(await outcomeOf(later.sessionId, later.operationId)).toBe('unknown');

    const taken = await lostClick(text);
    const lease = await grantLease(database.db, {
      sessionId: taken.sessionId,
      holder: 'ops',
      reason: '',
      ttlMs: 5_000,
    });
    if (typeof lease === 'string') throw new Error(lease);
    setText('- text: Logged in as ada\n')(taken.upstreamTabId);
    expect(await resolve(taken)).toBeNull();
    await handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: '' });
    expect(await resolve(taken)).toBeNull();
    expect(await outcomeOf(taken.sessionId, taken.operationId)).toBe('unknown');
  });

  test('of a click that should close its tab needs another tab that is still there', async () => {
    const drop = (upstreamTabId: string) => {
      for (const tabs of browser.profiles.values()) {
        const at = tabs.findIndex((tab) => tab.upstreamTabId === upstreamTabId);
        if (at >= 0) tabs.splice(at, 1);
      }
    };
    expect(await resolve(await lostClick({ kind: 'tab_gone' }, drop))).toBe('unknown');
    const click = await lostClick({ kind: 'tab_gone' });
    await operate(house, click.sessionId, { type: 'open_tab', operationId: 'second' }, agent);
    drop(click.upstreamTabId);
    expect(await resolve(click)).toBe('applied');
  });
});

describe('an unknown closing of a tab', () => {
  const lostClosing = async (really: boolean) => {
    const sessionId = await newSession(database.db);
    const tabId = await openPage(house, sessionId);
    const upstreamTabId = await upstreamOf(tabId);
    browser.before('closeTab', () => {
      for (const tabs of browser.profiles.values()) {
        const at = tabs.findIndex((tab) => really && tab.upstreamTabId === upstreamTabId);
        if (at >= 0) tabs.splice(at, 1);
      }
      lost();
    });
    await failureOf(operate(house, sessionId, { type: 'close_tab', tabId, operationId: 'end' }, agent));
    browser.before('closeTab', () => undefined);
    return { sessionId, tabId };
  };

  test('is applied when the tab is gone, and the row says closed', async () => {
    const closing = await lostClosing(true);
    expect(await resolve(closing)).toBe('applied');
    expect(await listTabs(database.db, closing.sessionId)).toMatchObject([{ id: closing.tabId, status: 'closed' }]);
  });

  test('is not applied only when the tab still answers long after every request has ended', async () => {
    const young = await lostClosing(false);
    expect(await resolve(young)).toBe('unknown');
    expect(await outcomeOf(young.sessionId, 'end')).toBe('unknown');

    const sessionId = await newSession(database.db);
    const tabId = await openPage(house, sessionId);
    const past = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await database.db
      .insertInto('browser_operation')
      .values({
        session_id: sessionId,
        operation_id: 'old',
        type: 'close_tab',
        effect: 'manage',
        state: 'settled',
        outcome: 'unknown',
        caller: 'test',
        session_fence: 1,
        lock_fence: 99,
        holder: 'gone',
        tab_id: tabId,
        dispatched_at: past(3),
        settled_at: past(2),
      })
      .execute();
    expect(await resolve({ sessionId })).toBe('not_applied');
    expect(await listTabs(database.db, sessionId)).toMatchObject([{ status: 'open' }]);
  });
});

test('a resolver only looks: no method that acts was ever called', () => {
  expect(browser.calls.length).toBeGreaterThan(10);
  expect(acted).toEqual([]);
});

describe('a postcondition', () => {
  test('with a secret in it is refused before anything is written or sent', async () => {
    const secret = 'Synth-Secret-0815';
    house.redactor.learn(secret);
    const sessionId = await newSession(database.db);
    const tabId = await openPage(house, sessionId);
    const documentToken = await lookAt(house, sessionId, tabId);
    const bad = [
      { kind: 'text_present', text: `passkey ${secret}` },
      { kind: 'address_is', url: `https://tracker.example/${secret}/announce` },
      { kind: 'address_is', url: 'https://tracker.example/?passkey=1' },
      { kind: 'address_is', url: 'https://ada:lovelace@tracker.example/' },
    ] as const;
    for (const postcondition of bad) {
      const click = { ...clickOn(tabId, documentToken), postcondition };
      expect(await failureOf(operate(house, sessionId, click, agent))).toMatchObject({ code: 'invalid_request' });
    }
    const fine = { ...clickOn(tabId, documentToken), postcondition: text };
    expect(await operate(house, sessionId, fine, agent)).toMatchObject({ outcome: 'applied' });
  });
});
