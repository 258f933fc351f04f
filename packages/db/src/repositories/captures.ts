import { type Artifact, BrowserErrorCode, OperationId, SessionId, TabId } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { DB } from '../tables.ts';

const CaptureWindow = z.object({
  id: z.uuid(),
  sessionId: SessionId,
  operationId: OperationId,
  tabId: TabId,
  /** Ids of the browser service of what was there before. */
  known: z.array(z.string()),
  state: z.enum(['open', 'done', 'none', 'lost']),
  /** Whether the time is over in which files are waited for. */
  isOver: z.boolean(),
  /** Outcome of the operation; `null` while it runs. */
  outcome: z.string().nullable(),
});
/** What a tab had before an operation that may download; what comes after it is that operation's. */
export type CaptureWindow = z.infer<typeof CaptureWindow>;

const TrackedDownload = z.object({
  upstreamId: z.string(),
  filename: z.string(),
  sizeBytes: z.int().nullable(),
  state: z.enum(['seen', 'captured', 'invalid', 'lost']),
  artifactId: z.uuid().nullable(),
  errorCode: BrowserErrorCode.nullable(),
  reason: z.string().nullable(),
});
/** A file of a window and what became of it. */
export type TrackedDownload = z.infer<typeof TrackedDownload>;

const windowColumns = sql.raw(
  `c.id, c.session_id as "sessionId", c.operation_id as "operationId", c.tab_id as "tabId", c.known, c.state,
   c.closes_at <= now() as "isOver", o.outcome`,
);
const downloadColumns = sql.raw(
  `upstream_id as "upstreamId", filename, size_bytes as "sizeBytes", state, artifact_id as "artifactId",
   error_code as "errorCode", reason`,
);

/** The window of an operation, or `null`. */
export async function getCapture(
  db: Kysely<DB>,
  sessionId: SessionId,
  operationId: OperationId,
): Promise<CaptureWindow | null> {
  const { rows } = await sql`
    select ${windowColumns} from browser_capture c join browser_operation o using (session_id, operation_id)
    where c.session_id = ${sessionId} and c.operation_id = ${operationId}`.execute(db);
  return rows[0] === undefined ? null : CaptureWindow.parse(rows[0]);
}

/** Open windows that were opened at least `olderThanMs` ago, oldest first, whose session is open still. */
export async function listOpenCaptures(
  db: Kysely<DB>,
  { olderThanMs, limit = 50 }: { readonly olderThanMs: number; readonly limit?: number },
): Promise<readonly CaptureWindow[]> {
  const { rows } = await sql`
    select ${windowColumns} from browser_capture c join browser_operation o using (session_id, operation_id)
    where c.state = 'open' and c.opened_at <= now() - ${olderThanMs} * interval '1 millisecond'
    order by c.opened_at limit ${limit}`.execute(db);
  return rows.map((row) => CaptureWindow.parse(row));
}

/** A file as the browser service lists it, made safe: the address projected, the name sanitised. */
export interface SeenDownload {
  readonly upstreamId: string;
  readonly url: string;
  readonly filename: string;
  readonly sizeBytes: number | null;
}

/** Notes files of a window and resolves with all that are known of it, oldest first. Known ones stay as they are. One statement. */
export async function noteDownloads(
  db: Kysely<DB>,
  captureId: string,
  seen: readonly SeenDownload[],
): Promise<readonly TrackedDownload[]> {
  await sql`
    insert into browser_download (capture_id, upstream_id, url, filename, size_bytes)
    select ${captureId}::uuid, d->>'upstreamId', d->>'url', d->>'filename', (d->>'sizeBytes')::bigint
    from jsonb_array_elements(${JSON.stringify(seen)}::jsonb) d
    on conflict (capture_id, upstream_id) do nothing`.execute(db);
  return listDownloads(db, captureId);
}

/** The files of a window, oldest first. */
export async function listDownloads(db: Kysely<DB>, captureId: string): Promise<readonly TrackedDownload[]> {
  const { rows } = await sql`
    select ${downloadColumns} from browser_download where capture_id = ${captureId}
    order by seen_at, upstream_id`.execute(db);
  return rows.map((row) => TrackedDownload.parse(row));
}

/**
 * Notes that a file will never be captured, and tells it. Only the first word counts: resolves with `false` when its end
 * was known. One statement.
 */
export async function giveUpDownload(
  db: Kysely<DB>,
  { id, sessionId }: Pick<CaptureWindow, 'id' | 'sessionId'>,
  given: {
    readonly upstreamId: string;
    readonly state: 'invalid' | 'lost';
    readonly errorCode: BrowserErrorCode;
    /** One sentence, redacted. */
    readonly reason: string;
  },
): Promise<boolean> {
  const { rows } = await sql`
    with session as materialized (
      select id from browser_session where id = ${sessionId} for no key update
    ), given as (
      update browser_download set state = ${given.state}, error_code = ${given.errorCode}, reason = ${given.reason},
        settled_at = now()
      from session where capture_id = ${id} and upstream_id = ${given.upstreamId} and state = 'seen'
      returning filename
    ), told as (
      insert into browser_event (session_id, type, data)
      select ${sessionId}::uuid, 'download.lost', jsonb_build_object('filename', filename,
        'errorCode', ${given.errorCode}::text, 'reason', ${given.reason}::text) from given
      returning id
    )
    select filename from given`.execute(db);
  return rows.length > 0;
}

/** Ends a window. Resolves with `false` when it was ended before. `lost` is told as an event of its own. One statement. */
export async function endCapture(
  db: Kysely<DB>,
  { id, sessionId, operationId }: Pick<CaptureWindow, 'id' | 'sessionId' | 'operationId'>,
  end: { readonly state: 'done' | 'none' | 'lost'; readonly reason?: string },
): Promise<boolean> {
  const { rows } = await sql`
    with session as materialized (
      select id from browser_session where id = ${sessionId} for no key update
    ), ended as (
      update browser_capture c set state = ${end.state}, ended_at = now()
      from session where c.id = ${id} and c.state = 'open' returning c.id
    ), lost as (
      update browser_download set state = 'lost', error_code = 'download_lost', reason = ${end.reason ?? null},
        settled_at = now()
      from ended where capture_id = ended.id and browser_download.state = 'seen' and ${end.state}::text = 'lost'
      returning upstream_id
    ), told as (
      insert into browser_event (session_id, type, data)
      select ${sessionId}::uuid, 'download.lost', jsonb_build_object('operationId', ${operationId}::text,
        'errorCode', 'download_lost', 'reason', ${end.reason ?? null}::text)
      from ended where ${end.state}::text = 'lost'
      returning id
    )
    select id from ended`.execute(db);
  return rows.length > 0;
}

/**
 * Claims a blob's name before its bytes are written, for an hour. Resolves with `false` while a sweep removes it: try
 * again in a moment. One statement.
 */
export async function claimBlob(db: Kysely<DB>, ref: string): Promise<boolean> {
  const { rows } = await sql`
    insert into browser_blob as b (ref, claimed_until) values (${ref}, now() + interval '1 hour')
    on conflict (ref) do update set claimed_until = excluded.claimed_until where b.doomed_at is null
    returning ref`.execute(db);
  return rows.length > 0;
}

/**
 * Dooms a blob that nothing refers to and nobody writes. Resolves with `true` when its bytes may be removed; then
 * `forgetBlob`. A doom that is a minute old is taken over: its sweeper is gone. One statement.
 */
export async function doomBlob(db: Kysely<DB>, ref: string): Promise<boolean> {
  const { rows } = await sql`
    insert into browser_blob as b (ref, doomed_at)
    select ${ref}, now() where not exists (
      select from browser_artifact where blob_ref = ${ref} and removed_at is null)
    on conflict (ref) do update set doomed_at = now(), claimed_until = null
      where (b.claimed_until < now() or b.doomed_at < now() - interval '1 minute')
        and not exists (select from browser_artifact where blob_ref = ${ref} and removed_at is null)
    returning ref`.execute(db);
  return rows.length > 0;
}

/** Forgets a doomed blob whose bytes are gone. One statement. */
export async function forgetBlob(db: Kysely<DB>, ref: string): Promise<void> {
  await sql`delete from browser_blob where ref = ${ref} and doomed_at is not null`.execute(db);
}

/** Bytes that all kept files take, each content counted once. */
export async function storedBytes(db: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size_bytes), 0)::bigint as bytes
    from (select distinct blob_ref, size_bytes from browser_artifact where removed_at is null) kept`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/**
 * Marks files as removed that were captured over `olderThanMs` ago and whose every delivery has arrived; the sweep takes
 * their bytes. Files that are still to be delivered, and those given up, stay. Resolves with how many. One statement.
 */
export async function retireArtifacts(db: Kysely<DB>, olderThanMs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update browser_artifact a set removed_at = now()
    where removed_at is null and captured_at < now() - ${olderThanMs} * interval '1 millisecond'
      and not exists (select from browser_outbox o where o.artifact_id = a.id and o.status <> 'delivered')`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Points a file at bytes that were sealed anew. Resolves with `false` when it changed meanwhile. One statement. */
export async function moveArtifact(db: Kysely<DB>, artifact: Artifact, ref: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update browser_artifact set blob_ref = ${ref}
    where id = ${artifact.id} and blob_ref = ${artifact.bytes.ref} and removed_at is null`.execute(db);
  return numAffectedRows === 1n;
}
