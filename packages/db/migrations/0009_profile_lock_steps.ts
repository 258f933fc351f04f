import { type Kysely, sql } from 'kysely';

/**
 * Taking a profile lock and giving it back as functions: a session of Postgres plans what is in them once, and a
 * waiter gets the lock in half the time.
 *
 * Compatible with running workers of the version before: adds functions under new names only.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function browser_profile_lock_take_1(
      p_provider uuid, p_profile text, p_holder text, p_note text, p_lock_ms int
    ) returns bigint language plpgsql as $$
    declare
      lock_fence bigint;
    begin
      insert into browser_profile_lock as held (provider_id, profile_key, holder, holder_note, fence, acquired_at, expires_at)
        values (p_provider, p_profile, p_holder, p_note, 1, now(), now() + p_lock_ms * interval '1 millisecond')
        on conflict (provider_id, profile_key) do update
          set holder = excluded.holder, holder_note = excluded.holder_note, fence = held.fence + 1,
              acquired_at = excluded.acquired_at, expires_at = excluded.expires_at, wanted_until = null
          where held.holder is null or held.expires_at <= now()
        returning fence into lock_fence;
      if lock_fence is null then
        -- That somebody waits is a hint; a crash may forget it.
        perform set_config('synchronous_commit', 'off', true);
        update browser_profile_lock set wanted_until = now() + interval '30 seconds'
          where provider_id = p_provider and profile_key = p_profile;
      end if;
      return lock_fence;
    end $$`.execute(db);

  await sql`
    create function browser_profile_lock_release_1(
      p_provider uuid, p_profile text, p_holder text, p_lock_fence bigint
    ) returns boolean language plpgsql as $$
    declare
      l browser_profile_lock;
    begin
      -- A release that a crash forgets only makes others wait for the end of the lock.
      perform set_config('synchronous_commit', 'off', true);
      select * into l from browser_profile_lock where provider_id = p_provider and profile_key = p_profile
        and holder = p_holder and fence = p_lock_fence for update;
      if not found then return false; end if;
      update browser_profile_lock
        set holder = null, holder_note = null, acquired_at = null, expires_at = null, wanted_until = null
        where provider_id = p_provider and profile_key = p_profile;
      if l.wanted_until > now() then
        perform pg_notify('browser_profile_lock', p_provider || ' ' || p_profile);
      end if;
      return true;
    end $$`.execute(db);
}
