import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';

/** How the Postgres programs are started: Postgres refuses to run as root. */
export interface RunAs {
  /** For people: `same user`, `uid 65534`, `user namespace`, `uid 65534 with copied binaries`. */
  readonly how: string;
  /** Folder of the programs. */
  readonly bin: string;
  /** Command that goes before the program, if any. */
  readonly before: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Chooses how to run Postgres here. Not as root: as we are. As root: as `postgres` or `nobody` where that user can
 * reach the folders; else in a user namespace, where the files stay root's; else from a copy of the programs.
 *
 * Creates the data folder's parent, and hands the data folder to that user where needed.
 */
export function chooseIdentity(native: string, dataDir: string): RunAs {
  const bin = join(native, 'bin');
  mkdirSync(dirname(dataDir), { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return { how: 'same user', bin, before: [] };
  const { uid, gid } = unprivileged();
  // A data folder that exists belongs to whoever ran Postgres before.
  const owner = existsSync(dataDir) ? statSync(dataDir).uid : undefined;
  if (owner !== 0 && othersMayEnter(native) && othersMayEnter(dirname(dataDir))) {
    if (owner === undefined) {
      mkdirSync(dataDir, { mode: 0o700 });
      chownSync(dataDir, uid, gid);
    }
    return { how: `uid ${uid}`, bin, before: [], uid, gid };
  }
  const before = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`];
  if (spawnSync('unshare', [...before.slice(1), 'true']).status === 0) return { how: 'user namespace', bin, before };
  if (!othersMayEnter(dirname(dataDir))) {
    throw new BrowserError(
      'environment',
      `Postgres does not run as root and ${uid} cannot enter ${dirname(dataDir)}; set WHEELHOUSE_HOME to a folder that others may enter`,
    );
  }
  if (owner === undefined) mkdirSync(dataDir, { mode: 0o700 });
  chownSync(dataDir, uid, gid);
  return { how: `uid ${uid} with copied binaries`, bin: join(copyOf(native), 'bin'), before: [], uid, gid };
}

function unprivileged(): { uid: number; gid: number } {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return { uid: Number(user?.[2] ?? 65_534), gid: Number(user?.[3] ?? 65_534) };
}

function othersMayEnter(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** The programs, copied to a folder that everybody may read. Made once, moved into place whole. */
function copyOf(native: string): string {
  const copy = join(tmpdir(), `wheelhouse-postgres-${createHash('sha256').update(native).digest('hex').slice(0, 12)}`);
  if (existsSync(copy)) return copy;
  const part = `${copy}.${process.pid}`;
  cpSync(native, part, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(part, copy);
  } catch {
    rmSync(part, { recursive: true, force: true });
  }
  return copy;
}
