import type { Artifact } from '@wheelhouse/contracts';

/** What is known of a torrent, as its bytes say. */
export interface TorrentFacts {
  /** Hex SHA-1 of the raw info dictionary; `null` for torrents of version 2 alone. */
  readonly infoHashV1: string | null;
  /** Hex SHA-256 of the raw info dictionary; `null` for torrents of version 1. */
  readonly infoHashV2: string | null;
}

/** One captured file on its way to the backend. */
export interface Delivery {
  readonly artifact: Artifact;
  /** The same file is the same key, always: a receiver knows repeats by it. */
  readonly idempotencyKey: string;
  readonly torrent: TorrentFacts | null;
  /** The bytes, decrypted, from the start; may be asked for more than once. Never more than `artifact.sizeBytes`. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

/** What the receiver did with a file: took it, or had it already. Both are an end. */
export type Received = 'taken' | 'known';

/**
 * A receiver of captured files. Deliveries come at least once: after a crash the same one comes again, and a sink makes
 * that a no-op (by info-hash, sha256 or the idempotency key).
 */
export interface Sink {
  /** As configuration names it. */
  readonly name: string;
  /**
   * Delivers one file.
   *
   * @throws BrowserError `sink_unreachable` to be tried again, `sink_refused` when trying again cannot help, with one
   *   sentence of the receiver (redacted)
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<Received>;
}
