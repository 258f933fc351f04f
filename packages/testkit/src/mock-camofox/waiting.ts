import { tabDestroyed, UpstreamError } from './upstream-error.ts';

/** Resolves after that many milliseconds; at once for 0. */
export async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((done) => setTimeout(done, Math.min(ms, 2 ** 31 - 1)));
}

/** Rejects with `late()` when the work takes longer. The work itself goes on, as it does upstream. */
export async function within<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(late()), ms);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** Rejects with `why()` when the signal aborts first. */
export async function unless<T>(signal: AbortSignal, why: () => Error, work: Promise<T>): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined);
    throw why();
  }
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(why());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}

interface Waiter {
  readonly go: () => void;
  readonly fail: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** One operation at a time, in order. */
export class TabLock {
  #busy = false;
  #drained = false;
  #queue: Waiter[] = [];

  /** @throws UpstreamError after `timeoutMs`, or when the tab goes meanwhile */
  async acquire(timeoutMs: number): Promise<void> {
    if (!this.#busy && !this.#drained) {
      this.#busy = true;
      return;
    }
    await new Promise<void>((go, fail) => {
      const timer = setTimeout(() => {
        this.#queue = this.#queue.filter((one) => one.timer !== timer);
        fail(new UpstreamError('Tab lock queue timeout'));
      }, timeoutMs);
      this.#queue.push({ go, fail, timer });
    });
  }

  release(): void {
    const next = this.#queue.shift();
    this.#busy = next !== undefined;
    if (next === undefined) return;
    clearTimeout(next.timer);
    next.go();
  }

  /** Fails all that wait: the tab is gone. */
  drain(): void {
    this.#drained = true;
    for (const { fail, timer } of this.#queue.splice(0)) {
      clearTimeout(timer);
      fail(tabDestroyed());
    }
  }
}

/** At most so many operations of one user at a time; the others queue for 30 s. */
export class UserLimit {
  readonly #most: number;
  readonly #waitMs: number;
  readonly #users = new Map<string, { active: number; queue: Waiter[] }>();

  constructor(most: number, waitMs: number) {
    this.#most = most;
    this.#waitMs = waitMs;
  }

  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const state = this.#users.get(userId) ?? { active: 0, queue: [] };
    this.#users.set(userId, state);
    if (state.active >= this.#most) {
      await new Promise<void>((go, fail) => {
        const late = () => fail(new UpstreamError('User concurrency limit reached, try again'));
        const timer = setTimeout(late, this.#waitMs);
        state.queue.push({ go, fail, timer });
      });
    }
    state.active += 1;
    try {
      return await work();
    } finally {
      state.active -= 1;
      const next = state.queue.shift();
      if (next !== undefined) {
        clearTimeout(next.timer);
        next.go();
      } else if (state.active === 0) {
        this.#users.delete(userId);
      }
    }
  }
}
