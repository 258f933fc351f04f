import { BrowserEvent, type EventType, type SessionId } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';

/** Which part of the history is asked for. */
export interface EventPage {
  /** Id of the last event that the reader has; 0 for all. */
  readonly after?: number;
  /** Most events of one answer. */
  readonly limit?: number;
}

type Row = Pick<BrowserEvent, 'type' | 'data' | 'at'> & { readonly id: number; readonly sessionId: string };

const columns = sql.raw(`id, session_id as "sessionId", type, data, at`);

function eventOf(row: Row): BrowserEvent {
  return BrowserEvent.parse({ ...row, at: row.at.toISOString() });
}

/**
 * The history of a session after an event, oldest first. A reader who goes on from the last id misses nothing: whatever
 * writes an event of a session holds the session's row, so numbers are given out in the order of commits.
 */
export async function readEvents(
  db: Kysely<DB>,
  sessionId: SessionId,
  { after = 0, limit = 500 }: EventPage = {},
): Promise<readonly BrowserEvent[]> {
  const { rows } = await sql<Row>`
    select ${columns} from browser_event where session_id = ${sessionId} and id > ${after}
    order by id limit ${limit}`.execute(db);
  return rows.map(eventOf);
}

/**
 * The history of all sessions after an event, oldest first. Events wait here until nothing that began before them can
 * still commit one with a smaller number, so a reader who goes on from the last id misses nothing.
 */
export async function readAllEvents(
  db: Kysely<DB>,
  { after = 0, limit = 500 }: EventPage = {},
): Promise<readonly BrowserEvent[]> {
  const { rows } = await sql<Row>`
    select ${columns} from browser_event where id > ${after} and xact < pg_snapshot_xmin(pg_current_snapshot())
    order by id limit ${limit}`.execute(db);
  return rows.map(eventOf);
}

/** Writes down what happened to a session; `data` holds nothing secret. Nothing happens to an unknown one. One statement. */
export async function appendEvent(
  db: Kysely<DB>,
  event: { readonly sessionId: SessionId; readonly type: EventType; readonly data: BrowserEvent['data'] },
): Promise<void> {
  await sql`
    with session as materialized (
      select id from browser_session where id = ${event.sessionId} for no key update
    )
    insert into browser_event (session_id, type, data)
    select id, ${event.type}, ${JSON.stringify(event.data)}::jsonb from session`.execute(db);
}
