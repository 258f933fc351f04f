import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const goneTimeoutMs = 5_000;

/** The browsers that the shim wrote down, as far as they run: numbers are reused, so the command line is compared. */
export function runningBrowsers(pidFile: string, executable: string): readonly number[] {
  if (!existsSync(pidFile)) return [];
  return readFileSync(pidFile, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(Number)
    .filter((pid) => commandOf(pid).includes(executable));
}

/** Kills a browser with its children: each leads a process group of its own. */
export function killBrowserGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Gone already, or no group of its own.
    }
  }
}

/** Resolves when none of them runs any more, after 5 s at the latest. */
export async function browsersGone(pids: readonly number[]): Promise<void> {
  for (const began = Date.now(); Date.now() - began < goneTimeoutMs; await sleep(10)) {
    if (pids.every((pid) => commandOf(pid) === '')) return;
  }
}

/** Command line of a process; empty when it is gone or a zombie. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
