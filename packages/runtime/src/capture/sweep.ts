import { doomBlob, forgetBlob, retireArtifacts } from '@wheelhouse/db';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { House } from '../pipeline/house.ts';

/** What a sweep removed. */
export interface Swept {
  /** Files whose retention time is over; their rows stay. */
  readonly retired: number;
  /** Blobs that nothing refers to. */
  readonly orphans: number;
  /** Staged files whose process is gone. */
  readonly staged: number;
}

/**
 * Removes bytes that nobody needs: of files whose retention time is over and that have arrived everywhere, of captures
 * that died before their row was written. Safe beside captures, from many processes.
 *
 * @param policy `retentionMs` of delivered files; blobs younger than `graceMs` are left alone
 */
export async function sweepBlobs(
  house: House,
  blobs: BlobStore,
  policy: { readonly retentionMs: number; readonly graceMs: number },
): Promise<Swept> {
  const retired = await retireArtifacts(house.db.kysely, policy.retentionMs);
  let orphans = 0;
  for await (const { ref, storedAt } of blobs.shelf.list()) {
    if (Date.now() - storedAt.getTime() < policy.graceMs) continue;
    if (!(await doomBlob(house.db.kysely, ref))) continue;
    await blobs.shelf.remove(ref);
    await forgetBlob(house.db.kysely, ref);
    orphans += 1;
  }
  return { retired, orphans, staged: await blobs.sweepStaging() };
}
