import type { BrowserTab, SessionId } from '@wheelhouse/contracts';
import type { Kysely } from 'kysely';
import type { DB } from '../tables.ts';

/** The tabs of a session, oldest first, closed and lost ones included. */
export async function listTabs(db: Kysely<DB>, sessionId: SessionId): Promise<readonly BrowserTab[]> {
  const rows = await db
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
    .where('session_id', '=', sessionId)
    .orderBy('opened_at')
    .orderBy('id')
    .execute();
  return rows as unknown as readonly BrowserTab[];
}
