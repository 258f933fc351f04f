import { BrowserError } from '@wheelhouse/contracts';
import { claimDeliveries, type ClaimedDelivery, getArtifact, markDelivered, markDeliveryFailed } from '@wheelhouse/db';
import { timeLimit } from '@wheelhouse/adapters';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { House } from '../pipeline/house.ts';
import type { Delivery, Sink } from './sink.ts';

/** What a round of deliveries did. */
export interface Delivered {
  /** Taken by the receiver, or known to it. */
  readonly delivered: number;
  /** To be tried again. */
  readonly failed: number;
  /** Given up; `replay` takes them up again. */
  readonly dead: number;
}

/** Tries before a delivery is given up: about a day and a half with the pauses below. */
const maxAttempts = 16;
const firstPauseMs = 1_000;
const longestPauseMs = 4 * 60 * 60 * 1000;
/** Longest time of one delivery, and how long it stays taken when its process dies. */
const deliveryMs = 10 * 60 * 1000;

/**
 * Delivers what is due, in the order of capture within a session and a sink, until nothing is due any more. At least
 * once: a process that dies after the receiver took a file leaves it to be delivered again, which the receiver knows.
 */
export async function deliverDue(
  house: House,
  blobs: BlobStore,
  sinks: ReadonlyMap<string, Sink>,
  options: { readonly signal?: AbortSignal | undefined; readonly leaseMs?: number } = {},
): Promise<Delivered> {
  const count = { delivered: 0, failed: 0, dead: 0 };
  const leaseMs = options.leaseMs ?? deliveryMs;
  while (options.signal?.aborted !== true) {
    const due = await claimDeliveries(house.db.kysely, { limit: 8, leaseMs, sinks: [...sinks.keys()] });
    if (due.length === 0) break;
    const ends = await Promise.all(
      due.map((one) => deliverOne(house, blobs, sinks, { one, leaseMs, signal: options.signal })),
    );
    for (const end of ends) count[end] += 1;
  }
  return count;
}

async function deliverOne(
  house: House,
  blobs: BlobStore,
  sinks: ReadonlyMap<string, Sink>,
  {
    one,
    leaseMs,
    signal,
  }: { readonly one: ClaimedDelivery; readonly leaseMs: number; readonly signal: AbortSignal | undefined },
): Promise<keyof Delivered> {
  using limit = timeLimit(leaseMs);
  const stop = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]);
  try {
    const sink = sinks.get(one.sink);
    if (sink === undefined) throw new BrowserError('invalid_config', `the sink ${one.sink} is not configured`);
    await sink.deliver(await deliveryOf(house, blobs, one), stop);
    await markDelivered(house.db.kysely, one.id);
    return 'delivered';
  } catch (thrown) {
    const error = BrowserError.is(thrown) ? thrown : new BrowserError('internal', 'the sink failed', { cause: thrown });
    const isFinal = error.code === 'sink_refused' || error.code === 'blob_missing' || one.attempts >= maxAttempts;
    const pause = Math.min(firstPauseMs * 2 ** (one.attempts - 1), longestPauseMs);
    await markDeliveryFailed(house.db.kysely, {
      id: one.id,
      errorCode: error.code,
      reason: house.redactor.text(error.message).text.slice(0, 500),
      // Some spread, so that all that waited for one receiver do not come back in one moment.
      retryInMs: isFinal ? null : Math.round(pause * (0.75 + Math.random() / 2)),
    });
    house.log.warn(
      { sink: one.sink, artifactId: one.artifactId, code: error.code, attempts: one.attempts },
      'not delivered',
    );
    return isFinal ? 'dead' : 'failed';
  }
}

async function deliveryOf(house: House, blobs: BlobStore, one: ClaimedDelivery): Promise<Delivery> {
  const stored = await getArtifact(house.db.kysely, one.artifactId);
  if (stored === null || stored.isRemoved)
    throw new BrowserError('blob_missing', 'the bytes of this file were removed');
  const { artifact, infoHashV1, infoHashV2 } = stored;
  return {
    artifact,
    idempotencyKey: one.idempotencyKey,
    torrent: infoHashV1 === null && infoHashV2 === null ? null : { infoHashV1, infoHashV2 },
    open: () => blobs.open(artifact.bytes),
  };
}
