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
 * it is noted that somebody waits, and the release is told on `profileLockChannel`. One statement.
 *
 * The holder's row is written in both cases, so it is looked at again after waiting for it: of any number of callers
 * at once one gets it.
 */
export async function takeLock(db: Kysely<DB>, want: ProfileLockRequest): Promise<HeldProfileLock | null> {
  const { providerId, profileKey, holder, note, ttlMs } = want;
  const free = sql`(l.holder is null or l.expires_at <= now())`;
  const { rows } = await sql<{ holder: string; fence: number }>`
    insert into browser_profile_lock as l (provider_id, profile_key, holder, holder_note, acquired_at, expires_at)
    values (${providerId}, ${profileKey}, ${holder}, ${note}, now(), now() + ${ttlMs} * interval '1 millisecond')
    on conflict (provider_id, profile_key) do update set
      holder = case when ${free} then excluded.holder else l.holder end,
      holder_note = case when ${free} then excluded.holder_note else l.holder_note end,
      fence = case when ${free} then l.fence + 1 else l.fence end,
      acquired_at = case when ${free} then excluded.acquired_at else l.acquired_at end,
      expires_at = case when ${free} then excluded.expires_at else l.expires_at end,
      wanted_until = case when ${free} then null else now() + interval '30 seconds' end
    returning l.holder, l.fence`.execute(db);
  const [row] = rows;
  return row?.holder === holder ? { providerId, profileKey, holder, fence: row.fence } : null;
}

/** Gives a lock back and wakes who waits for it. Resolves with `false` when it was lost before. One statement. */
export async function releaseLock(db: Kysely<DB>, lock: HeldProfileLock): Promise<boolean> {
  const { rows } = await sql`
    with held as materialized (
      select provider_id, profile_key, wanted_until from browser_profile_lock
      where provider_id = ${lock.providerId} and profile_key = ${lock.profileKey}
        and holder = ${lock.holder} and fence = ${lock.fence}
      for update
    ), released as (
      update browser_profile_lock l
      set holder = null, holder_note = null, acquired_at = null, expires_at = null, wanted_until = null
      from held where l.provider_id = held.provider_id and l.profile_key = held.profile_key
      returning held.wanted_until
    )
    select case when wanted_until > now()
      then pg_notify(${profileLockChannel}, ${`${lock.providerId} ${lock.profileKey}`}) end from released`.execute(db);
  return rows.length === 1;
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
