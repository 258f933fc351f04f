import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  const lines = read(join(dataDir, 'postmaster.pid'))?.split('\n');
  if (lines === undefined) return null;
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  // The last line says `ready` once connections are accepted (source: miscadmin.h, LOCK_FILE_LINE_PM_STATUS).
  const ready = lines[7]?.trim() === 'ready';
  return ready && port > 0 && isPostgres(pid) ? { pid, port } : null;
}

/** Whether a server is starting, running or stopping on a data folder. */
export function postmasterAlive(dataDir: string): boolean {
  const lines = read(join(dataDir, 'postmaster.pid'))?.split('\n');
  return lines !== undefined && isPostgres(Number(lines[0]));
}

function isPostgres(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const name = read(`/proc/${pid}/comm`);
  // Where there is no /proc, the pid has to do.
  return name === undefined || name.startsWith('postgres');
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
