import type { BrowserTab, SessionId, TabId } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';

/** The tabs of a session, oldest first, closed and lost ones included. */
export async function listTabs(db: Kysely<DB>, sessionId: SessionId): Promise<readonly BrowserTab[]> {
  return await db
    .selectFrom('browser_tab')
    .select([
      'id',
      'session_id as sessionId',
      'url',
      'title',
      'status',
      'last_snapshot_at as lastSnapshotAt',
      'opened_at as openedAt',
      'closed_at as closedAt',
    ])
    .$castTo<BrowserTab>()
    .where('session_id', '=', sessionId)
    .orderBy('opened_at')
    .orderBy('id')
    .execute();
}

/** An open tab and the upstream's own name of it. */
export interface OpenTab {
  readonly id: TabId;
  readonly upstreamTabId: string;
}

/** The tabs of a session that should be there upstream. */
export async function listOpenTabs(db: Kysely<DB>, sessionId: SessionId): Promise<readonly OpenTab[]> {
  return await db
    .selectFrom('browser_tab')
    .select(['id', 'upstream_tab_id as upstreamTabId'])
    .$castTo<OpenTab>()
    .where('session_id', '=', sessionId)
    .where('status', '=', 'open')
    .orderBy('opened_at')
    .orderBy('id')
    .execute();
}

/**
 * Notes that the upstream no longer has these tabs of a session. They stay lost: opening an address again is another
 * tab, whose elements have other refs. Resolves with those that were open. One statement.
 */
export async function loseTabs(
  db: Kysely<DB>,
  sessionId: SessionId,
  tabIds: readonly TabId[],
): Promise<readonly TabId[]> {
  const { rows } = await sql<{ id: TabId }>`
    with session as materialized (
      select id from browser_session where id = ${sessionId} for no key update
    ), lost as (
      update browser_tab t set status = 'lost', document_token = null, document = null, generation = t.generation + 1
      from session where t.session_id = session.id and t.id = any(${[...tabIds]}::uuid[]) and t.status = 'open'
      returning t.id, t.session_id
    ), told as (
      insert into browser_event (session_id, type, data)
      select session_id, 'tab.lost', jsonb_build_object('tabId', id) from lost returning id
    )
    select id from lost`.execute(db);
  return rows.map(({ id }) => id);
}
