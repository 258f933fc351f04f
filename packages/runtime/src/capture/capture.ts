import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { BrowserError, type BrowserErrorCode, type CallContext } from '@wheelhouse/contracts';
import {
  type CaptureWindow,
  claimBlob,
  endCapture,
  getArtifact,
  getCapture,
  giveUpDownload,
  noteDownloads,
  storeArtifact,
  storedBytes,
  type TrackedDownload,
} from '@wheelhouse/db';
import type { BlobStore, StagedFile } from '../blobs/blob-store.ts';
import type { House } from '../pipeline/house.ts';
import type { Captured, CaptureWish } from './captured.ts';
import { safeFilename } from './filename.ts';
import { verifyFile } from './verify.ts';

/** What capturing needs besides the house. */
export interface CaptureNeeds {
  readonly blobs: BlobStore;
  /** Names of the sinks that are told of each file. */
  readonly sinks: readonly string[];
  /** Most bytes that all kept files may take. */
  readonly quotaBytes: number;
  /** Called at each place where a crash matters. Only the chaos harness sets it. */
  readonly failpoint?: ((at: CaptureFailpoint) => Promise<void> | void) | undefined;
  /** A fault planted by the chaos harness: writes the row before its bytes are stored. */
  readonly rowBeforeBlob?: boolean;
}

/** The places of a capture, in their order, where chaos may strike. */
export const captureFailpoints = [
  'before-fetch',
  'after-fetch',
  'before-keep',
  'after-keep',
  'after-row',
  'before-end',
] as const;
export type CaptureFailpoint = (typeof captureFailpoints)[number];

/** The browser service shows a file when it is finished; those that belong together come within this, milliseconds. */
const quietMs = 700;
const pollMs = 150;
/** The browser service keeps so many files of a tab (recording 10-downloads). */
const ringSize = 20;

/**
 * Captures what an operation downloaded: list, fetch, hash, verify, store durably, then row and deliveries in one
 * transaction (contract §8). Idempotent, from any process: what was captured before is found, not captured again.
 *
 * @throws BrowserError `capture_not_found`; what the adapter throws when the browser service cannot be asked (the window
 *   stays open then, and nothing is forgotten); `quota_exceeded`
 */
export async function capture(
  house: House,
  needs: CaptureNeeds,
  wish: CaptureWish,
  context: CallContext,
): Promise<Captured> {
  const window = await getCapture(house.db.kysely, wish.sessionId, wish.of);
  if (window === null) {
    throw new BrowserError('capture_not_found', `the operation ${wish.of} opened no capture window`);
  }
  if (window.state !== 'open') return found(house, window, { state: window.state, mayHaveLost: false });
  const until = performance.now() + wish.waitMs;
  let mayHaveLost = false;
  let quietSince = performance.now();
  let known = -1;
  for (;;) {
    const listed = await listedOf(house, window, wish, context);
    const fresh = listed.filter(({ id }) => !window.known.includes(id));
    mayHaveLost ||= fresh.length >= ringSize;
    const files = await noteDownloads(
      house.db.kysely,
      window.id,
      fresh.map(({ id, url, suggestedFilename, sizeBytes }) => ({
        upstreamId: id,
        url: house.redactor.url(url, 'operator'),
        filename: nameOf(house, suggestedFilename),
        sizeBytes,
      })),
    );
    for (const file of files.filter(({ state }) => state === 'seen')) {
      const upstream = listed.find(({ id }) => id === file.upstreamId);
      const gone = upstream === undefined ? 'the browser service dropped it before it was fetched' : null;
      const failed = upstream?.state === 'failed' ? 'the browser could not finish it' : null;
      const reason = gone ?? failed;
      if (reason === null) await captureOne(house, needs, { wish, window, file }, context);
      else await giveUp(house, window, file, { code: 'download_lost', reason });
    }
    if (files.length !== known) {
      known = files.length;
      quietSince = performance.now();
    }
    const isQuiet = performance.now() - quietSince >= quietMs;
    if (known > 0 ? isQuiet || known >= (wish.expect ?? Infinity) : performance.now() >= until) break;
    await sleep(pollMs, undefined, { signal: context.signal }).catch(() => undefined);
    if (context.signal.aborted) throw new BrowserError('deadline', 'the capture ran out of time; ask again');
  }
  await needs.failpoint?.('before-end');
  const state = known > 0 ? 'done' : window.isOver || window.outcome === 'not_applied' ? 'none' : 'open';
  if (state !== 'open') await endCapture(house.db.kysely, window, { state });
  return found(house, window, { state, mayHaveLost });
}

/** What the tab has; a tab that is gone took its files along, which is told. */
async function listedOf(house: House, window: CaptureWindow, { provider, tab }: CaptureWish, context: CallContext) {
  try {
    return await provider.listDownloads(tab, context);
  } catch (thrown) {
    if (BrowserError.is(thrown) && (thrown.code === 'tab_lost' || thrown.code === 'browser_dead')) {
      await endCapture(house.db.kysely, window, {
        state: 'lost',
        reason: 'the tab was gone before its files were captured',
      });
    }
    throw thrown;
  }
}

async function captureOne(
  house: House,
  needs: CaptureNeeds,
  {
    wish,
    window,
    file,
  }: { readonly wish: CaptureWish; readonly window: CaptureWindow; readonly file: TrackedDownload },
  context: CallContext,
): Promise<void> {
  if (file.sizeBytes !== null && (await storedBytes(house.db.kysely)) + file.sizeBytes > needs.quotaBytes) {
    throw new BrowserError('quota_exceeded', `the blob store is full: ${needs.quotaBytes} bytes are its quota`);
  }
  await needs.failpoint?.('before-fetch');
  const { maxBytes } = wish;
  const source = wish.provider.fetchDownload(wish.tab, file.upstreamId, { ...context, maxBytes });
  let staged: StagedFile;
  try {
    staged = await needs.blobs.stage(source, { maxBytes });
  } catch (thrown) {
    // Only what is certain ends a file; after anything else it is fetched again.
    if (!BrowserError.is(thrown) || !['download_lost', 'too_large'].includes(thrown.code)) throw thrown;
    return giveUp(house, window, file, { code: thrown.code, reason: thrown.message });
  }
  await using kept = staged;
  await needs.failpoint?.('after-fetch');
  const verified = await verifyFile({
    filename: file.filename,
    sizeBytes: kept.sizeBytes,
    claimedBytes: file.sizeBytes,
    head: kept.head,
    bytes: () => buffer(kept.open()),
  });
  if (!verified.valid) {
    const reason = house.redactor.text(verified.because).text;
    return giveUp(house, window, file, { code: 'download_invalid', reason, state: 'invalid' });
  }
  const bytes = await kept.refOf(verified.kind);
  while (!(await claimBlob(house.db.kysely, bytes.ref))) await sleep(100, undefined, { signal: context.signal });
  await needs.failpoint?.('before-keep');
  if (needs.rowBeforeBlob !== true) await kept.keep(verified.kind, context.signal);
  await needs.failpoint?.('after-keep');
  const { torrent } = verified;
  const key = torrent === null ? `sha256:${kept.sha256}` : `btih:${torrent.infoHashV1 ?? torrent.infoHashV2}`;
  await storeArtifact(
    house.db.kysely,
    {
      sessionId: wish.sessionId,
      tabId: window.tabId,
      operationId: window.operationId,
      purpose: 'download',
      filename: file.filename,
      mimeType: verified.mimeType,
      sizeBytes: kept.sizeBytes,
      sha256: kept.sha256,
      bytes,
      modelSafe: false,
      infoHashV1: torrent?.infoHashV1,
      infoHashV2: torrent?.infoHashV2,
      download: { captureId: window.id, upstreamId: file.upstreamId },
    },
    (wish.deliver ? needs.sinks : []).map((sink) => ({ sink, idempotencyKey: key })),
  );
  await needs.failpoint?.('after-row');
  if (needs.rowBeforeBlob === true) await kept.keep(verified.kind, context.signal);
}

async function giveUp(
  house: House,
  window: CaptureWindow,
  { upstreamId }: TrackedDownload,
  why: { readonly code: BrowserErrorCode; readonly reason: string; readonly state?: 'invalid' },
): Promise<void> {
  const given = { upstreamId, state: why.state ?? 'lost', errorCode: why.code, reason: why.reason } as const;
  await giveUpDownload(house.db.kysely, window, given);
}

/** A name that leads nowhere and tells nothing: what sites put into names may be a passkey. */
function nameOf(house: House, suggested: string): string {
  return safeFilename(house.redactor.text(safeFilename(suggested)).text);
}

async function found(
  house: House,
  window: CaptureWindow,
  how: Pick<Captured, 'state' | 'mayHaveLost'>,
): Promise<Captured> {
  const files = await noteDownloads(house.db.kysely, window.id, []);
  return {
    ...how,
    files: await Promise.all(
      files.map(async ({ filename, sizeBytes, state, artifactId, errorCode, reason }) => ({
        filename,
        sizeBytes,
        state,
        artifact: artifactId === null ? null : ((await getArtifact(house.db.kysely, artifactId))?.artifact ?? null),
        errorCode,
        reason,
      })),
    ),
  };
}
