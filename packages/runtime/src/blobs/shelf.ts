/** A blob as a shelf lists it. */
export interface ShelvedBlob {
  readonly ref: string;
  /** Bytes as stored: a sealed blob is a little larger than its file. */
  readonly sizeBytes: number;
  readonly storedAt: Date;
}

/**
 * Where finished blobs stand: a folder, or a bucket. Refs are made by us (kind and hash of the content), so nothing in a
 * path or key comes from a page. A blob never changes: putting the same ref again is a no-op.
 */
export interface Shelf {
  /** For logs and `doctor`: `folder /path`, `bucket name at host`. No credentials. */
  readonly name: string;
  /**
   * Takes a finished local file over. Resolves when the bytes are durable (fsync of file and folder; the answer of S3
   * and its size compared), and only then. The local file may be moved away or left.
   *
   * @throws BrowserError `quota_exceeded`, `sink_unreachable` (a bucket that does not answer), `environment`
   */
  put(ref: string, localFile: string, signal?: AbortSignal): Promise<void>;
  /**
   * The bytes, from the start.
   *
   * @throws BrowserError `blob_missing`
   */
  open(ref: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  has(ref: string): Promise<boolean>;
  /** Removes a blob; one that is not there is no error. */
  remove(ref: string): Promise<void>;
  /** All blobs, in no order. For the sweep of orphans. */
  list(): AsyncIterable<ShelvedBlob>;
}
