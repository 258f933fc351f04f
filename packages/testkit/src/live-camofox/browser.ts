import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';

/** A browser that the server can be started over. */
export interface FoundBrowser {
  readonly engine: 'firefox' | 'chromium';
  readonly executable: string;
  /** Folder of shared libraries it brings along. */
  readonly libraries?: string;
  /** For people: `system firefox-esr`, `chromium from npm`. */
  readonly name: string;
}

const systemBrowsers = [
  { engine: 'firefox', command: 'firefox-esr' },
  { engine: 'firefox', command: 'firefox' },
  { engine: 'chromium', command: 'chromium' },
  { engine: 'chromium', command: 'chromium-browser' },
  { engine: 'chromium', command: 'google-chrome' },
] as const;

/**
 * The browser to use: the one asked for, else one of the system, else the Chromium that an npm package ships, which
 * needs neither root nor a download.
 *
 * @param wanted `firefox`, `chromium`, `npm` or a path; absent: the first that is found
 * @throws BrowserError `environment` when there is none
 */
export function findBrowser(cacheDir: string, wanted?: string): FoundBrowser {
  if (wanted !== undefined && /[/\\]/.test(wanted)) {
    if (!isExecutable(wanted)) throw new BrowserError('environment', `${wanted} is not a browser that can be started`);
    return { engine: /firefox/i.test(wanted) ? 'firefox' : 'chromium', executable: wanted, name: wanted };
  }
  for (const { engine, command } of systemBrowsers) {
    if (wanted !== undefined && wanted !== engine) continue;
    const executable = onPath(command);
    if (executable !== undefined) return { engine, executable, name: `system ${command}` };
  }
  if (wanted === 'firefox')
    throw new BrowserError('environment', 'there is no Firefox on this machine; install firefox-esr');
  return chromiumFromNpm(cacheDir);
}

function onPath(command: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Unpacks the Chromium of @sparticuz/chromium (headless only) once, with the libraries it needs on a bare system. The
 * package unpacks to the temporary folder, so it is given one of ours, and the result is moved into place whole.
 */
function chromiumFromNpm(cacheDir: string): FoundBrowser {
  const folder = join(cacheDir, 'chromium-147');
  const executable = join(folder, 'chromium');
  const found = () => {
    const libraries = lacksLibraries(executable) ? { libraries: join(folder, 'al2023', 'lib') } : {};
    return { engine: 'chromium', executable, ...libraries, name: 'chromium from npm' } as const;
  };
  if (existsSync(executable)) return found();
  const part = `${folder}.${process.pid}`;
  mkdirSync(part, { recursive: true });
  const script = `import(${JSON.stringify(createRequire(import.meta.url).resolve('@sparticuz/chromium'))}).then((m) => (m.default.default ?? m.default).executablePath())`;
  const done = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    // The package adds its libraries only where it believes to run on this system.
    env: { PATH: process.env['PATH'], TMPDIR: part, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    encoding: 'utf8',
  });
  if (done.status !== 0 || !existsSync(join(part, 'chromium'))) {
    rmSync(part, { recursive: true, force: true });
    throw new BrowserError(
      'environment',
      'the Chromium from npm could not be unpacked; install firefox-esr or chromium',
      {
        cause: done.stderr,
      },
    );
  }
  try {
    renameSync(part, folder);
  } catch {
    // Somebody else was faster.
    rmSync(part, { recursive: true, force: true });
  }
  return found();
}

/** Whether this system misses a library that the browser is linked against (NSS, mostly). Unsure counts as missing. */
function lacksLibraries(executable: string): boolean {
  const listed = spawnSync('ldd', [executable], { encoding: 'utf8' });
  return listed.status !== 0 || /not found/.test(listed.stdout);
}
