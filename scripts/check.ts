import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One check: a tool with its arguments, run from the root of the repository. */
interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const tool = (name: string) => join(root, 'node_modules/.bin', name);

const checks: readonly Check[] = [
  { name: 'format', command: tool('oxfmt'), args: ['--check'] },
  { name: 'lint', command: tool('oxlint'), args: ['--type-aware'] },
  {
    name: 'types',
    command: tool('tsc'),
    args: ['--noEmit', '-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', '.wheelhouse/tsbuildinfo'],
  },
  {
    name: 'layers',
    command: tool('depcruise'),
    args: ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'packages'],
  },
  { name: 'unused', command: tool('knip'), args: ['--no-progress'] },
  {
    name: 'generated',
    command: process.execPath,
    args: ['--conditions=@wheelhouse/source', '--import', 'tsx', 'scripts/generate.ts', '--check'],
  },
];

interface Result {
  readonly name: string;
  readonly ok: boolean;
  readonly durationMs: number;
  readonly output: string;
}

function run({ name, command, args }: Check): Promise<Result> {
  const began = performance.now();
  return new Promise((done) => {
    const child = spawn(command, [...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const end = (ok: boolean) => done({ name, ok, durationMs: Math.round(performance.now() - began), output });
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) => {
      output += error.message;
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}

/** Runs all checks, two at a time; full output of those that fail. */
async function main(): Promise<number> {
  const json = process.argv.includes('--json');
  const results: Result[] = [];
  const queue = [...checks];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const result = await run(next);
      results.push(result);
      if (json) continue;
      process.stdout.write(`${result.ok ? '✓' : '✗'} ${result.name} ${(result.durationMs / 1_000).toFixed(1)} s\n`);
      if (!result.ok) process.stdout.write(`${result.output}\n`);
    }
  };
  await Promise.all([worker(), worker()]);
  const ok = results.every((result) => result.ok);
  if (json) process.stdout.write(`${JSON.stringify({ ok, checks: results })}\n`);
  return ok ? 0 : 1;
}

process.exitCode = await main();
