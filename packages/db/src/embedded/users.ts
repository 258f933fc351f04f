import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { BrowserError } from '@wheelhouse/contracts';

/**
 * Notes that this process uses the server of a data folder, as a file with its pid. The returned function takes the
 * note back and says whether anybody else is left; notes of processes that are gone do not count, so a kill -9 only
 * means that the next one who leaves stops the server.
 */
export function joinUsers(dataDir: string): () => 'last' | 'others' {
  const folder = `${dataDir}.users`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = join(folder, `${process.pid}-${randomUUID()}`);
  writeFileSync(own, identityOf(process.pid));
  return () => {
    rmSync(own, { force: true });
    const others = readdirSync(folder).filter((note) => {
      const pid = Number(note.split('-', 1)[0]);
      if (identityOf(pid) === readFile(join(folder, note))) return true;
      rmSync(join(folder, note), { force: true });
      return false;
    });
    return others.length === 0 ? 'last' : 'others';
  };
}

/**
 * One process at a time may start or stop the server of a data folder. A holder that is gone is replaced.
 *
 * @throws BrowserError `environment` after `timeoutMs`
 */
export async function enterStart(dataDir: string, timeoutMs: number): Promise<Disposable> {
  const path = `${dataDir}.starting`;
  const mine = `${process.pid}\n${identityOf(process.pid)}\n${randomUUID()}`;
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 25) {
    try {
      writeFileSync(path, mine, { flag: 'wx', mode: 0o600 });
      return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
    } catch {
      const found = readFile(path);
      const [pid = '', identity = ''] = found.split('\n');
      // An empty file is one that is being written.
      if (pid !== '' && identityOf(Number(pid)) !== identity) removeStale(path, found);
    }
    await sleep(25);
  }
  throw new BrowserError('environment', `another process has been starting Postgres in ${dataDir} for too long`);
}

/** Removes a note whose writer is gone, unless somebody replaced it since it was read: then it is put back. */
function removeStale(path: string, found: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFile(aside) !== found) linkSync(aside, path);
  } catch {
    // Somebody else was faster; the next round looks again.
  }
  rmSync(aside, { force: true });
}

/** Pid and start time: a number that was given to another process since does not fool us. Empty when there is none. */
function identityOf(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return '';
  }
  const stat = readFile(`/proc/${pid}/stat`);
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return `${pid}@${started}`;
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
