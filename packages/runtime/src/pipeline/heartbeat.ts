import { BrowserError, type Fence, type ProfileKey, type SessionId } from '@wheelhouse/contracts';
import { controlChannel, getSession, renewLock } from '@wheelhouse/db';
import type { House } from './house.ts';

/** The lock of one running operation, kept alive by a heartbeat. */
export interface Heartbeat extends Disposable {
  /** Aborts with `fence_lost` the moment the lock or the control of the session is known to be lost. */
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
 *
 * So it does when control of the `watched` session changes hands: nothing of automation goes on beside a person.
 */
export function keepAlive(
  house: House,
  lock: HeldLock,
  watched?: { readonly sessionId: SessionId; readonly fence: Fence },
): Heartbeat {
  const lost = new AbortController();
  let renewedAt = performance.now();
  const give = (what: string) => lost.abort(new BrowserError('fence_lost', `${what} while the operation ran`));
  const renewed = async (askedAt: number) => {
    try {
      if (await renewLock(house.db.kysely, lock, house.lockTtlMs)) renewedAt = askedAt;
      else give('the profile lock was lost');
    } catch {
      // The next beat decides: a lock that could not be renewed for its whole life is lost.
    }
  };
  const timer = setInterval(() => {
    if (performance.now() - renewedAt > house.lockTtlMs) return give('the profile lock was lost');
    void renewed(performance.now());
  }, house.lockTtlMs / 3);
  timer.unref();
  const stopWatching = watched === undefined ? () => undefined : watchControl(house, watched, give);
  return {
    signal: lost.signal,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      stopWatching();
    },
  };
}

function watchControl(
  house: House,
  { sessionId, fence }: { readonly sessionId: SessionId; readonly fence: Fence },
  give: (what: string) => void,
): () => void {
  const look = async () => {
    const session = await getSession(house.db.kysely, sessionId);
    if (session?.fence !== fence) give('control of the session changed hands');
  };
  // A look that fails is made up for at the end: an old fence settles nothing but its own outcome.
  return (
    house.listener?.on(controlChannel, (payload) => {
      if (payload === null || payload === sessionId) look().catch(() => undefined);
    }) ?? (() => undefined)
  );
}
