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
  want: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with due as materialized (
      select id from browser_outbox where status = 'pending' and next_attempt_at <= now()
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

/** Notes that the receiver has it. Resolves with `false` when that was known already. One statement. */
export async function markDelivered(db: Kysely<DB>, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('browser_outbox')
    .set({ status: 'delivered', delivered_at: sql<Date>`now()`, last_error_code: null })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Notes a failed try; `retryInMs` is the pause before the next, `null` gives the delivery up. One statement. */
export async function markDeliveryFailed(
  db: Kysely<DB>,
  failed: { readonly id: number; readonly errorCode: string; readonly retryInMs: number | null },
): Promise<void> {
  await db
    .updateTable('browser_outbox')
    .set({
      status: failed.retryInMs === null ? 'dead' : 'pending',
      last_error_code: failed.errorCode,
      next_attempt_at: sql<Date>`now() + ${failed.retryInMs ?? 0} * interval '1 millisecond'`,
    })
    .where('id', '=', failed.id)
    .where('status', '=', 'pending')
    .execute();
}
