import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BlobRef, BrowserError, Sha256 } from '@wheelhouse/contracts';
import type { Keyring } from './keyring.ts';
import { seal, unseal } from './seal.ts';
import type { Shelf } from './shelf.ts';

/** What a blob store is made of. */
export interface BlobStoreOptions {
  readonly shelf: Shelf;
  readonly keyring: Keyring;
  /** Folder on this host for files that are still arriving. Sealed there, too. */
  readonly staging: string;
}

/** A file that has arrived whole, sealed, on this host, and is in no store yet. */
export interface StagedFile extends AsyncDisposable {
  readonly sha256: Sha256;
  readonly sizeBytes: number;
  /** The first bytes, at most 4,100: enough to tell what it is. */
  readonly head: Uint8Array;
  /** The bytes, decrypted. */
  open(): AsyncIterable<Uint8Array>;
  /** The ref that `keep` will give it. */
  refOf(kind: BlobRef['kind']): Promise<BlobRef>;
  /** Puts it into the store. Resolves when it is durable. */
  keep(kind: BlobRef['kind'], signal?: AbortSignal): Promise<BlobRef>;
}

/** Stored bytes, named by their content. Everything is sealed at rest, whatever its kind. */
export interface BlobStore {
  readonly shelf: Shelf;
  /**
   * Takes a stream down to disk, sealed, while hashing it. Disposing removes what is on disk.
   *
   * @throws BrowserError `too_large` once more than `maxBytes` arrived; whatever the stream throws
   */
  stage(source: AsyncIterable<Uint8Array>, options: { readonly maxBytes: number }): Promise<StagedFile>;
  /** The bytes, decrypted. Fails `blob_missing`, `blob_unreadable`. */
  open(ref: BlobRef): Promise<AsyncIterable<Uint8Array>>;
  /** Whether a ref names bytes sealed with the current key. */
  isCurrent(ref: BlobRef): Promise<boolean>;
  /** Removes staged files that nobody has written to for a day: their process is gone. */
  sweepStaging(): Promise<number>;
}

const headBytes = 4_100;
const abandonedMs = 24 * 60 * 60 * 1000;

/** A blob store over a shelf. */
export function createBlobStore({ shelf, keyring, staging }: BlobStoreOptions): BlobStore {
  return {
    shelf,
    stage: async (source, { maxBytes }) => {
      await mkdir(staging, { recursive: true, mode: 0o700 });
      const path = join(staging, `${randomUUID()}.part`);
      const remove = () => rm(path, { force: true });
      const key = await keyring.current();
      const hash = createHash('sha256');
      const head: Uint8Array[] = [];
      let sizeBytes = 0;
      const measured = async function* () {
        for await (const chunk of source) {
          if (sizeBytes < headBytes) head.push(chunk.subarray(0, headBytes - sizeBytes));
          sizeBytes += chunk.length;
          if (sizeBytes > maxBytes) throw new BrowserError('too_large', `the file is larger than ${maxBytes} bytes`);
          hash.update(chunk);
          yield chunk;
        }
      };
      try {
        await pipeline(seal(measured(), key), createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true }));
      } catch (error) {
        await remove();
        throw error;
      }
      const sha256 = Sha256.parse(hash.digest('hex'));
      const refOf = (kind: BlobRef['kind']): BlobRef => ({
        kind,
        ref: `${kind}/${key.id}/${sha256.slice(0, 2)}/${sha256}`,
      });
      return {
        sha256,
        sizeBytes,
        head: Buffer.concat(head),
        open: () => unseal(createReadStream(path), keyring),
        refOf: async (kind) => refOf(kind),
        keep: async (kind, signal) => {
          const ref = refOf(kind);
          if (!(await shelf.has(ref.ref))) await shelf.put(ref.ref, path, signal);
          return ref;
        },
        [Symbol.asyncDispose]: remove,
      };
    },
    open: async ({ ref }) => unseal(await shelf.open(ref), keyring),
    isCurrent: async ({ ref }) => ref.split('/')[1] === (await keyring.current()).id,
    sweepStaging: async () => {
      let removed = 0;
      for (const name of await readdir(staging).catch(() => [])) {
        const found = await stat(join(staging, name)).catch(() => null);
        if (found === null || Date.now() - found.mtimeMs < abandonedMs) continue;
        await rm(join(staging, name), { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}
