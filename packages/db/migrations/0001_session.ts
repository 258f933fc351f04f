import { type Kysely, sql } from 'kysely';

/**
 * Providers, sessions and tabs: what a browser service is, who uses which profile on it, and which pages are open.
 *
 * The first migration: nothing runs beside it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table browser_provider (
      id             uuid primary key default gen_random_uuid(),
      name           text not null constraint provider_name_is_unique unique check (name <> ''),
      kind           text not null check (kind in ('none', 'camofox', 'cdp', 'remote')),
      base_url       text,
      secret_ref     text,
      enabled        boolean not null default true,
      allowlist      text[] not null default '{}',
      capabilities   jsonb,
      verified_at    timestamptz,
      health_status  text not null default 'unknown' check (health_status in ('unknown', 'ok', 'degraded', 'down')),
      last_health_at timestamptz,
      boot_epoch     bigint not null default 0,
      config         jsonb not null default '{}',
      created_at     timestamptz not null default now(),
      constraint a_service_has_an_address check (kind = 'none' or base_url is not null)
    )`.execute(db);

  await sql`
    create table browser_session (
      id               uuid primary key default gen_random_uuid(),
      provider_id      uuid not null references browser_provider,
      profile_key      text not null check (profile_key <> ''),
      site_id          text,
      account_id       text,
      controller       text not null default 'automation' check (controller in ('automation', 'waiting', 'human', 'closed')),
      waiting_reason   text,
      fence            bigint not null default 1 check (fence > 0),
      boot_epoch       bigint not null default 0,
      current_url      text,
      recovery_state   text not null default 'ok' check (recovery_state in ('ok', 'lost', 'needs_look', 'closing')),
      upstream_ref     text,
      allowlist        text[] not null,
      download_policy  text not null default 'block' check (download_policy in ('block', 'capture')),
      created_at       timestamptz not null default now(),
      last_activity_at timestamptz not null default now(),
      closed_at        timestamptz,
      close_reason     text,
      constraint closed_means_closed check ((controller = 'closed') = (closed_at is not null)),
      constraint only_waiting_has_a_reason check (waiting_reason is null or controller in ('waiting', 'human'))
    )`.execute(db);

  // The promise "one open use of a profile" is kept here; code only makes the answer polite.
  await sql`
    create unique index one_open_session_per_profile
      on browser_session (provider_id, profile_key) where closed_at is null`.execute(db);
  // The reconciler reads open sessions of one provider, the idle sweep the oldest first.
  await sql`
    create index open_session_by_activity on browser_session (last_activity_at) where closed_at is null`.execute(db);

  // The state machine of contracts/lease.ts, where nobody can forget it. Closed is terminal; fences only grow.
  await sql`
    create function browser_session_keeps_its_rules() returns trigger language plpgsql as $$
    begin
      if old.controller = 'closed' then
        raise exception 'a closed session never changes' using errcode = 'restrict_violation', constraint = 'closed_is_terminal';
      end if;
      if new.fence < old.fence then
        raise exception 'a fence never goes back' using errcode = 'restrict_violation', constraint = 'fence_only_grows';
      end if;
      if new.controller <> old.controller then
        if new.fence = old.fence then
          raise exception 'a change of control moves the fence' using errcode = 'restrict_violation', constraint = 'control_moves_the_fence';
        end if;
        if not (old.controller, new.controller) in (
          ('automation', 'waiting'), ('automation', 'human'), ('automation', 'closed'),
          ('waiting', 'human'), ('waiting', 'automation'), ('waiting', 'closed'),
          ('human', 'automation'), ('human', 'waiting'), ('human', 'closed')
        ) then
          raise exception 'control cannot go from % to %', old.controller, new.controller
            using errcode = 'restrict_violation', constraint = 'control_goes_only_this_way';
        end if;
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger session_keeps_its_rules before update on browser_session
      for each row execute function browser_session_keeps_its_rules()`.execute(db);

  await sql`
    create table browser_tab (
      id               uuid primary key default gen_random_uuid(),
      session_id       uuid not null references browser_session,
      upstream_tab_id  text not null check (upstream_tab_id <> ''),
      url              text,
      title            text,
      status           text not null default 'open' check (status in ('open', 'closed', 'lost')),
      -- Grows at every attempt to act: a look from before it is void.
      generation       bigint not null default 1 check (generation > 0),
      -- The one valid token and what it saw: origin, and the fingerprint of each ref.
      document_token   text,
      document         jsonb,
      last_snapshot_at timestamptz,
      opened_at        timestamptz not null default now(),
      closed_at        timestamptz,
      constraint upstream_tab_is_listed_once unique (session_id, upstream_tab_id),
      constraint closed_tab_has_a_time check ((status = 'closed') = (closed_at is not null)),
      constraint token_and_document_go_together check ((document_token is null) = (document is null))
    )`.execute(db);
  await sql`create index open_tab_by_session on browser_tab (session_id) where status = 'open'`.execute(db);
}
