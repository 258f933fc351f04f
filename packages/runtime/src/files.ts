import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Artifact, BrowserError, type Grant, OperationId, type SessionId } from '@wheelhouse/contracts';
import {
  type DeliveryState,
  endCapture,
  getArtifact,
  listArtifacts,
  listDeliveries,
  listOpenCaptures,
  listTabs,
  moveArtifact,
  replayDeliveries,
  type StoredArtifact,
} from '@wheelhouse/db';
import type { BlobStore } from './blobs/blob-store.ts';
import { type Swept, sweepBlobs } from './capture/sweep.ts';
import { type Delivered, deliverDue } from './ingest/deliver.ts';
import type { Sink } from './ingest/sink.ts';
import type { House } from './pipeline/house.ts';

/** Captured files, and what carries them to the backend. */
export interface Files {
  /** Newest first. */
  list(want?: {
    readonly sessionId?: SessionId;
    readonly before?: Date;
    readonly limit?: number;
  }): Promise<readonly Artifact[]>;
  /** A file and its deliveries. Fails `artifact_not_found`. */
  get(id: string): Promise<StoredArtifact & { readonly deliveries: readonly DeliveryState[] }>;
  /** The bytes, decrypted. Fails `artifact_not_found`, `blob_missing`, `blob_unreadable`. */
  open(id: string): Promise<AsyncIterable<Uint8Array>>;
  /** Writes a file to a path that is not there yet, whole or not at all, for its owner only. Fails `invalid_request` when it is there. */
  export(id: string, path: string): Promise<void>;
  /** Delivers what is due, until nothing is. */
  deliver(signal?: AbortSignal): Promise<Delivered>;
  /** Deliveries that were given up. */
  dead(): Promise<readonly DeliveryState[]>;
  /** Takes deliveries up again that were given up: of one file, or all. `again` repeats those that arrived, too. */
  replay(want: { readonly artifactId: string | null; readonly again?: boolean }): Promise<number>;
  /**
   * Goes on with captures whose process is gone, and tells files as lost whose tab is gone. Resolves with how many
   * windows it ended.
   */
  resume(): Promise<number>;
  sweep(): Promise<Swept>;
  /** Seals files anew whose key is not the first of the keyring any more. Resolves with how many. */
  reseal(): Promise<number>;
}

/** What files need. */
export interface FilesNeeds {
  readonly house: House;
  readonly blobs: BlobStore;
  readonly sinks: ReadonlyMap<string, Sink>;
  readonly retentionMs: number;
  readonly operate: (sessionId: SessionId, capture: CaptureInput, grant: Grant) => Promise<unknown>;
}

/** A `capture` operation as `resume` asks for it. */
export interface CaptureInput {
  readonly type: 'capture';
  readonly tabId: string;
  readonly operationId: OperationId;
  readonly of: OperationId;
  readonly waitMs: number;
}

/** A capture that is younger has its own process, most likely. */
const resumeAfterMs = 30_000;
/** Blobs younger than this may belong to a capture that is under way. */
const sweepGraceMs = 60 * 60 * 1000;
const grant: Grant = { caller: 'capture', classes: ['observe', 'manage'], siteSelectors: false };

/** The files of a house. */
export function createFiles({ house, blobs, sinks, retentionMs, operate }: FilesNeeds): Files {
  const db = house.db.kysely;
  const get = async (id: string): Promise<StoredArtifact> => {
    const stored = isUuid(id) ? await getArtifact(db, id) : null;
    if (stored === null) throw new BrowserError('artifact_not_found', `there is no file ${id.slice(0, 64)}`);
    return stored;
  };
  const open = async (id: string) => {
    const { artifact, isRemoved } = await get(id);
    if (isRemoved)
      throw new BrowserError('blob_missing', 'the bytes of this file were removed after their retention time');
    return blobs.open(artifact.bytes);
  };
  return {
    list: (want) => listArtifacts(db, want),
    get: async (id) => ({ ...(await get(id)), deliveries: await listDeliveries(db, { artifactId: id }) }),
    open,
    export: async (id, path) => {
      const near = join(dirname(path), `.${randomUUID()}.partial`);
      try {
        await pipeline(await open(id), createWriteStream(near, { mode: 0o600, flags: 'wx', flush: true }));
        // A link never overwrites.
        await link(near, path);
      } catch (cause) {
        const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
        if (code === 'EEXIST') throw new BrowserError('invalid_request', `${path} is there already; name a new file`);
        if (code === 'ENOENT') throw new BrowserError('invalid_request', `the folder of ${path} does not exist`);
        throw cause;
      } finally {
        await rm(near, { force: true });
      }
    },
    deliver: (signal) => deliverDue(house, blobs, sinks, { signal }),
    dead: () => listDeliveries(db, { status: 'dead' }),
    replay: async (want) => {
      if (want.artifactId !== null) await get(want.artifactId);
      return replayDeliveries(db, want);
    },
    resume: async () => {
      let ended = 0;
      for (const window of await listOpenCaptures(db, { olderThanMs: resumeAfterMs })) {
        const tab = (await listTabs(db, window.sessionId)).find(({ id }) => id === window.tabId);
        if (tab?.status !== 'open') {
          const reason = 'the tab was gone before its files were captured';
          if (await endCapture(db, window, { state: 'lost', reason })) ended += 1;
          continue;
        }
        const operationId = OperationId.parse(`capture:${randomUUID()}`);
        const input = { type: 'capture', tabId: window.tabId, operationId, of: window.operationId, waitMs: 0 } as const;
        try {
          await operate(window.sessionId, input, grant);
          ended += 1;
        } catch (error) {
          // A person at the wheel, a service that is away: the window stays open for the next round.
          if (!BrowserError.is(error)) throw error;
          house.log.info({ operationId: window.operationId, code: error.code }, 'files still wait for their capture');
        }
      }
      return ended;
    },
    sweep: () => sweepBlobs(house, blobs, { retentionMs, graceMs: sweepGraceMs }),
    reseal: async () => {
      let resealed = 0;
      let before: Date | undefined;
      for (;;) {
        const page = await listArtifacts(db, { ...(before === undefined ? {} : { before }), limit: 100 });
        for (const artifact of page) {
          if (await blobs.isCurrent(artifact.bytes)) continue;
          if ((await get(artifact.id)).isRemoved) continue;
          await using staged = await blobs.stage(await blobs.open(artifact.bytes), { maxBytes: artifact.sizeBytes });
          const { ref } = await staged.keep(artifact.bytes.kind);
          if (await moveArtifact(db, artifact, ref)) resealed += 1;
        }
        const last = page.at(-1)?.capturedAt;
        if (last === undefined || page.length < 100) return resealed;
        before = new Date(last);
      }
    },
  };
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
