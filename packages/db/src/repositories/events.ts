import { BrowserEvent, type SessionId } from '@wheelhouse/contracts';
import type { Kysely } from 'kysely';
import type { DB } from '../tables.ts';

/** The history of a session after an event, oldest first. */
export async function readEvents(
  db: Kysely<DB>,
  sessionId: SessionId,
  { after = 0, limit = 500 }: { readonly after?: number; readonly limit?: number } = {},
): Promise<readonly BrowserEvent[]> {
  const rows = await db
    .selectFrom('browser_event')
    .select(['id', 'session_id as sessionId', 'type', 'data', 'at'])
    .where('session_id', '=', sessionId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => BrowserEvent.parse({ ...row, at: row.at.toISOString() }));
}
