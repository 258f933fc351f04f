import { BrowserError, type ProfileKey } from '@wheelhouse/contracts';
import { renewLock } from '@wheelhouse/db';
import type { House } from './house.ts';

/** The lock of one running operation, kept alive by a heartbeat. */
export interface Heartbeat extends Disposable {
  /** Aborts with `fence_lost` the moment the lock is known to be lost. */
  readonly signal: AbortSignal;
}

/** What names a held lock. */
export interface HeldLock {
  readonly providerId: string;
  readonly profileKey: ProfileKey;
  readonly holder: string;
  readonly fence: number;
}

/**
 * Renews the lock every third of its life. When a renewal is refused, or none could be made for a whole life (the
 * database is away, the process was stopped), the signal aborts: whoever works under it must stop at once.
 */
export function keepAlive(house: House, lock: HeldLock): Heartbeat {
  const lost = new AbortController();
  let renewedAt = performance.now();
  const give = () => lost.abort(new BrowserError('fence_lost', 'the profile lock was lost while the operation ran'));
  const renewed = async (askedAt: number) => {
    try {
      if (await renewLock(house.db.kysely, lock, house.lockTtlMs)) renewedAt = askedAt;
      else give();
    } catch {
      // The next beat decides: a lock that could not be renewed for its whole life is lost.
    }
  };
  const timer = setInterval(() => {
    if (performance.now() - renewedAt > house.lockTtlMs) return give();
    void renewed(performance.now());
  }, house.lockTtlMs / 3);
  timer.unref();
  return { signal: lost.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
