import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { BrowserError } from '@wheelhouse/contracts';
import { runningProcess } from './processes.ts';

const ownIdentity = () => runningProcess(process.pid)?.identity ?? '';

/**
 * Notes that this process uses the server of a data folder, as a file with its pid. The returned function takes the
 * note back and says whether anybody else is left; notes of processes that are gone do not count, so a kill -9 only
 * means that the next one who leaves stops the server.
 */
export function joinUsers(dataDir: string): () => 'last' | 'others' {
  const folder = `${dataDir}.users`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${process.pid}-${randomUUID()}`;
  const own = join(folder, name);
  // Written aside first: whoever leaves meanwhile must never read half a note and take it for a stale one.
  writeFileSync(join(folder, `.${name}`), ownIdentity(), { mode: 0o600 });
  renameSync(join(folder, `.${name}`), own);
  return () => {
    rmSync(own, { force: true });
    const notes = readdirSync(folder).filter((note) => !note.startsWith('.'));
    const others = notes.filter((note) => {
      if (runningProcess(Number(note.split('-', 1)[0]))?.identity === readFile(join(folder, note))) return true;
      rmSync(join(folder, note), { force: true });
      return false;
    });
    return others.length === 0 ? 'last' : 'others';
  };
}

/**
 * Runs `work` while no other process starts or stops the server of a data folder. A process that is gone does not count.
 *
 * Only a courtesy: a folder is set up aside and moved into place whole, and Postgres itself refuses a second server.
 *
 * @throws BrowserError `environment` after `timeoutMs`
 */
export async function oneAtATime<T>(dataDir: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const path = `${dataDir}.starting`;
  const mine = `${process.pid}\n${ownIdentity()}\n${randomUUID()}`;
  const aside = `${path}.${randomUUID()}`;
  writeFileSync(aside, mine, { mode: 0o600 });
  try {
    for (const until = Date.now() + timeoutMs; Date.now() < until; await sleep(25)) {
      if (linked(aside, path)) return await work().finally(() => removeIfStill(path, mine));
      const found = readFile(path);
      const [pid = '', identity = ''] = found.split('\n');
      if (found !== '' && runningProcess(Number(pid))?.identity !== identity) removeIfStill(path, found);
    }
  } finally {
    rmSync(aside, { force: true });
  }
  throw new BrowserError('environment', `another process has been starting Postgres in ${dataDir} for too long`);
}

/** A hard link appears with its content, or not at all. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a note, unless somebody replaced it since it was read: then it is put back. */
function removeIfStill(path: string, found: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFile(aside) !== found) linkSync(aside, path);
  } catch {
    // Somebody else was faster; the next round looks again.
  }
  rmSync(aside, { force: true });
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
