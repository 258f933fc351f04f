import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import { copyOfPrograms } from './binaries.ts';

/** How the Postgres programs are started: Postgres refuses to run as root. */
export interface RunAs {
  /** For people: `same user`, `uid 65534`, `user namespace`, and so on. */
  readonly how: string;
  /** Folder of the programs. */
  readonly bin: string;
  /** Command that goes before the program, if any. */
  readonly before: readonly string[];
  /** User of the process. */
  readonly spawnAs?: User;
  /** User that the files must belong to. */
  readonly owner?: User;
}

/** A user of this system by numbers. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Chooses how to run Postgres here. Not as root: as we are. As root, the first that works of
 *
 * 1. `postgres` or `nobody`, where that user can reach programs and data;
 * 2. a user namespace: the files stay root's, whatever folder they are in (most hosts);
 * 3. that user with the right to pass closed folders (containers, where namespaces are forbidden);
 * 4. that user with a copy of the programs beside the data.
 *
 * Creates the data folder's parent, nothing else.
 *
 * @throws BrowserError `environment` with what to do
 */
export function chooseIdentity(native: string, dataDir: string): RunAs {
  const bin = join(native, 'bin');
  const parent = dirname(dataDir);
  if (process.getuid?.() !== 0) return { how: 'same user', bin, before: [] };
  // A data folder that exists stays with whoever ran Postgres in it before.
  const before = existsSync(dataDir) ? statSync(dataDir) : undefined;
  const user = before === undefined || before.uid === 0 ? unprivileged() : { uid: before.uid, gid: before.gid };
  const programsReached = othersMayEnter(native);
  const dataReached = othersMayEnter(parent);

  if (programsReached && dataReached && before?.uid !== 0) {
    return { how: `uid ${user.uid}`, bin, before: [], spawnAs: user, owner: user };
  }
  const namespace = ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`];
  if ((before === undefined || before.uid === 0) && works(namespace)) {
    return { how: 'user namespace', bin, before: namespace };
  }
  const passing = [
    'setpriv',
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=+dac_override',
    '--bounding-set=-all,+dac_override',
  ];
  if (works(passing)) {
    return { how: `uid ${user.uid} that may pass closed folders`, bin, before: passing, owner: user };
  }
  if (dataReached) {
    const copy = join(copyOfPrograms(native, dataDir), 'bin');
    return { how: `uid ${user.uid} with copied programs`, bin: copy, before: [], spawnAs: user, owner: user };
  }
  throw new BrowserError(
    'environment',
    `Postgres does not run as root, and uid ${user.uid} cannot enter ${parent}; choose a folder that others may enter, or set DATABASE_URL`,
  );
}

/** Hands a folder and all in it to the user that Postgres runs as, where that is another one. */
export function handOver(path: string, { owner }: RunAs): void {
  if (owner === undefined || statSync(path).uid === owner.uid) return;
  for (const entry of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(path, entry), owner.uid, owner.gid);
  }
  // The folder last: while it is root's, an interrupted hand-over is done again.
  chownSync(path, owner.uid, owner.gid);
}

/** Makes the folder that the data folder stands in. Others may pass it, not list it: Postgres may run as another user. */
export function makeParent(dataDir: string): void {
  mkdirSync(dirname(dataDir), { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
}

function works(before: readonly string[]): boolean {
  const [command = '', ...rest] = before;
  return spawnSync(command, [...rest, 'true'], { stdio: 'ignore' }).status === 0;
}

function unprivileged(): User {
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
