import { type Kysely, sql } from 'kysely';

/**
 * The profile lock: one operation of a profile at a time, on any number of hosts. A row with a lease, no advisory
 * lock: those strand behind a pooler in transaction mode, and nobody can see who holds one.
 *
 * Compatible with running workers of the version before: adds a table only.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table browser_profile_lock (
      provider_id  uuid not null references browser_provider,
      profile_key  text not null,
      holder       text,
      -- What the holder does, for whoever waits.
      holder_note  text,
      fence        bigint not null default 1 check (fence > 0),
      acquired_at  timestamptz,
      expires_at   timestamptz,
      -- Until when somebody waits for the lock: a release sends NOTIFY only then.
      wanted_until timestamptz,
      primary key (provider_id, profile_key),
      constraint held_lock_has_an_end check ((holder is null) = (expires_at is null))
    ) with (fillfactor = 50)`.execute(db);
  await sql`
    create function browser_profile_lock_fence_grows() returns trigger language plpgsql as $$
    begin
      if new.fence < old.fence then
        raise exception 'a fence never goes back' using errcode = 'restrict_violation', constraint = 'lock_fence_only_grows';
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger profile_lock_fence_grows before update on browser_profile_lock
      for each row execute function browser_profile_lock_fence_grows()`.execute(db);
}
