import { type Kysely, sql } from 'kysely';

/**
 * The ledger of operations with an effect, and the history of everything.
 *
 * Compatible with running workers of the version before: adds tables and triggers on them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table browser_operation (
      session_id    uuid not null references browser_session,
      operation_id  text not null check (operation_id <> ''),
      type          text not null,
      effect        text not null check (effect in ('navigate', 'interact', 'manage')),
      state         text not null default 'reserved' check (state in ('reserved', 'dispatched', 'settled')),
      outcome       text check (outcome in ('applied', 'applied_observation_failed', 'not_applied', 'unknown')),
      error_code    text,
      error_message text,
      -- What a replay is told: small, projected, free of secrets.
      result        jsonb,
      caller        text not null,
      -- Fence of the session and of the profile lock at admission.
      session_fence bigint not null,
      lock_fence    bigint not null,
      holder        text not null,
      tab_id        uuid references browser_tab,
      replays       int not null default 0,
      -- A read-only check that may settle an unknown outcome, and what it found.
      postcondition jsonb,
      evidence      jsonb,
      reserved_at   timestamptz not null default now(),
      dispatched_at timestamptz,
      settled_at    timestamptz,
      primary key (session_id, operation_id),
      constraint settled_has_an_outcome check ((outcome is null) = (settled_at is null)),
      constraint state_follows_the_times check (
        (state = 'reserved' and dispatched_at is null and settled_at is null)
        or (state = 'dispatched' and dispatched_at is not null and settled_at is null)
        or (state = 'settled' and settled_at is not null)),
      constraint undispatched_changes_nothing check (dispatched_at is not null or outcome is null or outcome = 'not_applied')
    )`.execute(db);

  // An outcome is history. Only "we do not know" may become knowledge, and no dispatch is ever taken back.
  await sql`
    create function browser_operation_is_history() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        raise exception 'the ledger forgets nothing' using errcode = 'restrict_violation', constraint = 'ledger_is_kept';
      end if;
      if old.outcome is distinct from new.outcome and old.outcome is not null and old.outcome <> 'unknown' then
        raise exception 'outcome % is final', old.outcome using errcode = 'restrict_violation', constraint = 'outcome_is_final';
      end if;
      if old.dispatched_at is distinct from new.dispatched_at and old.dispatched_at is not null then
        raise exception 'dispatched once' using errcode = 'restrict_violation', constraint = 'dispatched_once';
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger operation_is_history before update or delete on browser_operation
      for each row execute function browser_operation_is_history()`.execute(db);
  // Recovery and the resolver read these; both are few, so a look at them costs nothing.
  await sql`
    create index operation_under_way on browser_operation (reserved_at) where outcome is null`.execute(db);
  await sql`
    create index operation_to_resolve on browser_operation (settled_at) where outcome = 'unknown'`.execute(db);

  await sql`
    create table browser_event (
      id         bigint generated always as identity primary key,
      session_id uuid not null references browser_session,
      type       text not null,
      data       jsonb not null default '{}',
      at         timestamptz not null default now(),
      -- Numbers are given out before they are committed: by this a reader of all sessions knows what may still come.
      xact       xid8 not null default pg_current_xact_id()
    )`.execute(db);
  await sql`create index event_by_session on browser_event (session_id, id)`.execute(db);
  await sql`
    create function browser_event_is_appended_only() returns trigger language plpgsql as $$
    begin
      raise exception 'history is not rewritten' using errcode = 'restrict_violation', constraint = 'history_is_kept';
    end $$`.execute(db);
  await sql`
    create trigger event_is_appended_only before update or delete on browser_event
      for each row execute function browser_event_is_appended_only()`.execute(db);
}
