import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Canaries } from './canaries.ts';
import type { RuleLines } from './rule-lines.ts';
import type { Search } from './search.ts';
import type { World } from './world.ts';

const program = fileURLToPath(new URL('cli.ts', import.meta.url));

/** Runs the commands that a person would, each in a process of its own, and takes down what they print. */
export async function runCommands(
  { folder, site, environment, databaseUrl }: World,
  search: Search,
  what: { readonly canaries: Canaries; readonly rules: RuleLines; readonly without: readonly string[]; file: string },
): Promise<void> {
  const cwd = join(folder, 'desk');
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'canary.yml'), site.definition);
  const run = (args: readonly string[], more: { input?: string; environment?: Record<string, string> } = {}) =>
    new Promise<void>((done) => {
      const env = { PATH: process.env['PATH'], HOME: cwd, ...environment, ...more.environment };
      const argv = ['--conditions=@wheelhouse/source', '--import', import.meta.resolve('tsx'), program];
      const child = execFile(
        process.execPath,
        [...argv, JSON.stringify(what.without), ...args],
        { cwd, env, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 },
        (_error, stdout, stderr) => {
          search.look('command line', args.slice(0, 2).join(' '), stdout);
          search.look('command line', args.slice(0, 2).join(' '), stderr);
          done();
        },
      );
      child.stdin?.end(more.input ?? '');
    });
  // A pipe knows no secrets and no windows.
  const fitting = what.rules.lines.filter(({ isKnown, isSnapshot }) => !isKnown && !isSnapshot);
  const lines = fitting.map(({ line }) => line).join('\n\n');
  const elsewhere = new URL(databaseUrl);
  elsewhere.port = '1';
  await run(['redact'], { input: lines });
  await run(['providers', 'list']);
  await run(['providers', 'check', 'browser', '--json']);
  await run(['troubleshoot', 'canary.yml', '--provider', 'browser', '--json']);
  await run(['grab', 'canary.yml', site.details, '--provider', 'browser']);
  await run(['artifacts', 'show', what.file, '--json']);
  await run(['doctor', '--json'], { environment: { DATABASE_URL: elsewhere.href } });
  await run(['providers', 'add', 'x', '--url', site.origin, '--key', what.canaries.header]);
  await run(['providers', 'check', 'nosuch', `--passkey=${what.canaries.query}`]);
  await run(['support-bundle', '--out', 'bundle.json', '--json']);
  search.look('support bundle', 'bundle.json', readFileSync(join(cwd, 'bundle.json')));
}
