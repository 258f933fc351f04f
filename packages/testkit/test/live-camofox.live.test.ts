import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type LiveCamofox, startLiveCamofox } from '../src/live-camofox/index.ts';

const Health = z.object({ browserRunning: z.boolean() });
const Tab = z.object({ tabId: z.string() });

function caller(live: Pick<LiveCamofox, 'origin' | 'accessKey'>) {
  return async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(live.origin + path, {
      method,
      headers: {
        ...(live.accessKey === null ? {} : { authorization: `Bearer ${live.accessKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      body: /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : text,
    };
  };
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the real server over the browser of this machine', () => {
  let live: LiveCamofox;
  let site: Server;
  let origin: string;
  beforeAll(async () => {
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<title>Here</title><h1>Hello</h1><button onclick="document.title=\'pressed\'">Go</button>');
    });
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    const address = site.address();
    origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    live = await startLiveCamofox();
  });
  afterAll(async () => {
    await live?.stop();
    site?.close();
  });

  test('a page can be loaded, read and pressed', async () => {
    const call = caller(live);
    const { tabId } = Tab.parse((await call('POST', '/tabs', { userId: 'a', sessionKey: 's' })).body);
    const there = await call('POST', `/tabs/${tabId}/navigate`, { userId: 'a', url: `${origin}/` });
    expect(there).toMatchObject({ status: 200, body: { ok: true, httpStatus: 200, navigationOk: true } });
    const look = await call('GET', `/tabs/${tabId}/snapshot?userId=a`);
    expect(look.body).toMatchObject({ snapshot: '- heading "Hello" [level=1]\n- button "Go" [e1]' });
    await call('POST', '/act', {
      userId: 'a',
      targetId: tabId,
      kind: 'click',
      selector: 'role=button[name="Go"] >> nth=0',
    });
    const read = await call('POST', `/tabs/${tabId}/evaluate`, { userId: 'a', expression: 'document.title' });
    expect(read).toEqual({ status: 200, body: { ok: true, result: 'pressed' } });
  });

  test('the browser never leaves this machine', async () => {
    const call = caller(live);
    const { tabId } = Tab.parse((await call('POST', '/tabs', { userId: 'b', sessionKey: 's' })).body);
    for (const url of ['http://site.example/', 'http://192.0.2.1/']) {
      const gone = await call('POST', `/tabs/${tabId}/navigate`, { userId: 'b', url });
      expect(gone.status).toBe(500);
      expect(JSON.stringify(gone.body)).toMatch(/ERR_NAME_NOT_RESOLVED|ERR_PROXY|NS_ERROR_PROXY/);
    }
  });

  test('the browser can be killed alone, and comes back with the next tab', async () => {
    const call = caller(live);
    await live.killBrowser();
    await expect.poll(async () => Health.parse((await call('GET', '/health')).body).browserRunning).toBe(false);
    const again = await call('POST', '/tabs', { userId: 'c', sessionKey: 's' });
    expect(again.status).toBe(200);
  });

  test('after a restart it answers at the same address', async () => {
    const before = live.pid();
    await live.restart();
    expect(live.pid()).not.toBe(before);
    expect((await caller(live)('GET', '/tabs?userId=a')).body).toEqual({ running: true, tabs: [] });
  });

  test('a second one beside it has its own port, key and files, and leaves nothing behind', async () => {
    const second = await startLiveCamofox({ version: '1.14' });
    const { pid, logPath } = { pid: second.pid(), logPath: second.logPath };
    expect(second.version).toBe('1.14.0');
    expect(second.port).not.toBe(live.port);
    expect((await caller({ ...second, accessKey: live.accessKey })('GET', '/tabs')).status).toBe(401);
    await second.stop();
    await second.stop();
    expect([alive(pid), existsSync(logPath)]).toEqual([false, false]);
  });
});

test('a taken port is named, instead of ninety seconds of waiting', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(startLiveCamofox({ port })).rejects.toMatchObject({ code: 'environment', message: /taken/ });
  other.close();
});

test('a browser that is not there is named', async () => {
  await expect(startLiveCamofox({ browser: '/nowhere/firefox' })).rejects.toMatchObject({ code: 'environment' });
});

test('server and browser end when whoever started them is killed', async () => {
  const main = fileURLToPath(new URL('../src/live-camofox/main.ts', import.meta.url));
  const loader = new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;
  const parent = spawn(process.execPath, ['--conditions=@wheelhouse/source', '--import', loader, main], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await new Promise<[string]>((done) =>
    createInterface(parent.stdout).once('line', (text) => done([text])),
  );
  const Line = z.object({ pid: z.int(), logPath: z.string() });
  const { pid, logPath } = Line.parse(JSON.parse(line));
  const browser = Number(readFileSync(logPath.replace('server.log', 'browser.pids'), 'utf8').split('\n')[0]);
  expect([alive(pid), alive(browser)]).toEqual([true, true]);
  parent.kill('SIGKILL');
  for (let i = 0; i < 100 && (alive(pid) || alive(browser)); i += 1) await sleep(50);
  expect([alive(pid), alive(browser)]).toEqual([false, false]);
});
