import { BrowserError, type BrowserSession, type OpenSession, type SessionId } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';
import { controlChannel } from './control.ts';

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
  const { rows } = await sql<BrowserSession & { created: boolean }>`
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
  const [row] = rows;
  if (row === undefined) throw new BrowserError('internal', 'opening a session gave no row');
  const { created, ...session } = row;
  return { session, created };
}

/** `a as b` with the new name in quotes, since plain SQL folds case. */
function quoted(column: string): string {
  return column.replace(/ as (\w+)$/, ' as "$1"');
}

/** The session of this id, or `null`. */
export async function getSession(db: Kysely<DB>, id: SessionId): Promise<BrowserSession | null> {
  const row = await db
    .selectFrom('browser_session')
    .select(columns)
    .$castTo<BrowserSession>()
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** All unclosed sessions, the longest idle first. */
export async function listOpenSessions(db: Kysely<DB>): Promise<readonly BrowserSession[]> {
  return await db
    .selectFrom('browser_session')
    .select(columns)
    .$castTo<BrowserSession>()
    .where('closed_at', 'is', null)
    .orderBy('last_activity_at')
    .execute();
}

/**
 * Closes a session whoever controls it, its tabs and its lease with it; a closed one never comes back. Resolves with
 * `false` when it was closed already or is unknown. One statement.
 */
export async function closeSession(
  db: Kysely<DB>,
  want: { readonly sessionId: SessionId; readonly reason: string },
): Promise<boolean> {
  const { rows } = await sql`
    with closed as (
      update browser_session set controller = 'closed', waiting_reason = null, fence = fence + 1, closed_at = now(),
        close_reason = ${want.reason}
      where id = ${want.sessionId} and closed_at is null returning id, fence
    ), ended as (
      update browser_control_lease l set status = 'revoked', released_at = now(), release_reason = 'the session was closed'
      from closed where l.session_id = closed.id and l.status = 'active' returning l.id
    ), freed as (
      update browser_display_lease d set released_at = now()
      from ended where d.lease_id = ended.id and d.released_at is null returning d.id
    ), tabs as (
      update browser_tab t set status = 'closed', closed_at = now(), document_token = null, document = null
      from closed where t.session_id = closed.id and t.status = 'open' returning t.id
    ), told as (
      insert into browser_event (session_id, type, data)
      select id, 'session.closed', jsonb_build_object('reason', ${want.reason}::text, 'fence', fence) from closed
      returning id
    )
    select pg_notify(${controlChannel}, id::text) from closed`.execute(db);
  return rows.length === 1;
}

/** Notes what is known of the upstream half of an open session. Resolves with whether it is open. One statement. */
export async function setRecoveryState(
  db: Kysely<DB>,
  sessionId: SessionId,
  state: BrowserSession['recoveryState'],
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('browser_session')
    .set({ recovery_state: state })
    .where('id', '=', sessionId)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
