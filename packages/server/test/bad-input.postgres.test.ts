import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine, type CommandLine } from './command-line.ts';

let cli: CommandLine;
beforeAll(() => {
  cli = commandLine();
});
afterAll(() => cli[Symbol.dispose]());

const file = (name: string, text: string) => {
  const path = join(cli.home, name);
  writeFileSync(path, text);
  return path;
};

describe('a wrong call gets one sentence that says what to do, and exit code 2', () => {
  const siteFile = () => file('broken.yml', 'id: broken\nname: Broken\nlinks:\n  - [a\n');
  test.concurrent.each([
    { name: 'an unknown site', args: () => ['troubleshoot', 'nosuchsite'], says: /no definition called nosuchsite/ },
    {
      name: 'broken YAML, with file and line',
      args: () => ['troubleshoot', siteFile()],
      says: /broken\.yml:\d+: not YAML/,
    },
    {
      name: 'a definition without links, with its line',
      args: () => ['troubleshoot', file('shape.yml', 'id: shape\nname: S\nlinks: []\nsearch: {}\n')],
      says: /shape\.yml:3: links/,
    },
    { name: 'a mistyped command', args: () => ['troubelshoot'], says: /Did you mean troubleshoot\?/ },
    { name: 'a mistyped option', args: () => ['doctor', '--jsn'], says: /unknown option/ },
    {
      name: 'a key in the clear',
      args: () => ['providers', 'add', 'x', '--url', 'http://127.0.0.1:1', '--key', 'abc'],
      says: /never the key itself/,
    },
    {
      name: 'an address of another scheme',
      args: () => ['providers', 'add', 'x', '--url', 'ftp://127.0.0.1'],
      says: /http or https/,
    },
    { name: 'a folder that is not there', args: () => ['definitions', 'check', '/nowhere'], says: /cannot be read/ },
    {
      name: 'a typo in the configuration, with its line',
      args: () => ['doctor', '--config', file('bad.yml', 'definitions: []\nsites:\n  a:\n    definitoin: x\n')],
      says: /bad\.yml:\d+/,
      exitCode: 3,
      stream: 'stdout',
    },
  ] as const)('$name', async ({ args, says, ...other }) => {
    const run = await cli.run(args());
    const { exitCode, stream } = { exitCode: 2, stream: 'stderr' as const, ...other };
    expect(run[stream]).toMatch(says);
    expect(run.exitCode).toBe(exitCode);
  });

  test('with --json the error is one line of JSON with code and advice', async () => {
    const run = await cli.run(['troubleshoot', 'nosuchsite', '--json']);
    expect(run.json()).toMatchObject({
      ok: false,
      error: { code: 'site_not_found', next: expect.stringMatching(/definition/) },
    });
    expect(run.stderr).toBe('');
  });
});

describe('an environment that is not fit is named, and exit code 3', () => {
  test('a database that is down', async () => {
    const run = await cli.run(['migrate', '--json'], { DATABASE_URL: 'postgres://u:s3cr3t-pw@127.0.0.1:9/x' });
    expect(run.exitCode).toBe(3);
    expect(run.json()).toMatchObject({ error: { code: 'database_unreachable' } });
    expect(run.stdout + run.stderr).not.toContain('s3cr3t-pw');
  });

  test('a browser service that does not answer; nothing of it is kept as known', async () => {
    await cli.run(['providers', 'add', 'dead', '--url', 'http://127.0.0.1:9']);
    const run = await cli.run(['providers', 'check', 'dead']);
    expect(run.stderr).toMatch(/no browser service answers at http:\/\/127\.0\.0\.1:9/);
    expect(run.exitCode).toBe(3);
    const list = await cli.run(['providers', 'list', '--json']);
    expect(list.json()).toMatchObject({ providers: [{ name: 'dead', healthStatus: 'down', capabilities: null }] });
  });

  test('a service of an unknown version', async () => {
    const answers: Record<string, unknown> = {
      '/health': { ok: true, browserRunning: true },
      '/openapi.json': { info: { version: '0.9.1' }, paths: {} },
    };
    const old = createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.statusCode = answer === undefined ? 404 : 200;
      response.setHeader('content-type', answer === undefined ? 'text/html' : 'application/json');
      response.end(answer === undefined ? 'Cannot find it' : JSON.stringify(answer));
    });
    await new Promise<void>((done) => old.listen(0, '127.0.0.1', done));
    const address = old.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await cli.run(['providers', 'add', 'old', '--url', `http://127.0.0.1:${port}`]);
    const run = await cli.run(['providers', 'check', 'old']);
    old.close();
    expect(run.stderr).toMatch(/0\.9\.1\) has no .*camofox-browser 1\.14 to 1\.17 is supported/);
    expect(run.exitCode).toBe(3);
  });

  test('a key that is not set', async () => {
    await cli.run(['providers', 'add', 'keyed', '--url', 'http://127.0.0.1:9', '--key', 'env:NO_SUCH_KEY']);
    const run = await cli.run(['providers', 'check', 'keyed']);
    expect(run.stderr).toMatch(/NO_SUCH_KEY is not set/);
    expect(run.exitCode).toBe(2);
  });
});

test('doctor shows all of it at once', async () => {
  const run = await cli.run(['doctor', '--json']);
  expect(run.json()).toMatchObject({
    findings: expect.arrayContaining([
      expect.objectContaining({ what: 'Node', ok: true }),
      expect.objectContaining({
        what: 'database',
        ok: true,
        found: expect.stringMatching(/Postgres 18\.\d+, embedded/),
      }),
    ]),
  });
});

test('in a pipe there are no colours and no cursor escapes', async () => {
  const run = await cli.run(['providers', 'list']);
  expect(run.stdout + run.stderr).not.toMatch(/\u001b/);
  expect(run.exitCode).toBe(0);
});
