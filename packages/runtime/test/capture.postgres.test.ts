import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { BrowserError, type Grant, OperationId, profileKeyOf, SecretRef, type SessionId } from '@wheelhouse/contracts';
import { type FixtureSite, type MockCamofox, startFixtureSite, startMockCamofox } from '@wheelhouse/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntime, type Delivery, type Runtime, type Sink } from '../src/index.ts';

let home: string;
let mock: MockCamofox;
let site: FixtureSite;
let runtime: Runtime;
const grant: Grant = { caller: 'test', classes: ['observe', 'navigate', 'interact', 'manage'], siteSelectors: false };

/** A receiver that can be away, and remembers what it took. */
const receiver = { isAway: false, refuses: false, taken: new Map<string, number>(), order: [] as string[] };
const sink: Sink = {
  name: 'ingest',
  deliver: async (delivery: Delivery) => {
    if (receiver.isAway) throw new BrowserError('sink_unreachable', 'away');
    if (receiver.refuses) throw new BrowserError('sink_refused', 'no thank you');
    const bytes = await buffer(await delivery.open());
    const known = receiver.taken.has(delivery.idempotencyKey);
    receiver.taken.set(delivery.idempotencyKey, bytes.length);
    receiver.order.push(delivery.artifact.filename);
    return known ? 'known' : 'taken';
  },
};

async function openRuntime(): Promise<Runtime> {
  return createRuntime({
    database: { embeddedIn: join(home, 'postgres') },
    secrets: { environment: { MOCK_KEY: 'mock-key-0123456789' } },
    log: { info: () => undefined, warn: () => undefined },
    files: { folder: join(home, 'files'), sinks: [sink], quotaBytes: 200 * 1024 * 1024 },
  });
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'wheelhouse-capture-'));
  mock = await startMockCamofox({ accessKey: 'mock-key-0123456789', pages: 'http' });
  site = await startFixtureSite();
  runtime = await openRuntime();
  await runtime.providers.add({
    name: 'mock',
    kind: 'camofox',
    baseUrl: mock.origin,
    secretRef: SecretRef.parse('env:MOCK_KEY'),
    allowlist: ['127.0.0.1'],
  });
});
afterAll(async () => {
  await runtime.close();
  await mock[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

let accounts = 0;
const id = (word: string) => OperationId.parse(`${word}-${randomUUID()}`);

async function openTab(downloadPolicy: 'block' | 'capture' = 'capture') {
  accounts += 1;
  const provider = await runtime.providers.get('mock');
  const { session } = await runtime.sessions.open(
    {
      providerId: provider.id,
      operationId: id('open'),
      downloadPolicy,
      profileKey: profileKeyOf('site', `a${accounts}`),
    },
    grant,
  );
  const { value } = await runtime.operate<'open_tab'>(
    session.id,
    { type: 'open_tab', operationId: id('tab') },
    { grant },
  );
  return { sessionId: session.id, tabId: value.tabId };
}

type Tab = Awaited<ReturnType<typeof openTab>>;

const go = (tab: Tab, url: string, of = id('go')) =>
  runtime.operate<'navigate'>(
    tab.sessionId,
    { type: 'navigate', tabId: tab.tabId, url, operationId: of, mayDownload: true },
    { grant },
  );
const capture = async (tab: Tab, of: OperationId, more: { waitMs?: number; maxBytes?: number } = {}) =>
  (
    await runtime.operate<'capture'>(
      tab.sessionId,
      { type: 'capture', tabId: tab.tabId, operationId: id('capture'), of, ...more },
      { grant },
    )
  ).value;
/** Loads a file of the fixture site and captures what came. */
async function grab(path: string, more: { waitMs?: number; maxBytes?: number } = {}) {
  const tab = await openTab();
  const of = id('go');
  await go(tab, `${site.origin}${path}`, of);
  return { tab, of, captured: await capture(tab, of, more) };
}
const torrentPath = (at: number) => `/download.php?id=${site.torrents[at]?.id}&passkey=${site.account.passkey}`;
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (BrowserError.is(error) ? error.code : String(error)),
  );
const events = async (sessionId: SessionId) => (await runtime.sessions.operations(sessionId)).map(({ type }) => type);

describe('a captured file', () => {
  test('S004-67 is what the site sent, byte by byte, verified, sealed, and delivered once', async () => {
    const { captured } = await grab(torrentPath(0));
    const torrent = site.torrents[0]!;
    expect(captured).toMatchObject({ state: 'done', mayHaveLost: false });
    const [file] = captured.files;
    expect(file).toMatchObject({ state: 'captured', filename: torrent.fileName });
    expect(file?.artifact).toMatchObject({
      mimeType: 'application/x-bittorrent',
      sha256: torrent.sha256,
      bytes: { kind: 'secret' },
      modelSafe: false,
    });
    const bytes = await buffer(await runtime.files.open(file?.artifact?.id ?? ''));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(torrent.sha256);
    const stored = await runtime.files.get(file?.artifact?.id ?? '');
    expect(stored).toMatchObject({
      infoHashV1: torrent.infoHashV1,
      deliveries: [{ sink: 'ingest', status: 'pending' }],
    });
    const kept = readdirSync(join(home, 'files'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(home, 'files', name))
      .filter((path) => statSync(path).isFile());
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.filter((path) => readFileSync(path).includes(site.account.passkey))).toEqual([]);
    expect(await runtime.files.deliver()).toMatchObject({ delivered: 1 });
    expect(receiver.taken.get(`btih:${torrent.infoHashV1}`)).toBe(bytes.length);
    expect(await runtime.files.deliver()).toEqual({ delivered: 0, failed: 0, dead: 0 });
  });

  test('captured again from another account is one file and one delivery', async () => {
    const first = await grab(torrentPath(1));
    const second = await grab(torrentPath(1));
    expect(first.captured.files[0]?.artifact?.id).not.toBe(second.captured.files[0]?.artifact?.id);
    expect(first.captured.files[0]?.artifact?.bytes).toEqual(second.captured.files[0]?.artifact?.bytes);
    expect(await runtime.files.deliver()).toMatchObject({ delivered: 1 });
  });

  test('asked for twice is found, not captured again', async () => {
    const { tab, of, captured } = await grab(torrentPath(2));
    const again = await capture(tab, of);
    expect(again.files[0]?.artifact?.id).toBe(captured.files[0]?.artifact?.id);
    expect(await events(tab.sessionId)).toContain('capture');
  });

  test('S001-28 a name that tries to leave the folder is a plain name', async () => {
    const { captured } = await grab('/lab/download/traversal');
    expect(captured.files[0]?.filename).not.toMatch(/[/\\]|\.\.|\u202e/);
    expect(captured.files[0]?.state).toBe('captured');
  });

  test('can be written out once, whole, and never over another file', async () => {
    const { captured } = await grab('/lab/download/small');
    const file = captured.files[0]?.artifact?.id ?? '';
    const path = join(home, 'out.txt');
    await runtime.files.export(file, path);
    expect(readFileSync(path, 'utf8')).toBe('fixture\n');
    expect(await codeOf(runtime.files.export(file, path))).toBe('invalid_request');
    expect(await codeOf(runtime.files.export(file, join(home, 'no', 'out.txt')))).toBe('invalid_request');
    expect(await codeOf(runtime.files.export(randomUUID(), join(home, 'other.txt')))).toBe('artifact_not_found');
    expect(existsSync(join(home, 'other.txt'))).toBe(false);
  });
});

describe('what is no file', () => {
  test('an empty torrent is invalid, with the reason', async () => {
    const { captured } = await grab('/lab/download/empty');
    expect(captured.files).toMatchObject([{ state: 'invalid', errorCode: 'download_invalid', artifact: null }]);
    expect(captured.files[0]?.reason).toContain('empty');
  });

  test('a file over the bound is given up, and nothing of it stays', async () => {
    const { captured } = await grab('/lab/download/large', { maxBytes: 1024 * 1024 });
    expect(captured.files).toMatchObject([{ state: 'lost', errorCode: 'too_large' }]);
    expect(readdirSync(join(home, 'files', 'arriving'))).toEqual([]);
  });

  test('a page that downloads nothing leaves the window open for a slow file, and blocks no other tab', async () => {
    const { captured, tab, of } = await grab('/lab/downloads', { waitMs: 300 });
    expect(captured).toEqual({ files: [], state: 'open', mayHaveLost: false });
    expect(await codeOf(go(tab, `${site.origin}/lab/downloads`))).toBe('capture_open');
    expect((await capture(tab, of, { waitMs: 0 })).state).toBe('open');
  });

  test('a session that blocks downloads refuses, and nothing was sent', async () => {
    const tab = await openTab('block');
    const before = site.effects().downloads;
    expect(await codeOf(go(tab, `${site.origin}${torrentPath(3)}`))).toBe('download_blocked');
    expect(site.effects().downloads).toEqual(before);
    expect((await runtime.sessions.operations(tab.sessionId)).at(-1)).toMatchObject({ outcome: 'not_applied' });
  });

  test('a window that was never opened is named', async () => {
    const tab = await openTab();
    expect(await codeOf(capture(tab, id('nobody')))).toBe('capture_not_found');
  });

  test('files of a tab that is gone are told as lost', async () => {
    const tab = await openTab();
    const of = id('go');
    await go(tab, `${site.origin}${torrentPath(4)}`, of);
    for (const upstream of mock.tabs(profileKeyOf('site', `a${accounts}`))) mock.evict(upstream);
    expect(await codeOf(capture(tab, of))).toBe('tab_lost');
    expect(await codeOf(capture(tab, of))).toBe('tab_lost');
  });
});

describe('a delivery', () => {
  test('waits for a receiver that is away, in order, and drops nothing', async () => {
    await runtime.files.deliver();
    receiver.isAway = true;
    const tab = await openTab();
    for (const at of [5, 6, 7]) {
      // The browser service counts a file as a failed navigation, and three in a row cost the account all its tabs.
      const page = {
        type: 'navigate',
        tabId: tab.tabId,
        url: `${site.origin}/lab/downloads`,
        operationId: id('page'),
      } as const;
      await runtime.operate<'navigate'>(tab.sessionId, page, { grant });
      const of = id('go');
      await go(tab, `${site.origin}${torrentPath(at)}`, of);
      expect((await capture(tab, of)).files).toMatchObject([{ state: 'captured' }]);
    }
    receiver.order = [];
    expect(await runtime.files.deliver()).toMatchObject({ delivered: 0, failed: 1 });
    receiver.isAway = false;
    await expect
      .poll(
        async () => {
          await runtime.files.deliver();
          return receiver.order;
        },
        { timeout: 10_000, interval: 200 },
      )
      .toEqual([5, 6, 7].map((at) => site.torrents[at]?.fileName));
  });

  test('that is refused is given up at once, told why, and taken up by a replay', async () => {
    await runtime.files.deliver();
    receiver.refuses = true;
    const { captured } = await grab(torrentPath(8));
    expect(await runtime.files.deliver()).toMatchObject({ dead: 1 });
    const file = captured.files[0]?.artifact?.id ?? '';
    expect((await runtime.files.get(file)).deliveries).toMatchObject([{ status: 'dead', reason: 'no thank you' }]);
    expect(await runtime.files.dead()).toHaveLength(1);
    receiver.refuses = false;
    expect(await runtime.files.deliver()).toMatchObject({ delivered: 0 });
    expect(await runtime.files.replay({ artifactId: file })).toBe(1);
    expect(await runtime.files.deliver()).toMatchObject({ delivered: 1 });
  });
});
