import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';

/** A delivery that is to be tried now. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly artifactId: string;
  readonly sink: string;
  readonly idempotencyKey: string;
  /** How often it was tried, this time included. */
  readonly attempts: number;
}

/**
 * Takes deliveries that are due, oldest first, for `leaseMs`: whoever takes them and dies only delays them by that.
 * Nobody else gets them meanwhile. At least once: the receiver knows repeats by their key. One statement.
 */
export async function claimDeliveries(
  db: Kysely<DB>,
  want: { readonly limit: number; readonly leaseMs: number; readonly sinks: readonly string[] | null },
): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with due as materialized (
      select id from browser_outbox o where status = 'pending' and next_attempt_at <= now()
        and (${want.sinks}::text[] is null or sink = any(${want.sinks}::text[]))
        -- In the order of capture within a session: what waits holds back what came after it.
        and not exists (
          select from browser_outbox earlier
          join browser_artifact ea on ea.id = earlier.artifact_id
          join browser_artifact a on a.id = o.artifact_id
          where earlier.sink = o.sink and earlier.status = 'pending' and earlier.id < o.id
            and ea.session_id = a.session_id)
      order by next_attempt_at, id limit ${want.limit} for update skip locked
    )
    update browser_outbox o
    set attempts = o.attempts + 1, next_attempt_at = now() + ${want.leaseMs} * interval '1 millisecond'
    from due where o.id = due.id
    returning o.id, o.artifact_id as "artifactId", o.sink, o.idempotency_key as "idempotencyKey", o.attempts`.execute(
    db,
  );
  return rows;
}

/** Notes that the receiver has it, and tells it. Resolves with `false` when that was known already. One statement. */
export async function markDelivered(db: Kysely<DB>, id: number): Promise<boolean> {
  const { rows } = await sql`
    with done as (
      update browser_outbox set status = 'delivered', delivered_at = now(), last_error_code = null, reason = null
      where id = ${id} and status = 'pending' returning artifact_id, sink
    ), told as (${deliveryEvent('delivery.delivered')})
    select sink from done`.execute(db);
  return rows.length > 0;
}

/**
 * Notes a failed try; `retryInMs` is the pause before the next, `null` gives the delivery up, which is told. One
 * statement.
 */
export async function markDeliveryFailed(
  db: Kysely<DB>,
  failed: {
    readonly id: number;
    readonly errorCode: string;
    /** One sentence, redacted. */
    readonly reason: string;
    readonly retryInMs: number | null;
  },
): Promise<void> {
  await sql`
    with done as (
      update browser_outbox set status = ${failed.retryInMs === null ? 'dead' : 'pending'},
        last_error_code = ${failed.errorCode}, reason = ${failed.reason},
        next_attempt_at = now() + ${failed.retryInMs ?? 0} * interval '1 millisecond'
      where id = ${failed.id} and status = 'pending' returning artifact_id, sink
    ), told as (${deliveryEvent('delivery.dead', failed.retryInMs === null)})
    select sink from done`.execute(db);
}

/** The event of what `done` changed. */
function deliveryEvent(type: string, isTold = true) {
  return sql`
    insert into browser_event (session_id, type, data)
    select s.id, ${type}, jsonb_build_object('artifactId', a.id, 'sink', done.sink)
    from done join browser_artifact a on a.id = done.artifact_id
      join lateral (select id from browser_session where id = a.session_id for no key update) s on true
    where ${isTold}::boolean
    returning id`;
}

/** How a delivery stands. */
export interface DeliveryState {
  readonly id: number;
  readonly artifactId: string;
  readonly sink: string;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly lastErrorCode: string | null;
  readonly reason: string | null;
  readonly nextAttemptAt: Date;
  readonly deliveredAt: Date | null;
}

const stateColumns = sql.raw(
  `id, artifact_id as "artifactId", sink, status, attempts, last_error_code as "lastErrorCode", reason,
   next_attempt_at as "nextAttemptAt", delivered_at as "deliveredAt"`,
);

/** Deliveries, of one file or of a status, newest first, at most `limit`. */
export async function listDeliveries(
  db: Kysely<DB>,
  want: { readonly artifactId?: string; readonly status?: DeliveryState['status']; readonly limit?: number } = {},
): Promise<readonly DeliveryState[]> {
  const { rows } = await sql<DeliveryState>`
    select ${stateColumns} from browser_outbox
    where (${want.artifactId ?? null}::uuid is null or artifact_id = ${want.artifactId ?? null}::uuid)
      and (${want.status ?? null}::text is null or status = ${want.status ?? null})
    order by id desc limit ${want.limit ?? 200}`.execute(db);
  return rows;
}

/**
 * Takes up deliveries of a file (or all that were given up) once more, from the first try. Delivered ones only when
 * `again` says so: the receiver knows repeats. Resolves with how many. One statement.
 */
export async function replayDeliveries(
  db: Kysely<DB>,
  want: { readonly artifactId: string | null; readonly again?: boolean },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update browser_outbox set status = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = null
    where (${want.artifactId}::uuid is null or artifact_id = ${want.artifactId}::uuid)
      and (status = 'dead' or (${want.again ?? false}::boolean and status = 'delivered'))`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
