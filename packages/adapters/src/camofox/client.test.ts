import { createServer, type RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { type CallContext, parseAllowlist, underlying } from '@wheelhouse/contracts';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CamofoxClient, type CamofoxRequest } from './client.ts';

const shape = z.object({ ok: z.boolean() });
const look = { method: 'GET', path: '/tabs/t1/snapshot', query: { userId: 'wh-secret-user' }, kind: 'look' } as const;
const act = { method: 'POST', path: '/act', body: { text: 'Zanzibar-4711' }, kind: 'act' } as const;

function within(ms: number, maxBytes = 10_000): CallContext {
  return {
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + ms),
    allowlist: parseAllowlist([]),
    maxBytes,
    resolveSecret: async () => 'none',
  };
}

async function serve(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const dispatcher = new Agent();
  const client = new CamofoxClient({
    baseUrl: `http://127.0.0.1:${port}/behind/`,
    dispatcher,
    accessKey: async () => 'access-key-Zanzibar',
    apiKey: async () => undefined,
  });
  return {
    client,
    port,
    [Symbol.asyncDispose]: async () => {
      await dispatcher.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

const failing = (client: CamofoxClient, request: CamofoxRequest, context: CallContext) =>
  client.json(request, shape, context).then(
    () => expect.unreachable('the call succeeded'),
    (failure: unknown) => failure,
  );

describe('calls to the server', () => {
  test('S004-28 the key is sent, under the path of the server', async () => {
    const seen: unknown[] = [];
    await using server = await serve((request, response) => {
      seen.push(request.url, request.headers.authorization);
      response.end('{"ok":true}');
    });
    await server.client.json(look, shape, within(5_000));
    expect(seen).toEqual(['/behind/tabs/t1/snapshot?userId=wh-secret-user', 'Bearer access-key-Zanzibar']);
  });

  test.each([
    ['nobody listens', look, undefined],
    ['nobody listens', act, 'not_applied'],
  ] as const)('%s: nothing left this host', async (_what, request, outcome) => {
    const server = await serve(() => undefined);
    await server[Symbol.asyncDispose]();
    const client = new CamofoxClient({
      baseUrl: `http://127.0.0.1:${server.port}`,
      dispatcher: new Agent(),
      accessKey: async () => undefined,
      apiKey: async () => undefined,
    });
    expect(await failing(client, request, within(5_000))).toMatchObject({
      code: 'upstream_unreachable',
      outcome,
      retryable: true,
    });
  });

  test.each([
    [
      'breaks off before the answer',
      'answer_lost',
      (...[, response]: Parameters<RequestListener>) => response.destroy(),
    ],
    [
      'breaks off in the answer',
      'answer_lost',
      (...[, response]: Parameters<RequestListener>) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"ok"', () => response.destroy());
      },
    ],
    ['never answers', 'deadline', () => undefined],
    [
      'answers too much',
      'too_large',
      (...[, response]: Parameters<RequestListener>) => void response.end(`{"ok":true,"x":"${'x'.repeat(20_000)}"}`),
    ],
    [
      'answers a page',
      'unexpected_shape',
      (...[, response]: Parameters<RequestListener>) => void response.end('<html>'),
    ],
    [
      'answers another shape',
      'unexpected_shape',
      (...[, response]: Parameters<RequestListener>) => void response.end('{"ok":"yes"}'),
    ],
  ] as const)(
    'S001-o5 a server that %s: unknown after an action, nothing after a look',
    async (_what, code, answer) => {
      await using server = await serve(answer);
      expect(await failing(server.client, act, within(300))).toMatchObject({
        code,
        outcome: 'unknown',
        retryable: false,
      });
      expect(await failing(server.client, look, within(300))).toMatchObject({ code, outcome: undefined });
    },
  );

  test('S004-22 a body without end is cut at the bound, not collected', async () => {
    let written = 0;
    await using server = await serve((_request, response) => {
      const more = () => {
        if (response.destroyed) return;
        written += 64 * 1024;
        response.write(Buffer.alloc(64 * 1024), more);
      };
      more();
    });
    expect(await failing(server.client, look, within(5_000, 1_000))).toMatchObject({ code: 'too_large' });
    expect(written).toBeLessThan(8 * 1024 * 1024);
  });

  test.each([0, -1_000])('with %i ms left nothing is sent', async (ms) => {
    let calls = 0;
    await using server = await serve((_request, response) => {
      calls += 1;
      response.end('{"ok":true}');
    });
    expect(await failing(server.client, act, within(ms))).toMatchObject({ code: 'deadline', outcome: 'not_applied' });
    expect(calls).toBe(0);
  });

  test('S004-29 S004-30 no failure names a user, a key, a query or what was typed', async () => {
    await using server = await serve((...[, response]) => response.destroy());
    for (const request of [look, act]) {
      const failure = await failing(server.client, request, within(2_000));
      const told = inspect(failure, { depth: 10 }) + JSON.stringify(failure) + inspect(underlying(failure as never));
      for (const secret of ['wh-secret-user', 'Zanzibar', '?']) expect(told).not.toContain(secret);
    }
  });
});
