import { BrowserError } from '@wheelhouse/contracts';

/** Longest queue in front of one profile in one process; the next caller is refused (contract §2, S000-61). */
export const maxWaiting = 32;

/**
 * First come, first served in front of the profile lock, within this process.
 *
 * Keeps callers of one process from racing each other for the row, and keeps their order.
 */
export class ProfileQueue {
  readonly #lanes = new Map<string, { running: boolean; waiting: (() => void)[] }>();

  /**
   * Runs `work` when all earlier callers of this lane are done.
   *
   * @throws BrowserError `queue_full` when 32 wait already, `deadline` when the signal aborts while waiting. Nothing ran.
   */
  async run<T>(lane: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(lane, signal);
    try {
      return await work();
    } finally {
      this.#leave(lane);
    }
  }

  #enter(lane: string, signal: AbortSignal): Promise<void> | void {
    const line = this.#lanes.get(lane) ?? { running: false, waiting: [] };
    this.#lanes.set(lane, line);
    if (!line.running) {
      line.running = true;
      return;
    }
    if (line.waiting.length >= maxWaiting) {
      throw new BrowserError('queue_full', `${maxWaiting} operations wait for this session already`);
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', quit);
        resolve();
      };
      const quit = () => {
        const place = line.waiting.indexOf(go);
        if (place >= 0) line.waiting.splice(place, 1);
        reject(new BrowserError('lock_timeout', 'the operations before this one took too long'));
      };
      if (signal.aborted) return quit();
      line.waiting.push(go);
      signal.addEventListener('abort', quit, { once: true });
    });
  }

  #leave(lane: string): void {
    const line = this.#lanes.get(lane);
    if (line === undefined) return;
    const next = line.waiting.shift();
    if (next !== undefined) return next();
    this.#lanes.delete(lane);
  }
}
