import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrowserError } from '@wheelhouse/contracts';
import { findBrowser, type FoundBrowser } from './browser.ts';
import { browsersGone, killBrowserGroup, runningBrowsers } from './browser-processes.ts';
import { freePort, portIsFree } from './free-port.ts';
import {
  endServer,
  lastWords,
  node22,
  packageOf,
  type ServerStart,
  signalGroup,
  startServer,
} from './server-process.ts';

/** How to start it. */
export interface LiveCamofoxOptions {
  /** Which release of the package. Default `1.17`. */
  readonly version?: '1.14' | '1.17';
  /** `firefox`, `chromium`, `npm` or a path; default: `WHEELHOUSE_BROWSER`, else what is found (see `findBrowser`). */
  readonly browser?: string | undefined;
  /** `null` starts it without one. Default: a random key. */
  readonly accessKey?: string | null;
  readonly apiKey?: string;
  readonly adminKey?: string;
  /** `NODE_ENV=production`, as the official image has it: the texts of errors are hidden then. */
  readonly production?: boolean;
  /** Settings of the server (05-camofox §5.7), for example `SESSION_TIMEOUT_MS`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Shortens the housekeeping timers of 60 s, milliseconds. */
  readonly tickMs?: number;
  /** Default: a free one. */
  readonly port?: number;
  /** Where browsers are unpacked and runs keep their files. Default `.wheelhouse` of this repository. */
  readonly cacheDir?: string;
}

/** The real camofox-browser server over a real browser, on loopback. */
export interface LiveCamofox extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly accessKey: string | null;
  readonly apiKey: string | null;
  readonly adminKey: string | null;
  /** Full version of the package. */
  readonly version: string;
  readonly engine: 'firefox' | 'chromium';
  readonly browserName: string;
  /** Where the server's output goes until it is stopped. */
  readonly logPath: string;
  /** Process id of the server as it runs now. */
  pid(): number;
  /** What the server wrote so far. */
  log(): string;
  /** Kills the browser, not the server, and resolves when it is gone. */
  killBrowser(): Promise<void>;
  /** Stops the server with SIGTERM and starts it again on the same port, profiles kept. */
  restart(): Promise<void>;
  /** Stops server and browser and removes their files. May be called twice. */
  stop(): Promise<void>;
}

/** Another process may take a port between finding and using it. */
const startAttempts = 3;
const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Starts the unmodified npm package on 127.0.0.1, with files of its own, and waits until its browser runs. The browser
 * reaches loopback only. Server and browser end with this process, however it ends.
 *
 * @throws BrowserError `environment`: no browser, no Node 22, port taken, or the server's own last words
 */
export async function startLiveCamofox(options: LiveCamofoxOptions = {}): Promise<LiveCamofox> {
  const cacheDir = resolve(options.cacheDir ?? join(repository, '.wheelhouse'));
  const browser = findBrowser(join(cacheDir, 'browsers'), options.browser ?? process.env['WHEELHOUSE_BROWSER']);
  const server = packageOf(options.version ?? '1.17');
  const node = node22();
  const run = makeRun(join(cacheDir, 'runs'));
  const logPath = join(run, 'server.log');
  const pidFile = join(run, 'browser.pids');
  const accessKey = options.accessKey === undefined ? randomBytes(16).toString('hex') : options.accessKey;
  const environment = environmentOf(options, { run, browser, accessKey, pidFile });
  const startOn = (port: number): ServerStart => ({
    node,
    folder: server.folder,
    environment: { ...environment, CAMOFOX_PORT: String(port) },
    port,
    accessKey,
    logPath,
  });

  let { child, port } = await firstStart(options.port, startOn, logPath);
  const browsers = () => runningBrowsers(pidFile, browser.executable);
  // The last resort when this process ends without having stopped it.
  const killAll = () => {
    signalGroup(child, 'SIGKILL');
    browsers().forEach(killBrowserGroup);
  };
  process.on('exit', killAll);
  const stop = async () => {
    process.off('exit', killAll);
    await endServer(child);
    killAll();
    rmSync(run, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    accessKey,
    apiKey: options.apiKey ?? null,
    adminKey: options.adminKey ?? null,
    version: server.version,
    engine: browser.engine,
    browserName: browser.name,
    logPath,
    pid: () => child.pid ?? 0,
    log: () => (existsSync(logPath) ? readFileSync(logPath, 'utf8') : ''),
    killBrowser: async () => {
      const pids = browsers();
      pids.forEach(killBrowserGroup);
      await browsersGone(pids);
    },
    restart: async () => {
      await endServer(child);
      browsers().forEach(killBrowserGroup);
      child = await startServer(startOn(port));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A folder for one instance. Those of processes that were killed are removed on the way. */
function makeRun(runs: string): string {
  mkdirSync(runs, { recursive: true });
  for (const left of readdirSync(runs)) {
    const owner = /^camofox-(\d+)-/.exec(left)?.[1];
    if (owner !== undefined && !existsSync(`/proc/${owner}`))
      rmSync(join(runs, left), { recursive: true, force: true });
  }
  const run = mkdtempSync(join(runs, `camofox-${process.pid}-`));
  for (const folder of ['home', 'tmp', 'uploads', 'profiles']) mkdirSync(join(run, folder));
  return run;
}

async function firstStart(wanted: number | undefined, startOn: (port: number) => ServerStart, logPath: string) {
  for (let attempt = 1; ; attempt += 1) {
    const port = wanted ?? (await freePort());
    if (!(await portIsFree(port))) throw new BrowserError('environment', `port ${port} is taken; choose another`);
    try {
      return { child: await startServer(startOn(port)), port };
    } catch (cause) {
      const taken = /EADDRINUSE/.test(lastWords(logPath));
      if (wanted !== undefined || !taken || attempt === startAttempts) throw cause;
    }
  }
}

interface Run {
  readonly run: string;
  readonly browser: FoundBrowser;
  readonly accessKey: string | null;
  readonly pidFile: string;
}

/** Nothing of this process's environment but the path: proxies, keys and profiles of the person who tests stay out. */
function environmentOf(options: LiveCamofoxOptions, { run, browser, accessKey, pidFile }: Run) {
  return {
    PATH: process.env['PATH'],
    HOME: join(run, 'home'),
    TMPDIR: join(run, 'tmp'),
    CAMOFOX_BIND_HOST: '127.0.0.1',
    // Reports go to a server of the vendor by default.
    CAMOFOX_CRASH_REPORT_ENABLED: 'false',
    CAMOFOX_PROFILE_DIR: join(run, 'profiles'),
    CAMOFOX_UPLOADS_DIR: join(run, 'uploads'),
    ...(accessKey === null ? {} : { CAMOFOX_ACCESS_KEY: accessKey }),
    ...(options.apiKey === undefined ? {} : { CAMOFOX_API_KEY: options.apiKey }),
    ...(options.adminKey === undefined ? {} : { CAMOFOX_ADMIN_KEY: options.adminKey }),
    ...(options.production === true ? { NODE_ENV: 'production' } : {}),
    SHIM_ENGINE: browser.engine,
    SHIM_EXECUTABLE: browser.executable,
    SHIM_LIBRARIES: browser.libraries,
    SHIM_PID_FILE: pidFile,
    SHIM_TICK_MS: options.tickMs === undefined ? undefined : String(options.tickMs),
    ...options.environment,
  };
}
