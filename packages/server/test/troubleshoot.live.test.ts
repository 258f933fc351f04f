import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FixtureSite, type LiveCamofox, startFixtureSite, startLiveCamofox } from '@wheelhouse/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine, type CommandLine } from './command-line.ts';

let cli: CommandLine;
let live: LiveCamofox;
let site: FixtureSite;
let definition: string;
const environment = () => ({
  CAMOFOX_KEY: live.accessKey ?? '',
  WHEELHOUSE_SITE_FIXTURE_NEXUSPHP_USERNAME: site.account.username,
  WHEELHOUSE_SITE_FIXTURE_NEXUSPHP_PASSWORD: site.account.password,
});

beforeAll(async () => {
  cli = commandLine();
  [live, site] = await Promise.all([startLiveCamofox(), startFixtureSite()]);
  definition = join(cli.home, 'fixture.yml');
  writeFileSync(definition, site.definition());
  await cli.run(['providers', 'add', 'mine', '--url', live.origin, '--key', 'env:CAMOFOX_KEY'], environment());
});
afterAll(async () => {
  await live.stop();
  await site.close();
  cli[Symbol.dispose]();
});

test('a working site is ok, exit code 0, and nothing secret is in the answer or in the evidence', async () => {
  const run = await cli.run(['troubleshoot', definition, '--json'], environment());
  expect(run.json()).toMatchObject({
    ok: true,
    verdict: 'ok',
    steps: expect.arrayContaining([expect.objectContaining({ step: 'download', status: 'passed' })]),
  });
  expect(run.exitCode).toBe(0);
  const evidence = join(cli.home, 'wheelhouse', 'evidence');
  const texts = readdirSync(evidence).flatMap((job) =>
    readdirSync(join(evidence, job)).map((name) => readFileSync(join(evidence, job, name), 'latin1')),
  );
  expect(texts.length).toBeGreaterThan(3);
  for (const secret of [site.account.password, site.account.passkey, live.accessKey ?? '']) {
    expect([run.stdout, run.stderr, ...texts].filter((text) => text.includes(secret))).toEqual([]);
  }
  expect(site.effects().loginPosts).toBe(1);
});

test('a broken site is a finding, exit code 1, as a table for people', async () => {
  site.set({ state: 'structure_changed' });
  const run = await cli.run(['troubleshoot', definition, '--provider', 'mine'], environment());
  site.set({ state: 'healthy' });
  expect(run.stdout).toMatch(/structure_changed/);
  expect(run.stdout).toMatch(/table\.torrents > tbody > tr/);
  expect(run.exitCode).toBe(1);
});

test('a wrong access key is the environment, exit code 3, and no login was tried', async () => {
  const before = site.effects().loginPosts;
  const run = await cli.run(['troubleshoot', definition, '--json'], { ...environment(), CAMOFOX_KEY: 'wrong' });
  expect(run.json()).toMatchObject({ ok: false, error: { code: 'upstream_auth' } });
  expect(run.exitCode).toBe(3);
  expect(site.effects().loginPosts).toBe(before);
});

test('a secret on the command line is refused before anything happens', async () => {
  const run = await cli.run(['troubleshoot', definition, '--setting', 'password=hunter2'], environment());
  expect(run.stderr).toMatch(/the setting password is secret/);
  expect(run.exitCode).toBe(2);
});
