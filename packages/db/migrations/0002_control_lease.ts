import { type Kysely, sql } from 'kysely';

/**
 * Control leases, and leases of a shared screen: camofox shows every account's window on one display.
 *
 * Compatible with running workers of the version before: adds tables only.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table browser_control_lease (
      id             uuid primary key default gen_random_uuid(),
      session_id     uuid not null references browser_session,
      holder_kind    text not null check (holder_kind in ('automation', 'human')),
      holder         text not null check (holder <> ''),
      reason         text not null default '',
      status         text not null default 'active' check (status in ('active', 'released', 'expired', 'revoked')),
      fence          bigint not null,
      acquired_at    timestamptz not null default now(),
      expires_at     timestamptz not null,
      released_at    timestamptz,
      release_reason text,
      constraint lease_has_a_span check (expires_at > acquired_at),
      constraint fence_used_once unique (session_id, fence),
      constraint ended_lease_has_a_time check ((status = 'active') = (released_at is null))
    )`.execute(db);
  await sql`
    create unique index one_active_lease_per_session
      on browser_control_lease (session_id) where status = 'active'`.execute(db);
  // The expiry sweep reads this, oldest first.
  await sql`
    create index active_lease_by_expiry
      on browser_control_lease (expires_at) where status = 'active'`.execute(db);

  await sql`
    create table browser_display_lease (
      id          uuid primary key default gen_random_uuid(),
      provider_id uuid not null references browser_provider,
      display     text not null,
      lease_id    uuid not null references browser_control_lease,
      acquired_at timestamptz not null default now(),
      released_at timestamptz
    )`.execute(db);
  await sql`
    create unique index one_human_per_display
      on browser_display_lease (provider_id, display) where released_at is null`.execute(db);
}
