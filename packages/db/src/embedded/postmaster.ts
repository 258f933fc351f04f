import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberInUse, runningProcess } from './processes.ts';

/** A running server as its own `postmaster.pid` describes it. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/**
 * The server that runs on a data folder, or `null`. A pid file that a crash left behind, whose number now belongs to
 * another program, is not taken for a server.
 */
export function runningPostmaster(dataDir: string): Postmaster | null {
  const lines = pidFileOf(dataDir);
  const pid = Number(lines?.[0]);
  const port = Number(lines?.[3]);
  // The last line says `ready` once connections are accepted (source: miscadmin.h, LOCK_FILE_LINE_PM_STATUS).
  const ready = lines?.[7]?.trim() === 'ready';
  return ready && port > 0 && isServerOf(dataDir, pid) ? { pid, port } : null;
}

/** Whether a server is starting, running or stopping on a data folder. */
export function postmasterAlive(dataDir: string): boolean {
  const lines = pidFileOf(dataDir);
  return lines !== undefined && isServerOf(dataDir, Number(lines[0]));
}

/**
 * Lets a new server start where a dead one left a pid file whose number is in use again: Postgres would refuse, since
 * it only looks whether the number is in use (source: CreateLockFile in miscinit.c).
 *
 * Only the number is replaced, by one that no system gives out. The rest stays: by it Postgres sees whether children
 * of the dead server still use the data, and waits for them to go.
 */
export function forgetDeadPostmaster(dataDir: string): void {
  const lines = pidFileOf(dataDir);
  const pid = Number(lines?.[0]);
  if (lines === undefined || !numberInUse(pid) || isServerOf(dataDir, pid)) return;
  writeFileSync(join(dataDir, 'postmaster.pid'), ['2147483647', ...lines.slice(1)].join('\n'));
}

function isServerOf(dataDir: string, pid: number): boolean {
  const found = runningProcess(pid);
  if (found === null || !found.program.startsWith('postgres')) return false;
  // Postgres works in its data folder. Where the system does not tell, the name has to do.
  return found.folder === undefined || found.folder === realpathSync(dataDir);
}

function pidFileOf(dataDir: string): readonly string[] | undefined {
  try {
    return readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
}
