import { type Artifact, BrowserError, type SessionId } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';

const columns = sql.raw(
  `id, session_id as "sessionId", tab_id as "tabId", purpose, filename, mime_type as "mimeType",
   size_bytes as "sizeBytes", sha256, jsonb_build_object('kind', blob_kind, 'ref', blob_ref) as bytes,
   model_safe as "modelSafe", captured_at as "capturedAt"`,
);

/** A captured file whose bytes are stored durably already. */
export type NewArtifact = Omit<Artifact, 'id' | 'capturedAt'> & {
  /** The operation that captured it, if one did. */
  readonly operationId: string | null;
};

/** Who is told of a captured file. */
export interface Delivery {
  /** The receiver, as configuration names it. */
  readonly sink: string;
  /** Names the file to the receiver: the same one again is delivered once. */
  readonly idempotencyKey: string;
}

/**
 * Writes a captured file, its deliveries and its event, in one transaction (contract §8). Repeated for the same
 * operation and bytes it finds the row of the first time; a delivery under a known key is a no-op. One statement.
 *
 * The conflict is written, not skipped: `do nothing` returns no row.
 *
 * @throws BrowserError `session_not_found`
 */
export async function storeArtifact(
  db: Kysely<DB>,
  file: NewArtifact,
  deliveries: readonly Delivery[] = [],
): Promise<{ readonly artifact: Artifact; readonly created: boolean }> {
  const { rows } = await sql<Artifact & { created: boolean }>`
    with session as materialized (
      select id from browser_session where id = ${file.sessionId} for no key update
    ), stored as (
      insert into browser_artifact as a (session_id, tab_id, operation_id, purpose, filename, mime_type, size_bytes,
        sha256, blob_kind, blob_ref, model_safe)
      select id, ${file.tabId}::uuid, ${file.operationId}, ${file.purpose}, ${file.filename}, ${file.mimeType},
        ${file.sizeBytes}::bigint, ${file.sha256}, ${file.bytes.kind}, ${file.bytes.ref}, ${file.modelSafe}::boolean
      from session
      on conflict (session_id, operation_id, sha256) do update set blob_ref = a.blob_ref
      returning *, (xmax = 0) as created
    ), outgoing as (
      insert into browser_outbox (artifact_id, sink, idempotency_key)
      select stored.id, due->>'sink', due->>'idempotencyKey'
      from stored, jsonb_array_elements(${JSON.stringify(deliveries)}::jsonb) as due
      on conflict (sink, idempotency_key) do nothing
      returning id
    ), told as (
      insert into browser_event (session_id, type, data)
      select session_id, case purpose when 'download' then 'download.captured' else 'artifact.stored' end,
        jsonb_build_object('artifactId', id, 'filename', filename, 'sizeBytes', size_bytes, 'sha256', sha256)
      from stored where created
      returning id
    )
    select created, ${columns} from stored`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new BrowserError('session_not_found', 'there is no session to keep this file for');
  const { created, ...artifact } = row;
  return { artifact, created };
}

/** The file of this id, or `null`. */
export async function getArtifact(db: Kysely<DB>, id: string): Promise<Artifact | null> {
  const { rows } = await sql<Artifact>`select ${columns} from browser_artifact where id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** The files of a session, oldest first, at most `limit`. */
export async function listArtifacts(db: Kysely<DB>, sessionId: SessionId, limit = 200): Promise<readonly Artifact[]> {
  const { rows } = await sql<Artifact>`
    select ${columns} from browser_artifact where session_id = ${sessionId}
    order by captured_at, id limit ${limit}`.execute(db);
  return rows;
}
