import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
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

/** The file itself, fetched without a browser: the passkey in the link is all that the site asks for. */
async function direct(id: number): Promise<string> {
  const answer = await fetch(`${site.origin}/download.php?id=${id}&passkey=${site.account.passkey}`);
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
}

test('S004-67 the file of an entry is the one that a direct request gets, and can be written out', async () => {
  const torrent = site.torrents[3]!;
  const details = `${site.origin}/details.php?id=${torrent.id}`;
  const run = await cli.run(['grab', definition, details, '--json'], environment());
  expect(run.json()).toMatchObject({ ok: true, verdict: 'ok', artifact: { sha256: await direct(torrent.id) } });
  expect(run.exitCode).toBe(0);
  const { artifact } = run.json() as { artifact: { id: string; sha256: string } };
  const shown = await cli.run(['artifacts', 'show', artifact.id, '--json'], environment());
  expect(shown.json()).toMatchObject({ ok: true, infoHashV1: torrent.infoHashV1 });
  const path = join(cli.home, 'out.torrent');
  expect((await cli.run(['artifacts', 'export', artifact.id, path], environment())).exitCode).toBe(0);
  expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(artifact.sha256);
  const again = await cli.run(['artifacts', 'export', artifact.id, path], environment());
  expect(again.stderr).toMatch(/is there already/);
  expect(again.exitCode).toBe(2);
  for (const { stdout, stderr } of [run, shown]) {
    for (const secret of [site.account.password, site.account.passkey]) expect(stdout + stderr).not.toContain(secret);
  }
});

test('an entry that is not on the first page of the list is found by its own page', async () => {
  const torrent = site.torrents.at(-1)!;
  const run = await cli.run(
    ['grab', definition, `${site.origin}/details.php?id=${torrent.id}`, '--json'],
    environment(),
  );
  expect(run.json()).toMatchObject({ ok: true, artifact: { sha256: torrent.sha256 } });
});

test('an entry that does not exist is a finding, exit code 1, and nothing is kept', async () => {
  const before = await cli.run(['artifacts', 'list', '--json'], environment());
  const run = await cli.run(['grab', definition, `${site.origin}/details.php?id=999999`, '--json'], environment());
  expect(run.json()).toMatchObject({ ok: false, artifact: null });
  expect(run.exitCode).toBe(1);
  expect((await cli.run(['artifacts', 'list', '--json'], environment())).stdout).toBe(before.stdout);
});
