import type { ProfileKey, ProviderRecord } from '@wheelhouse/contracts';
import { ProfileKey as ProfileKeySchema } from '@wheelhouse/contracts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  createListener,
  type HeldProfileLock,
  profileLockChannel,
  readLock,
  releaseLock,
  renewLock,
  takeLock,
} from '../src/index.ts';
import { rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newProvider } = rowsFor(database);

async function newProfile() {
  const { id } = await newProvider();
  return { providerId: id, profileKey: ProfileKeySchema.parse('wh-site-one-acct-one') };
}
type Profile = { providerId: ProviderRecord['id']; profileKey: ProfileKey };
const take = (profile: Profile, holder: string, ttlMs = 60_000) =>
  takeLock(database.db, { ...profile, holder, note: `work of ${holder}`, ttlMs });
const expire = ({ profileKey, providerId }: Profile) =>
  sql`
  update browser_profile_lock set expires_at = now() - interval '1 ms'
  where provider_id = ${providerId} and profile_key = ${profileKey}`.execute(database.db);

async function taken(profile: Profile, holder: string): Promise<HeldProfileLock> {
  const lock = await take(profile, holder);
  if (lock === null) throw new Error('the lock is held');
  return lock;
}

test('of twenty who ask at once one gets the profile, whether it is new, free or left by a dead holder', async () => {
  const profile = await newProfile();
  for (let round = 1; round <= 15; round += 1) {
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => take(profile, `${round}/${i}`)));
    const won = all.filter((lock) => lock !== null);
    expect(won).toHaveLength(1);
    expect(won[0]?.fence).toBe(round);
    if (round % 2 === 0) await expire(profile);
    else await releaseLock(database.db, won[0]!);
  }
});

test("a holder that is late can neither keep nor release what is now another one's", async () => {
  const profile = await newProfile();
  const late = await taken(profile, 'late');
  await expire(profile);
  expect(await renewLock(database.db, late, 60_000)).toBe(false);
  const next = await taken(profile, 'next');
  expect(next.fence).toBe(late.fence + 1);
  expect(await renewLock(database.db, late, 60_000)).toBe(false);
  expect(await releaseLock(database.db, late)).toBe(false);
  expect(await readLock(database.db, profile)).toMatchObject({ holder: 'next', note: 'work of next' });
  expect(await renewLock(database.db, next, 60_000)).toBe(true);
});

test('a release wakes who waits, and says nothing when nobody does', async () => {
  const profile = await newProfile();
  const heard: (string | null)[] = [];
  await using listener = createListener(database.url, [profileLockChannel]);
  listener.on(profileLockChannel, (payload) => heard.push(payload));
  await expect.poll(() => heard).toEqual([null]);

  await releaseLock(database.db, await taken(profile, 'alone'));
  const lock = await taken(profile, 'one');
  expect(await take(profile, 'two')).toBeNull();
  expect(heard).toEqual([null]);
  await releaseLock(database.db, lock);
  await expect.poll(() => heard).toEqual([null, `${profile.providerId} ${profile.profileKey}`]);
  expect(await readLock(database.db, profile)).toBeNull();
});
