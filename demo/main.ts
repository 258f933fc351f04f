import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrowserError, SecretRef } from '@wheelhouse/contracts';
import { createRuntime, loadDefinition, type Runtime, type TroubleshootReport } from '@wheelhouse/runtime';
import { type FixtureSite, startFixtureSite, startLiveCamofox } from '@wheelhouse/testkit';
import Table from 'cli-table3';
import pc from 'picocolors';
import { type DemoCase, demoCases } from './cases.ts';

const json = process.argv.includes('--json');
const say = (line: string) => {
  if (!json) process.stderr.write(`${pc.dim(line)}\n`);
};

/** How many sites are looked at side by side; the demo machine may have two cores only. */
const sideBySide = 2;

/**
 * The main job, end to end: the real camofox-browser server over a real browser, a real Postgres, and a private
 * tracker that is broken in every way a tracker breaks. One verdict each; a wrong one exits 1.
 */
async function main(): Promise<number> {
  const began = performance.now();
  const root = fileURLToPath(new URL('../.wheelhouse/', import.meta.url));
  mkdirSync(root, { recursive: true });
  const home = mkdtempSync(join(root, 'demo-'));
  const environment: Record<string, string> = {};
  say('starting camofox-browser over a real browser, and Postgres ...');
  await using live = await startLiveCamofox();
  environment['DEMO_CAMOFOX_KEY'] = live.accessKey ?? '';
  await using runtime = await createRuntime({
    database: process.env['DATABASE_URL']
      ? { url: process.env['DATABASE_URL'] }
      : { embeddedIn: join(home, 'postgres') },
    secrets: { environment },
    log: { info: () => undefined, warn: () => undefined },
  });
  const provider = await runtime.providers.add({
    name: `demo-${process.pid}`,
    kind: 'camofox',
    baseUrl: live.origin,
    secretRef: SecretRef.parse('env:DEMO_CAMOFOX_KEY'),
    allowlist: [],
  });
  say(`camofox-browser ${live.version} over ${live.browserName}, Postgres ${runtime.database.version}`);

  const results = new Map<string, TroubleshootReport>();
  const queue = [...demoCases];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results.set(next.name, await look(runtime, next, { home, environment, provider: provider.name }));
      say(`${next.name}: ${results.get(next.name)?.verdict ?? 'no verdict'}`);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));

  const wrong = demoCases.filter(({ name, expected }) => results.get(name)?.verdict !== expected);
  const verdicts = Object.fromEntries(demoCases.map(({ name }) => [name, results.get(name)?.verdict ?? null]));
  const durationMs = Math.round(performance.now() - began);
  if (json) {
    const evidence = join(home, 'evidence');
    process.stdout.write(
      `${JSON.stringify({ ok: wrong.length === 0, upstream: live.version, verdicts, browser: live.browserName, durationMs, evidence })}\n`,
    );
  } else {
    process.stdout.write(
      `${tableOf(results)}\n${pc.dim(`${(durationMs / 1_000).toFixed(1)} s · evidence: ${join(home, 'evidence')}`)}\n`,
    );
    for (const { name, expected } of wrong) process.stdout.write(`${pc.red(`${name}: expected ${expected}`)}\n`);
  }
  if (wrong.length === 0 && 'embeddedIn' in { embeddedIn: home })
    process.once('exit', () => rmSync(join(home, 'postgres'), { recursive: true, force: true }));
  return wrong.length === 0 ? 0 : 1;
}

/** Breaks a site of its own and asks why it does not work. */
async function look(
  runtime: Runtime,
  one: DemoCase,
  at: { readonly home: string; readonly environment: Record<string, string>; readonly provider: string },
): Promise<TroubleshootReport> {
  await using site = await startFixtureSite({
    family: one.family,
    seed: one.name,
    switches: { login: one.captcha ? 'captcha' : 'plain' },
  });
  const settings = accountOf(site, one, at.environment);
  site.set({ state: one.state });
  // Awaited here: the site must outlive the job.
  return await runtime.troubleshoot({
    definition: loadDefinition(site.definition({ login: one.login ?? 'form' }), `${one.name}.yml`),
    account: one.name,
    provider: at.provider,
    settings,
    home: at.home,
  });
}

function accountOf(site: FixtureSite, one: DemoCase, environment: Record<string, string>): ReadonlyMap<string, string> {
  const secret = (name: string, value: string) => {
    const variable = `DEMO_${one.name}_${name}`.toUpperCase();
    environment[variable] = value;
    return `env:${variable}`;
  };
  if (one.login === 'cookie') return new Map([['cookie', secret('cookie', site.issueCookie())]]);
  return new Map([
    ['username', site.account.username],
    ['password', secret('password', site.account.password)],
  ]);
}

function tableOf(results: ReadonlyMap<string, TroubleshootReport>): string {
  const drawn = new Table({
    head: ['site', 'verdict', 'decided at', 'why', 's'],
    style: { head: [], border: [] },
    colWidths: [20, 20, 12, 60, 7],
    wordWrap: true,
  });
  for (const { name, expected } of demoCases) {
    const report = results.get(name);
    const colour = report?.verdict === expected ? (report.verdict === 'ok' ? pc.green : pc.yellow) : pc.red;
    drawn.push([
      name,
      colour(report?.verdict ?? 'none'),
      report?.step ?? 'end',
      report?.because ?? '',
      ((report?.durationMs ?? 0) / 1_000).toFixed(1),
    ]);
  }
  return drawn.toString();
}

try {
  process.exitCode = await main();
} catch (error) {
  const known = BrowserError.is(error)
    ? error
    : new BrowserError('internal', 'the demo failed unexpectedly', { cause: error });
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, error: known.toJSON() })}\n`);
  else process.stderr.write(`${pc.red(known.message)}\n→ ${known.next}\n`);
  if (!BrowserError.is(error)) console.error(error);
  process.exitCode = 3;
}
