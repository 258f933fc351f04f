import { type Kysely, sql } from 'kysely';

/**
 * Capture windows: what a tab had downloaded before an operation that may download, and what became of each file that
 * came after it. Blobs that are being written or swept. What is known of a torrent beside its file.
 *
 * Compatible with running workers of the version before: adds tables, columns with defaults, and a new name beside the
 * old one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table browser_capture (
      id           uuid primary key default gen_random_uuid(),
      session_id   uuid not null references browser_session,
      operation_id text not null,
      tab_id       uuid not null references browser_tab,
      -- The browser service's own ids of what was there before.
      known        text[] not null,
      state        text not null default 'open' check (state in ('open', 'done', 'none', 'lost')),
      opened_at    timestamptz not null default now(),
      closes_at    timestamptz not null,
      ended_at     timestamptz,
      constraint one_window_an_operation unique (session_id, operation_id),
      constraint window_belongs_to_an_operation foreign key (session_id, operation_id)
        references browser_operation (session_id, operation_id),
      constraint ended_window_has_a_time check ((state = 'open') = (ended_at is null))
    )`.execute(db);
  // Two windows of a tab at once could not tell whose a file is.
  await sql`create unique index one_open_window_a_tab on browser_capture (tab_id) where state = 'open'`.execute(db);
  await sql`create index open_window_by_age on browser_capture (opened_at) where state = 'open'`.execute(db);

  await sql`
    create table browser_download (
      capture_id  uuid not null references browser_capture,
      upstream_id text not null,
      url         text not null,
      filename    text not null,
      size_bytes  bigint,
      state       text not null default 'seen' check (state in ('seen', 'captured', 'invalid', 'lost')),
      artifact_id uuid references browser_artifact,
      error_code  text,
      reason      text,
      seen_at     timestamptz not null default now(),
      settled_at  timestamptz,
      primary key (capture_id, upstream_id),
      constraint captured_has_its_artifact check ((state = 'captured') = (artifact_id is not null)),
      constraint settled_download_has_a_time check ((state = 'seen') = (settled_at is null))
    )`.execute(db);

  // A blob is claimed before it is written and doomed before it is swept; one row, so that never both.
  await sql`
    create table browser_blob (
      ref           text primary key,
      claimed_until timestamptz,
      doomed_at     timestamptz,
      constraint claimed_or_doomed check ((claimed_until is null) <> (doomed_at is null))
    )`.execute(db);

  await sql`
    alter table browser_artifact
      add column info_hash_v1 text check (info_hash_v1 ~ '^[0-9a-f]{40}$'),
      add column info_hash_v2 text check (info_hash_v2 ~ '^[0-9a-f]{64}$'),
      -- Its bytes were removed after the retention time; the row stays.
      add column removed_at timestamptz`.execute(db);
  await sql`create index artifact_by_blob on browser_artifact (blob_ref) where removed_at is null`.execute(db);
  await sql`alter table browser_outbox add column reason text`.execute(db);

  await sql`
    create function browser_operation_dispatch_3(
      p_session uuid, p_operation text, p_holder text, p_lock_fence bigint, p_lock_ms int, p_before boolean,
      p_known text[], p_window_ms int
    ) returns text language plpgsql as $$
    declare
      done text;
      o browser_operation;
    begin
      select * into o from browser_operation where session_id = p_session and operation_id = p_operation;
      -- Files of a window that nobody has looked through yet would be taken for old ones by this one.
      if p_known is not null and exists (select from browser_capture where tab_id = o.tab_id and state = 'open') then
        return 'capture_open';
      end if;
      done := browser_operation_dispatch_2(p_session, p_operation, p_holder, p_lock_fence, p_lock_ms, p_before);
      if done <> 'dispatched' or p_known is null then return done; end if;
      insert into browser_capture (session_id, operation_id, tab_id, known, closes_at)
        values (p_session, p_operation, o.tab_id, p_known, now() + p_window_ms * interval '1 millisecond');
      return done;
    end $$`.execute(db);
}
