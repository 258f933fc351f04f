import type { BrowserSession, OpenSession, SessionId } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';

const columns = [
  'id',
  'provider_id as providerId',
  'profile_key as profileKey',
  'site_id as siteId',
  'account_id as accountId',
  'controller',
  'waiting_reason as waitingReason',
  'fence',
  'current_url as currentUrl',
  'recovery_state as recoveryState',
  'allowlist',
  'download_policy as downloadPolicy',
  'created_at as createdAt',
  'last_activity_at as lastActivityAt',
  'closed_at as closedAt',
  'close_reason as closeReason',
] as const;

/** A row as the contract has it. The database's own checks stand for what the types cannot say. */
function sessionOf(row: object): BrowserSession {
  return row as BrowserSession;
}

/**
 * Opens a session, or finds the open one of this profile. Of any number of callers at once exactly one is told
 * `created`. One statement.
 *
 * The conflict is written, not skipped: `do nothing` returns no row, and a look afterwards could miss it.
 */
export async function openSession(
  db: Kysely<DB>,
  want: OpenSession & { readonly allowlist: string[]; readonly caller: string },
): Promise<{ session: BrowserSession; created: boolean }> {
  const { rows } = await sql<object & { created: boolean }>`
    with opened as (
      insert into browser_session as s (provider_id, profile_key, site_id, account_id, allowlist, download_policy)
      values (${want.providerId}, ${want.profileKey}, ${want.siteId ?? null}, ${want.accountId ?? null},
        ${want.allowlist}, ${want.downloadPolicy})
      on conflict (provider_id, profile_key) where closed_at is null do update set last_activity_at = now()
      returning s.*, (s.xmax = 0) as created
    ), told as (
      insert into browser_event (session_id, type, data)
      select id, 'session.opened', jsonb_build_object('profileKey', profile_key, 'caller', ${want.caller}::text,
        'operationId', ${want.operationId}::text) from opened where created
      returning id
    )
    select created, ${sql.join(columns.map((column) => sql.raw(quoted(column))))} from opened`.execute(db);
  const { created = false, ...row } = rows[0] ?? {};
  return { session: sessionOf(row), created };
}

/** `a as b` with the new name in quotes, since plain SQL folds case. */
function quoted(column: string): string {
  return column.replace(/ as (\w+)$/, ' as "$1"');
}

/** The session of this id, or `null`. */
export async function getSession(db: Kysely<DB>, id: SessionId): Promise<BrowserSession | null> {
  const row = await db.selectFrom('browser_session').select(columns).where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : sessionOf(row);
}

/** All unclosed sessions, the longest idle first. */
export async function listOpenSessions(db: Kysely<DB>): Promise<readonly BrowserSession[]> {
  const rows = await db
    .selectFrom('browser_session')
    .select(columns)
    .where('closed_at', 'is', null)
    .orderBy('last_activity_at')
    .execute();
  return rows.map(sessionOf);
}
