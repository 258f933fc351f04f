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
