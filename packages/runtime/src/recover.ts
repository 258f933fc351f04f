import type { ControlLease } from '@wheelhouse/contracts';
import { type Abandoned, expireLeases, settleAbandoned } from '@wheelhouse/db';
import type { House } from './pipeline/house.ts';

/** What a recovery found. */
export interface Recovered {
  /** Operations whose process is gone, with the outcome they have now. */
  readonly operations: readonly Abandoned[];
  /** Control leases whose time was over; their sessions wait for a person. */
  readonly leases: readonly ControlLease[];
}

/**
 * Takes up what dead processes left behind: operations that had left are `unknown` and their sessions need a fresh look
 * (S000-20), those that had not are `not_applied`, leases whose time is over end. Repeats nothing.
 *
 * Idempotent, from any process, at any time: at the start and every few seconds is right.
 */
export async function recover(house: House): Promise<Recovered> {
  const operations = await settleAbandoned(house.db.kysely);
  for (const { sessionId, operationId, type, outcome } of operations) {
    house.log.warn({ sessionId, operationId, operation: type, outcome }, 'the process of this operation is gone');
  }
  return { operations, leases: await expireLeases(house.db.kysely) };
}
