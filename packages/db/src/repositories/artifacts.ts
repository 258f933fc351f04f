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
  /** Of a torrent. */
  readonly infoHashV1?: string | null | undefined;
  readonly infoHashV2?: string | null | undefined;
  /** The file of a capture window that it is; settled with it. */
  readonly download?: { readonly captureId: string; readonly upstreamId: string } | undefined;
};

/** A stored file with what the ingest needs to know besides. */
export interface StoredArtifact {
  readonly artifact: Artifact;
  readonly infoHashV1: string | null;
  readonly infoHashV2: string | null;
  /** Its bytes were removed after the retention time. */
  readonly isRemoved: boolean;
}

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
        sha256, blob_kind, blob_ref, model_safe, info_hash_v1, info_hash_v2)
      select id, ${file.tabId}::uuid, ${file.operationId}, ${file.purpose}, ${file.filename}, ${file.mimeType},
        ${file.sizeBytes}::bigint, ${file.sha256}, ${file.bytes.kind}, ${file.bytes.ref}, ${file.modelSafe}::boolean,
        ${file.infoHashV1 ?? null}, ${file.infoHashV2 ?? null}
      from session
      on conflict (session_id, operation_id, sha256) do update set blob_ref = a.blob_ref
      returning *, (xmax = 0) as created
    ), settled as (
      update browser_download d set state = 'captured', artifact_id = stored.id, settled_at = now()
      from stored where d.capture_id = ${file.download?.captureId ?? null}::uuid
        and d.upstream_id = ${file.download?.upstreamId ?? null} and d.state = 'seen'
      returning d.upstream_id
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
export async function getArtifact(db: Kysely<DB>, id: string): Promise<StoredArtifact | null> {
  const { rows } = await sql<Artifact & Omit<StoredArtifact, 'artifact'>>`
    select ${columns}, info_hash_v1 as "infoHashV1", info_hash_v2 as "infoHashV2", removed_at is not null as "isRemoved"
    from browser_artifact where id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { infoHashV1, infoHashV2, isRemoved, ...artifact } = row;
  return { artifact, infoHashV1, infoHashV2, isRemoved };
}

/** Files, of one session or of all, newest first, at most `limit`; those captured before `before` where that is given. */
export async function listArtifacts(
  db: Kysely<DB>,
  {
    sessionId = null,
    before = null,
    limit = 200,
  }: {
    readonly sessionId?: SessionId | null;
    readonly before?: Date | null;
    readonly limit?: number;
  } = {},
): Promise<readonly Artifact[]> {
  const { rows } = await sql<Artifact>`
    select ${columns} from browser_artifact
    where (${sessionId}::uuid is null or session_id = ${sessionId}::uuid)
      and (${before}::timestamptz is null or captured_at < ${before}::timestamptz)
    order by captured_at desc, id limit ${limit}`.execute(db);
  return rows;
}
