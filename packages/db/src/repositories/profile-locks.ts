import type { ProfileKey } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';

/** A held profile lock. */
export interface HeldProfileLock {
  readonly providerId: string;
  readonly profileKey: ProfileKey;
  readonly holder: string;
  readonly fence: number;
}

/** Keeps a lock for another `ttlMs`. Resolves with `false` when it is lost: expired, or somebody else's. One statement. */
export async function renewLock(db: Kysely<DB>, lock: HeldProfileLock, ttlMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('browser_profile_lock')
    .set({ expires_at: sql<Date>`now() + ${ttlMs} * interval '1 millisecond'` })
    .where('provider_id', '=', lock.providerId)
    .where('profile_key', '=', lock.profileKey)
    .where('holder', '=', lock.holder)
    .where('fence', '=', lock.fence)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** NOTIFY channel of released locks that somebody waits for; the payload is provider id, blank, profile key. */
export const profileLockChannel = 'browser_profile_lock';

/** Which profile is to be locked, and for whom. */
export type ProfileLockRequest = Omit<HeldProfileLock, 'fence'> & {
  /** What the holder does, for whoever waits. */
  readonly note: string;
  readonly ttlMs: number;
};

/**
 * Takes the lock of a profile outside of an operation. Resolves with the lock, or `null` while somebody holds it: then
 * it is noted that somebody waits, and the release is told on `profileLockChannel`. One round trip.
 *
 * The holder's row is looked at again after waiting for it: of any number of callers at once one gets it.
 */
export async function takeLock(db: Kysely<DB>, want: ProfileLockRequest): Promise<HeldProfileLock | null> {
  const { providerId, profileKey, holder, note, ttlMs } = want;
  const { rows } = await sql<{ fence: number | null }>`
    select browser_profile_lock_take_1(${providerId}, ${profileKey}, ${holder}, ${note}, ${ttlMs}) as fence`.execute(
    db,
  );
  const fence = rows[0]?.fence ?? null;
  return fence === null ? null : { providerId, profileKey, holder, fence };
}

/**
 * Gives a lock back and wakes who waits for it. Resolves with `false` when it was lost before. One round trip.
 *
 * Does not wait for the disk: a release that a crash of Postgres forgets only makes others wait for the lock's end.
 */
export async function releaseLock(db: Kysely<DB>, lock: HeldProfileLock): Promise<boolean> {
  const { rows } = await sql<{ released: boolean }>`
    select browser_profile_lock_release_1(${lock.providerId}, ${lock.profileKey}, ${lock.holder}, ${lock.fence})
      as released`.execute(db);
  return rows[0]?.released === true;
}

/** A lock as others see it. */
export interface ProfileLockState {
  readonly holder: string;
  /** What the holder does. */
  readonly note: string | null;
  readonly since: Date;
  readonly expiresAt: Date;
}

/** Who holds the lock of a profile now, or `null`. */
export async function readLock(
  db: Kysely<DB>,
  profile: Pick<HeldProfileLock, 'providerId' | 'profileKey'>,
): Promise<ProfileLockState | null> {
  const row = await db
    .selectFrom('browser_profile_lock')
    .select(['holder', 'holder_note as note', 'acquired_at as since', 'expires_at as expiresAt'])
    .$castTo<ProfileLockState>()
    .where('provider_id', '=', profile.providerId)
    .where('profile_key', '=', profile.profileKey)
    .where('holder', 'is not', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return row ?? null;
}
