import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretRef } from '@wheelhouse/contracts';
import {
  type FixtureSite,
  type FixtureSiteOptions,
  type MockCamofox,
  startFixtureSite,
  startMockCamofox,
} from '@wheelhouse/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRuntime, loadDefinition, type Runtime, type TroubleshootReport } from '../src/index.ts';

let home: string;
let mock: MockCamofox;
let runtime: Runtime;
const environment: Record<string, string> = { MOCK_KEY: 'mock-key-0123456789' };

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'wheelhouse-troubleshoot-'));
  mock = await startMockCamofox({ accessKey: environment['MOCK_KEY'] ?? '', pages: 'http' });
  runtime = await createRuntime({
    database: { embeddedIn: join(home, 'postgres') },
    secrets: { environment },
    log: { info: () => undefined, warn: () => undefined },
  });
  await runtime.providers.add({
    name: 'mock',
    kind: 'camofox',
    baseUrl: mock.origin,
    secretRef: SecretRef.parse('env:MOCK_KEY'),
    allowlist: [],
  });
});
afterAll(async () => {
  await runtime.close();
  await mock[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

interface Case {
  readonly family?: FixtureSiteOptions['family'];
  readonly switches?: FixtureSiteOptions['switches'];
  readonly login?: 'form' | 'post' | 'cookie';
  readonly password?: string;
  readonly definition?: (text: string) => string;
  readonly after?: (site: FixtureSite) => void;
}

let accounts = 0;

/** A site of its own, broken as asked, and the job's answer. */
async function look(one: Case): Promise<{ report: TroubleshootReport; site: FixtureSite }> {
  accounts += 1;
  const account = `account${accounts}`;
  await using site = await startFixtureSite({
    family: one.family ?? 'nexusphp',
    seed: account,
    switches: { login: one.switches?.login ?? 'plain' },
  });
  const cookie = site.issueCookie();
  if (one.switches !== undefined) site.set(one.switches);
  environment[`PASSWORD_${account}`] = one.password ?? site.account.password;
  environment[`COOKIE_${account}`] = cookie;
  const text = site.definition({ login: one.login ?? 'form' });
  const report = await runtime.troubleshoot({
    definition: loadDefinition(one.definition?.(text) ?? text, 'fixture.yml'),
    account,
    provider: 'mock',
    settings:
      one.login === 'cookie'
        ? new Map([['cookie', `env:COOKIE_${account}`]])
        : new Map([
            ['username', site.account.username],
            ['password', `env:PASSWORD_${account}`],
          ]),
    home,
  });
  one.after?.(site);
  return { report, site };
}

describe.each(['nexusphp', 'unit3d'] as const)('%s', (family) => {
  test.each([
    { name: 'healthy', switches: { state: 'healthy' }, verdict: 'ok', step: null },
    {
      name: 'logged out for good',
      switches: { state: 'logged_out' },
      login: 'cookie',
      verdict: 'auth_expired',
      step: 'login',
    },
    { name: 'other markup', switches: { state: 'structure_changed' }, verdict: 'structure_changed', step: 'list' },
    { name: 'moved', switches: { state: 'moved' }, verdict: 'moved', step: 'landing' },
    { name: 'bot check', switches: { state: 'challenge' }, verdict: 'needs_human', step: 'landing' },
    { name: 'banned', switches: { state: 'banned' }, verdict: 'blocked' },
    { name: 'down', switches: { state: 'unavailable' }, verdict: 'unavailable', step: 'landing' },
    { name: 'maintenance', switches: { state: 'maintenance' }, verdict: 'unavailable', step: 'landing' },
    { name: 'captcha', switches: { login: 'captcha' }, verdict: 'needs_human', step: 'login' },
    { name: 'second factor', switches: { login: 'otp' }, verdict: 'needs_human', step: 'login' },
    {
      name: 'the list only is down',
      switches: { state: 'unavailable', only: 'list' },
      verdict: 'unavailable',
      step: 'list',
    },
  ] as const)('$name: $verdict', async ({ verdict, switches, ...rest }) => {
    const { report } = await look({ family, switches, ...('login' in rest ? { login: rest.login } : {}) });
    expect(report.verdict, report.because).toBe(verdict);
    expect(report).toMatchObject('step' in rest ? { step: rest.step } : {});
  });
});

test('S004-63 a wrong password is told as such, with the words of the site, and tried once', async () => {
  let posts = 0;
  const { report } = await look({ password: 'wrong-password', after: (site) => (posts = site.effects().loginPosts) });
  expect(report).toMatchObject({ verdict: 'auth_expired', step: 'login' });
  expect(report.because).toMatch(/the site refused the login/);
  expect(posts).toBe(1);
});

test('a working cookie logs in without a form', async () => {
  let posts = -1;
  const { report } = await look({ login: 'cookie', after: (site) => (posts = site.effects().loginPosts) });
  expect(report.verdict).toBe('ok');
  expect(posts).toBe(0);
});

test('a feature that is not supported is named, and the job goes on without that step', async () => {
  const { report } = await look({
    definition: (text) =>
      text.replace('selector: table.torrents > tbody', 'selector: table.torrents:no-such-thing > tbody'),
  });
  expect(report.verdict).toBe('ok');
  expect(report.unsupported.join()).toMatch(/no-such-thing/);
  expect(report.steps.find(({ step }) => step === 'list')).toMatchObject({ status: 'skipped' });
});

test('a site whose lists are JSON needs no browser, and none is opened', async () => {
  const before = (await runtime.sessions.list()).length;
  await expect(
    look({
      definition: (text) =>
        text.replace('- path: torrents.php', '- path: torrents.php\n      response:\n        type: json'),
    }),
  ).rejects.toMatchObject({ code: 'definition_unsupported', message: expect.stringMatching(/needs no browser/) });
  expect((await runtime.sessions.list()).length).toBe(before);
});

test('a job leaves no session and no tab behind, and its ledger says what it did', async () => {
  const { report } = await look({});
  expect(await runtime.sessions.list()).toEqual([]);
  const ledger: unknown = JSON.parse(readFileSync(join(report.evidence.folder, 'ledger.json'), 'utf8'));
  expect(ledger).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: 'site_submit', outcome: 'applied' })]),
  );
  expect(readdirSync(report.evidence.folder).toSorted()).toEqual([
    'end.png',
    'end.snapshot.txt',
    'ledger.json',
    'report.json',
  ]);
});

test('S004-70 a browser service that stops in the middle is the environment, not the site', async () => {
  mock.fault({ match: { method: 'POST', path: /\/evaluate$/ }, kind: 'reset-before-headers', times: 4 });
  await expect(look({})).rejects.toMatchObject({ kind: 'network' });
});
