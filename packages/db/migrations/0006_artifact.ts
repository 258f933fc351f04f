import { type Kysely, sql } from 'kysely';

/**
 * Captured files and the outbox that carries them to the ingest.
 *
 * Compatible with running workers of the version before: adds tables only.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table browser_artifact (
      id           uuid primary key default gen_random_uuid(),
      session_id   uuid not null references browser_session,
      tab_id       uuid references browser_tab,
      operation_id text,
      purpose      text not null check (purpose in ('download', 'screenshot')),
      filename     text not null constraint filename_is_no_path
        check (length(filename) between 1 and 255 and filename !~ '[/\\\\[:cntrl:]]' and filename not in ('.', '..')),
      mime_type    text not null,
      size_bytes   bigint not null check (size_bytes >= 0),
      sha256       text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      blob_kind    text not null check (blob_kind in ('blob', 'secret')),
      blob_ref     text not null check (blob_ref <> ''),
      model_safe   boolean not null default false,
      captured_at  timestamptz not null default now(),
      -- A capture that is repeated after a crash finds its row again.
      constraint captured_once_per_operation unique (session_id, operation_id, sha256),
      constraint artifact_belongs_to_an_operation foreign key (session_id, operation_id)
        references browser_operation (session_id, operation_id)
    )`.execute(db);
  await sql`create index artifact_by_session on browser_artifact (session_id, captured_at)`.execute(db);
  await sql`create index artifact_by_content on browser_artifact (sha256)`.execute(db);

  await sql`
    create table browser_outbox (
      id              bigint generated always as identity primary key,
      artifact_id     uuid not null references browser_artifact,
      sink            text not null,
      idempotency_key text not null,
      status          text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
      attempts        int not null default 0 check (attempts >= 0),
      next_attempt_at timestamptz not null default now(),
      last_error_code text,
      created_at      timestamptz not null default now(),
      delivered_at    timestamptz,
      constraint delivered_once_per_sink unique (sink, idempotency_key),
      constraint delivered_has_a_time check ((status = 'delivered') = (delivered_at is not null))
    )`.execute(db);
  // The delivery loop reads this, oldest first.
  await sql`
    create index outbox_to_deliver on browser_outbox (next_attempt_at) where status = 'pending'`.execute(db);
}
