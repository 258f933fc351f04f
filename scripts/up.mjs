#!/usr/bin/env node
// Sets up what a command needs, then runs it. Plain JavaScript without dependencies, since on a fresh clone nothing
// else is there yet: `node scripts/up.mjs` installs; `… run FILE.ts ARGS` and `… exec TOOL ARGS` install and run.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PNPM = 'pnpm@10.34.8';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Wheelhouse needs Node 20.19 or newer; this is ${process.versions.node}. Install a newer Node and run again.`);
}

install();
const [mode, target, ...rest] = process.argv.slice(2);
if (mode === undefined) {
  process.stdout.write('Wheelhouse is set up. Next: npm run demo\n');
} else if (mode === 'run' && target !== undefined) {
  run(process.execPath, ['--conditions=@wheelhouse/source', '--import', tsx(), join(root, target), ...rest]);
} else if (mode === 'exec' && target !== undefined) {
  run(join(root, 'node_modules/.bin', target), rest);
} else {
  fail('usage: node scripts/up.mjs [run FILE | exec TOOL] [ARGS]');
}

/** Installs from the lockfile unless this very lockfile was installed already. Safe for many starters: one installs, others wait. */
function install() {
  const wanted = fingerprint();
  const stamp = join(root, 'node_modules/.wheelhouse-installed');
  const fresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (fresh()) return;
  const lock = join(root, 'node_modules/.wheelhouse-installing');
  mkdirSync(dirname(lock), { recursive: true });
  while (!takeLock(lock)) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
    if (fresh()) return;
  }
  try {
    if (fresh()) return;
    process.stderr.write('installing dependencies from the lockfile (once, about half a minute) ...\n');
    const done = spawnSync('npx', ['-y', PNPM, 'install', '--frozen-lockfile', '--reporter=append-only'], {
      cwd: root,
      env: { ...process.env, CI: '1', npm_config_user_agent: undefined },
      encoding: 'utf8',
    });
    if (done.status !== 0) {
      process.stderr.write(`${done.stdout ?? ''}${done.stderr ?? ''}`);
      fail('The dependencies could not be installed. Check that the npm registry is reachable, then run again.', 3);
    }
    writeFileSync(stamp, wanted);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** The lockfile and every manifest: what an install depends on. */
function fingerprint() {
  const hash = createHash('sha256').update(process.platform).update(process.arch);
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests()];
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function manifests() {
  return ['contracts', 'adapters', 'db', 'runtime', 'server', 'testkit'].map((name) => `packages/${name}/package.json`);
}

/** Takes the install lock; a lock whose process is gone is taken over. */
function takeLock(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    try {
      process.kill(Number(readFileSync(path, 'utf8')), 0);
    } catch (error) {
      if (error.code === 'ESRCH') rmSync(path, { force: true });
    }
    return false;
  }
}

function tsx() {
  return new URL(`file://${join(root, 'node_modules/tsx/dist/loader.mjs')}`).href;
}

/** Runs a command in place of this one: same terminal, same signals, same exit code. */
function run(command, args) {
  const cwd = process.env.INIT_CWD && existsSync(process.env.INIT_CWD) ? resolve(process.env.INIT_CWD) : root;
  const done = spawnSync(command, args, { stdio: 'inherit', cwd: mode === 'exec' ? root : cwd });
  if (done.error) fail(`${command} could not be started: ${done.error.message}`, 3);
  process.exit(done.status ?? 130);
}

function fail(message, code = 2) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
