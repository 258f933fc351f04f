import { OperationId, Sha256, type SessionId } from '@wheelhouse/contracts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  beginOperation,
  claimBlob,
  dispatchOperation,
  doomBlob,
  endCapture,
  forgetBlob,
  getCapture,
  giveUpDownload,
  listOpenCaptures,
  noteDownloads,
  readEvents,
  retireArtifacts,
  storeArtifact,
} from '../src/index.ts';
import { rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newSession, newTab } = rowsFor(database);
let count = 0;

async function dispatched(known: readonly string[], at?: { sessionId: SessionId; tabId: string }) {
  const sessionId = at?.sessionId ?? (await newSession());
  const tabId = at?.tabId ?? (await newTab(sessionId));
  count += 1;
  const operationId = OperationId.parse(`click-${count}`);
  const holder = `holder-${count}`;
  const begun = await beginOperation(database.db, {
    sessionId,
    tabId,
    operationId,
    type: 'click',
    effect: 'interact',
    caller: 'test',
    documentToken: null,
    holder,
    lockTtlMs: 60_000,
    dispatch: false,
  });
  if (!('lockFence' in begun)) throw new Error('not admitted');
  const held = { sessionId, operationId, holder, lockFence: begun.lockFence, capture: { known, windowMs: 60_000 } };
  const done = await dispatchOperation(database.db, held, 60_000);
  await sql`update browser_profile_lock set holder = null, expires_at = null, acquired_at = null, holder_note = null`.execute(
    database.db,
  );
  return { done, sessionId, tabId, operationId };
}

const seen = (upstreamId: string) => ({ upstreamId, url: 'https://t.example/dl', filename: 'a.torrent', sizeBytes: 7 });

describe('a capture window', () => {
  test('opens with the dispatch, and a second one of its tab is refused until its files are captured', async () => {
    const first = await dispatched(['old']);
    expect(first.done).toBe('dispatched');
    const window = await getCapture(database.db, first.sessionId, first.operationId);
    expect(window).toMatchObject({ known: ['old'], state: 'open', isOver: false, outcome: null });
    expect((await dispatched([], first)).done).toBe('capture_open');
    expect(await endCapture(database.db, window!, { state: 'none' })).toBe(true);
    expect((await dispatched([], first)).done).toBe('dispatched');
    expect((await listOpenCaptures(database.db, { olderThanMs: 0 })).map(({ tabId }) => tabId)).toContain(first.tabId);
  });

  test('a file of it ends once: captured with its row, or given up with an event', async () => {
    const { sessionId, tabId, operationId } = await dispatched([]);
    const window = (await getCapture(database.db, sessionId, operationId))!;
    expect(await noteDownloads(database.db, window.id, [seen('1'), seen('2')])).toHaveLength(2);
    await storeArtifact(database.db, {
      sessionId,
      tabId: window.tabId,
      operationId,
      purpose: 'download',
      filename: 'a.torrent',
      mimeType: 'application/x-bittorrent',
      sizeBytes: 7,
      sha256: Sha256.parse('a'.repeat(64)),
      bytes: { kind: 'secret', ref: 'secret/k/aa' },
      modelSafe: false,
      download: { captureId: window.id, upstreamId: '1' },
    });
    const lost = { upstreamId: '2', state: 'lost', errorCode: 'download_lost', reason: 'evicted' } as const;
    expect(await giveUpDownload(database.db, window, lost)).toBe(true);
    expect(await giveUpDownload(database.db, window, lost)).toBe(false);
    expect(await giveUpDownload(database.db, window, { ...lost, upstreamId: '1' })).toBe(false);
    const states = await noteDownloads(database.db, window.id, [seen('1'), seen('2')]);
    expect(states.map(({ state }) => state)).toEqual(['captured', 'lost']);
    const types = (await readEvents(database.db, sessionId)).map(({ type }) => type);
    expect(types).toContain('download.captured');
    expect(types.filter((type) => type === 'download.lost')).toHaveLength(1);
    expect(tabId).toBe(window.tabId);
  });

  test('that is lost takes the files with it that were only seen', async () => {
    const { sessionId, operationId } = await dispatched([]);
    const window = (await getCapture(database.db, sessionId, operationId))!;
    await noteDownloads(database.db, window.id, [seen('1')]);
    expect(await endCapture(database.db, window, { state: 'lost', reason: 'the tab is gone' })).toBe(true);
    expect(await endCapture(database.db, window, { state: 'done' })).toBe(false);
    expect(await noteDownloads(database.db, window.id, [])).toMatchObject([
      { state: 'lost', reason: 'the tab is gone' },
    ]);
  });
});

describe('a blob', () => {
  test('is never both written and swept', async () => {
    for (let round = 0; round < 20; round += 1) {
      const ref = `secret/k/${round}`;
      const [claimed, doomed] = await Promise.all([claimBlob(database.db, ref), doomBlob(database.db, ref)]);
      expect(claimed && doomed).toBe(false);
      expect(claimed || doomed).toBe(true);
      await forgetBlob(database.db, ref);
      expect(await claimBlob(database.db, ref)).toBe(true);
      expect(await doomBlob(database.db, ref)).toBe(false);
    }
  });

  test('that a file refers to is never swept before the file is retired', async () => {
    const { sessionId, operationId } = await dispatched([]);
    const ref = 'secret/k/kept';
    await storeArtifact(database.db, {
      sessionId,
      tabId: null,
      operationId,
      purpose: 'download',
      filename: 'b.torrent',
      mimeType: 'application/x-bittorrent',
      sizeBytes: 7,
      sha256: Sha256.parse('b'.repeat(64)),
      bytes: { kind: 'secret', ref },
      modelSafe: false,
    });
    expect(await doomBlob(database.db, ref)).toBe(false);
    expect(await retireArtifacts(database.db, 60_000)).toBe(0);
    await sql`update browser_artifact set captured_at = now() - interval '1 hour' where blob_ref = ${ref}`.execute(
      database.db,
    );
    expect(await retireArtifacts(database.db, 60_000)).toBe(1);
    expect(await doomBlob(database.db, ref)).toBe(true);
  });
});
