import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that runs now. */
export interface RunningProcess {
  /** Number and start: a number that was given to another process since does not fool anybody. */
  readonly identity: string;
  /** Name of its program. */
  readonly program: string;
  /** Folder it works in; `undefined` where the system does not say. */
  readonly folder: string | undefined;
}

const hasProc = existsSync('/proc/self/stat');

/** The process of this number, or `null`. One that ended and was not collected yet (a zombie) does not run. */
export function runningProcess(pid: number): RunningProcess | null {
  if (!Number.isInteger(pid) || pid <= 0 || !numberInUse(pid)) return null;
  return hasProc ? fromProc(pid) : fromPs(pid);
}

/** Whether the system has a process of this number, zombies and those of other users included. */
export function numberInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** `stat` is `pid (program) state …`, and the program may hold brackets; the start is field 22 (source: proc(5)). */
function fromProc(pid: number): RunningProcess | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const close = stat.lastIndexOf(')');
    const [state, ...fields] = stat.slice(close + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    const program = stat.slice(stat.indexOf('(') + 1, close);
    return { identity: `${pid}@${fields[18] ?? ''}`, program, folder: workingFolder(pid) };
  } catch {
    return null;
  }
}

function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): RunningProcess | null {
  const line = spawnSync('ps', ['-o', 'lstart=,state=,comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
  const read = /^(.+?\d{4})\s+(\S+)\s+(.+)$/.exec(line.trim());
  if (read === null || read[2]?.startsWith('Z')) return null;
  const program = read[3]?.split('/').at(-1) ?? '';
  return { identity: `${pid}@${read[1]}`, program, folder: undefined };
}
