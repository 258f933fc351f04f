import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseAllowlist, underlying } from '@wheelhouse/contracts';
import { fetch, interceptors } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LookupAll } from './connections.ts';
import { createGuardedDispatcher, createServiceDispatcher, type Dispatcher } from './egress.ts';

let server: Server;
let port: number;
let hits = 0;
let connections = 0;
const open: Dispatcher[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    hits += 1;
    response.setHeader('connection', 'close');
    if (request.url === '/away') response.writeHead(302, { location: `http://127.0.0.2:${port}/secret` });
    response.end('reached');
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => {
  hits = 0;
  connections = 0;
});
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await new Promise((resolve) => server.close(resolve));
});

function track(dispatcher: Dispatcher): Dispatcher {
  open.push(dispatcher);
  return dispatcher;
}

async function ask(dispatcher: Dispatcher, origin: string, path = '/'): Promise<string> {
  const answer = await dispatcher.request({ origin, path, method: 'GET' });
  return answer.body.text();
}

const answering =
  (...answers: string[][]): LookupAll =>
  (_host, _options, callback) => {
    const [answer = []] = answers.length > 1 ? answers.splice(0, 1) : answers;
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
const refused = { code: 'host_not_allowed', outcome: 'not_applied' };

test('a configured service on this host is reached, and nothing beside it', async () => {
  const guard = track(
    createGuardedDispatcher({ services: () => [`http://127.0.0.1:${port}/prefix`, 'ws://127.0.0.1:1'] }),
  );
  expect(await ask(guard, `http://127.0.0.1:${port}`)).toBe('reached');
  await expect(ask(guard, `http://127.0.0.1:${port === 9 ? 10 : 9}`)).rejects.toMatchObject(refused);
  await expect(ask(guard, `http://127.0.0.2:${port}`)).rejects.toMatchObject(refused);
  await expect(ask(guard, `http://localhost:${port}`)).rejects.toMatchObject(refused);
  expect(hits).toBe(1);
});

test('a service that is configured later is reached without a restart', async () => {
  const services: string[] = [];
  const guard = track(createGuardedDispatcher({ services: () => services }));
  await expect(ask(guard, `http://localhost:${port}`)).rejects.toMatchObject(refused);
  services.push(`http://localhost:${port}`);
  expect(await ask(guard, `http://localhost:${port}`)).toBe('reached');
});

test('no spelling of a private address gets through where only public hosts are meant', async () => {
  const guard = track(createGuardedDispatcher({ services: () => [], publicPorts: [port] }));
  const hosts = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '[::1]', '0.0.0.0', '0'];
  hosts.push('169.254.169.254', '[64:ff9b::7f00:1]', '[::7f00:1]', '[2002:7f00:1::]', '10.0.0.1', '100.64.0.1');
  for (const host of hosts) await expect(ask(guard, `http://${host}:${port}`), host).rejects.toMatchObject(refused);
  await expect(ask(guard, 'http://8.8.8.8:25')).rejects.toMatchObject(refused);
  expect(connections).toBe(0);
});

test('a public name that resolves inwards is refused, also when only one of its answers does', async () => {
  for (const answer of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['10.0.0.1'], []]) {
    const guard = track(
      createGuardedDispatcher({ services: () => [], publicPorts: [port], lookup: answering(answer) }),
    );
    await expect(ask(guard, `http://rebind.test:${port}`), answer.join()).rejects.toMatchObject(refused);
  }
  expect(connections).toBe(0);
});

test('the address that was really connected to counts, whatever the resolver said before', async () => {
  let asked = 0;
  const lying = {
    family: 4,
    get address() {
      asked += 1;
      return asked === 1 ? '8.8.8.8' : '127.0.0.1';
    },
  };
  const lookup: LookupAll = (_host, _options, callback) => callback(null, [lying]);
  const guard = track(createGuardedDispatcher({ services: () => [], publicPorts: [port], lookup }));
  await expect(ask(guard, `http://lying.test:${port}`)).rejects.toMatchObject(refused);
  expect([connections, hits]).toEqual([1, 0]);
});

test('a name is checked at every connection, so a later answer cannot lead elsewhere', async () => {
  const guard = track(
    createGuardedDispatcher({
      services: () => [`http://camofox.test:${port}`],
      lookup: answering(['127.0.0.1'], ['169.254.169.254']),
    }),
  );
  expect(await ask(guard, `http://camofox.test:${port}`)).toBe('reached');
  await expect(ask(guard, `http://camofox.test:${port}`)).rejects.toMatchObject(refused);
  expect(hits).toBe(1);
});

test('hosts that an operator lists are reached in public only, unless the very address is listed', async () => {
  const lookup = answering(['127.0.0.1']);
  const reach = (...entries: string[]) =>
    track(createGuardedDispatcher({ allowlist: parseAllowlist(entries), lookup }));
  const origin = `http://bucket.s3.test:${port}`;
  await expect(ask(reach('.s3.test'), origin)).rejects.toMatchObject(refused);
  expect(connections).toBe(0);
  expect(await ask(reach('.s3.test', '127.0.0.1'), origin)).toBe('reached');
  expect(
    await ask(reach('127.0.0.1'), `http://[::ffff:127.0.0.1]:${port}`).catch((error: unknown) => error),
  ).toMatchObject(refused);
  await expect(ask(reach('127.0.0.1'), origin)).rejects.toMatchObject(refused);
  await expect(ask(reach('.s3.test', '127.0.0.2'), origin)).rejects.toMatchObject(refused);
  await expect(ask(reach(), origin)).rejects.toMatchObject(refused);
});

test('a receiver in a private network is reached by its name, and nothing else on that host', async () => {
  const lookup = answering(['127.0.0.1']);
  const guard = track(createGuardedDispatcher({ services: () => [`http://nas.lan:${port}/transmission/rpc`], lookup }));
  expect(await ask(guard, `http://nas.lan:${port}`, '/transmission/rpc')).toBe('reached');
  await expect(ask(guard, `http://nas.lan:${port + 1}`)).rejects.toMatchObject(refused);
  await expect(ask(guard, `https://nas.lan:${port}`)).rejects.toMatchObject(refused);
});

test('a redirect meets the same checks at every hop', async () => {
  const guard = track(createGuardedDispatcher({ services: () => [`http://127.0.0.1:${port}`] }));
  const following = guard.compose(interceptors.redirect({ maxRedirections: 3 }));
  await expect(ask(following, `http://127.0.0.1:${port}`, '/away')).rejects.toMatchObject(refused);
  await expect(fetch(`http://127.0.0.1:${port}/away`, { dispatcher: guard })).rejects.toMatchObject({ cause: refused });
  expect(hits).toBe(2);
});

test('calls to services reach this host, but no metadata service', async () => {
  const guard = track(createServiceDispatcher());
  expect(await ask(guard, `http://127.0.0.1:${port}`)).toBe('reached');
  for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '0.0.0.0']) {
    await expect(ask(guard, `http://${host}:${port}`), host).rejects.toMatchObject(refused);
  }
});

test('a refusal names the host and never the path', async () => {
  const guard = track(createGuardedDispatcher({ services: () => [] }));
  const error: unknown = await ask(guard, `http://tracker.test:${port}`, '/rss?passkey=pk-4f1d9c').catch(
    (one: unknown) => one,
  );
  expect(error).toMatchObject({ host: `tracker.test:${port}` });
  expect(JSON.stringify(error) + String(error)).not.toContain('passkey');
  expect(underlying(error as Parameters<typeof underlying>[0])).toBeUndefined();
});
