import { randomUUID } from 'node:crypto';
import {
  type ActContext,
  BrowserError,
  type BrowserProvider,
  parseAllowlist,
  ProfileKey,
  SessionId,
} from '@wheelhouse/contracts';
import { type MockCamofox, type MockCamofoxOptions, startMockCamofox } from '@wheelhouse/testkit';
import { describe, expect, test } from 'vitest';
import { createCamofoxProvider, createRedactor, createServiceDispatcher } from '../src/index.ts';

const site = 'http://site.example';

function call(): ActContext {
  return {
    signal: AbortSignal.timeout(20_000),
    deadline: new Date(Date.now() + 20_000),
    allowlist: parseAllowlist(['site.example']),
    maxBytes: 16 * 1024 * 1024,
    resolveSecret: async () => 'Zanzibar-Teapot-4711',
    dispatched: async () => undefined,
  };
}

async function start(options: MockCamofoxOptions & { readonly key?: string; readonly maxTabs?: number } = {}) {
  const mock = await startMockCamofox({ timeScale: 0.02, ...options });
  const dispatcher = createServiceDispatcher();
  const provider = createCamofoxProvider({
    baseUrl: mock.origin,
    dispatcher,
    redactor: createRedactor(),
    accessKey: async () => options.key ?? mock.accessKey ?? undefined,
    apiKey: async () => mock.apiKey ?? undefined,
    ...(options.maxTabs === undefined ? {} : { maxTabs: options.maxTabs }),
  });
  mock.page(`${site}/`, {
    title: 'Start',
    elements: [
      { role: 'button', name: 'Go', id: 'go' },
      { role: 'button', name: 'Covered', id: 'covered', coveredBy: 'over' },
      { role: 'button', name: 'Over', id: 'over' },
      { role: 'textbox', name: 'Title', id: 'title' },
    ],
  });
  const session = { sessionId: SessionId.parse(randomUUID()), profileKey: ProfileKey.parse('wh-adapter-test') };
  return {
    mock,
    provider,
    session,
    stop: async () => {
      await dispatcher.destroy();
      await mock.stop();
    },
    [Symbol.asyncDispose]: async () => {
      await dispatcher.destroy();
      await mock.stop();
    },
  };
}

async function opened({ provider, session }: Awaited<ReturnType<typeof start>>) {
  const { upstreamTabId } = await provider.openTab(session, call());
  const tab = { ...session, upstreamTabId };
  await provider.navigate(tab, `${site}/`, call());
  return tab;
}

async function target(provider: BrowserProvider, tab: Awaited<ReturnType<typeof opened>>, name: string) {
  const { elements } = await provider.look(tab, call());
  const found = elements.find((one) => one.name === name);
  if (found === undefined) throw new BrowserError('internal', `the page shows no ${name}`);
  return { ref: found.ref, fingerprint: found.fingerprint, origin: `${site}:80` };
}

/** What the adapter asked of the server, without addresses of tabs. */
const routes = (mock: MockCamofox) =>
  mock.calls().map(({ method, path }) => `${method} ${path.replace(/\/tabs\/[^/]+/, '/tabs/…')}`);

describe('what is asked of the server', () => {
  test('S000-25 neither its refs nor its click with a fallback are ever used, and nothing is consumed', async () => {
    await using server = await start();
    const { provider, mock } = server;
    const tab = await opened(server);
    await provider.click(tab, { ...(await target(provider, tab, 'Go')), double: false }, call());
    const text = { kind: 'text', text: 'x' } as const;
    await provider.type(tab, { ...(await target(provider, tab, 'Title')), input: text, submit: false }, call());
    await provider.listDownloads(tab, call());
    const asked = JSON.stringify(mock.calls());
    expect(asked).not.toMatch(/"ref"|consume/);
    expect(routes(mock)).not.toContain('POST /tabs/…/click');
    expect(mock.presses('go')).toBe(1);
  });

  test('a covered button: neither it nor what lies over it is pressed', async () => {
    await using server = await start();
    const { provider, mock } = server;
    const tab = await opened(server);
    const click = provider.click(tab, { ...(await target(provider, tab, 'Covered')), double: false }, call());
    await expect(click).rejects.toMatchObject({ code: 'not_actionable', outcome: undefined });
    expect([mock.presses('covered'), mock.presses('over')]).toEqual([0, 0]);
  });

  test('S000-66 a tab too many is refused, where the server would close another without a word', async () => {
    await using server = await start({ maxTabs: 2 });
    const { provider, session, mock } = server;
    await provider.openTab(session, call());
    await provider.openTab(session, call());
    const third = provider.openTab(session, call());
    await expect(third).rejects.toMatchObject({ code: 'capacity', outcome: 'not_applied' });
    expect(mock.tabs('wh-adapter-test')).toHaveLength(2);
  });
});

describe.each(['1.17', '1.14'] as const)('a server that comes and goes (%s)', (version) => {
  test('S004-68 the page of a browser that died is not an empty page', async () => {
    await using server = await start({ version });
    const { provider, mock } = server;
    const tab = await opened(server);
    mock.killBrowser();
    const look = provider.look(tab, call());
    await expect(look).rejects.toMatchObject({
      code: expect.stringMatching(/browser_dead|tab_lost/),
      outcome: undefined,
    });
  });

  test('S004-68 after a restart an old tab is lost, and nothing was done on it', async () => {
    await using server = await start({ version });
    const { provider, mock } = server;
    const tab = await opened(server);
    const go = await target(provider, tab, 'Go');
    mock.restartBrowser();
    await expect(provider.click(tab, { ...go, double: false }, call())).rejects.toMatchObject({
      code: 'tab_lost',
      outcome: undefined,
    });
    const visit = provider.navigate(tab, `${site}/`, call());
    await expect(visit).rejects.toMatchObject({ code: 'tab_lost', outcome: 'not_applied' });
    expect(mock.presses('go')).toBe(0);
  });

  test('S004-51 a session that the server put away is lost, and can be opened anew', async () => {
    await using server = await start({ version });
    const { provider, mock, session } = server;
    const tab = await opened(server);
    mock.expireSession(session.profileKey);
    await expect(provider.look(tab, call())).rejects.toMatchObject({ code: 'tab_lost' });
    await expect(provider.openTab(session, call())).resolves.toMatchObject({ outcome: 'applied' });
  });
});

describe('S004-44 health and S004-45 capabilities', () => {
  test('a server that runs', async () => {
    await using server = await start();
    expect(await server.provider.health(call())).toMatchObject({
      status: 'ok',
      version: '1.17.0',
      browserRunning: true,
    });
  });

  test('one whose browser has not started yet is well', async () => {
    await using server = await start({ browserStarted: false });
    expect(await server.provider.health(call())).toMatchObject({ status: 'ok', browserRunning: false });
  });

  test('S004-70 one that nobody can reach is down, which is an answer', async () => {
    const server = await start();
    await server.mock.stop();
    expect(await server.provider.health(call())).toMatchObject({
      status: 'down',
      note: expect.stringContaining('no browser service answers'),
    });
  });

  test('one that does not take our key says so, without the key', async () => {
    await using server = await start({ accessKey: 'right-key', key: 'wrong-key' });
    const health = await server.provider.health(call());
    expect(health).toMatchObject({ status: 'degraded', note: 'it does not accept the access key' });
    await expect(server.provider.capabilities(call())).rejects.toMatchObject({ code: 'upstream_auth' });
    expect(JSON.stringify(health)).not.toContain('wrong-key');
  });

  test('S004-09 1.14 lacks what it lacks', async () => {
    await using server = await start({ version: '1.14' });
    const found = await server.provider.capabilities(call());
    expect(found).toMatchObject({ upstreamVersion: '1.14.0', interact: { supported: true, source: 'probed' } });
    expect(found.interact.note).toContain('cannot be selected');
  });

  test('a version that nobody tried is used, and said to be untried', async () => {
    await using server = await start();
    server.mock.fault({ match: { path: '/openapi.json' }, kind: 'wrong-json', body: { info: { version: '2.3.0' } } });
    const { sessions } = await server.provider.capabilities(call());
    expect(sessions).toMatchObject({ supported: true, note: 'version 2.3.0 was never tried; 1.14 to 1.17 were' });
  });

  test('a server without the routes that everything needs is refused by name', async () => {
    await using server = await start();
    server.mock.fault({ match: { path: '/act' }, kind: 'html-error', status: 404 });
    await expect(server.provider.capabilities(call())).rejects.toMatchObject({
      code: 'unsupported_version',
      message: 'this server (1.17.0) has no POST /act; camofox-browser 1.14 to 1.17 is supported',
    });
  });
});

describe('S004-38 secrets', () => {
  test('a secret is told to the server in one request, and to nobody else', async () => {
    await using server = await start();
    const { provider, mock } = server;
    const tab = await opened(server);
    const input = { kind: 'secret', ref: 'env:X' as never } as const;
    await provider.type(tab, { ...(await target(provider, tab, 'Title')), input, submit: false }, call());
    const told = mock.calls().filter((one) => JSON.stringify(one).includes('Zanzibar'));
    expect(told.map(({ path }) => path)).toEqual(['/act']);
    expect((await provider.look(tab, call())).text).not.toContain('Zanzibar');
  });

  test('a secret that cannot be resolved touches nothing', async () => {
    await using server = await start();
    const { provider, mock } = server;
    const tab = await opened(server);
    const title = await target(provider, tab, 'Title');
    const before = mock.calls().length;
    const act = { ...call(), resolveSecret: async () => Promise.reject(new Error('no such secret')) };
    const input = { kind: 'secret', ref: 'env:X' as never } as const;
    await expect(provider.type(tab, { ...title, input, submit: false }, act)).rejects.toThrow('no such secret');
    expect(routes(mock).slice(before)).not.toContain('POST /act');
  });
});
