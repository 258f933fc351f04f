import { Sha256 } from '@wheelhouse/contracts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  claimDeliveries,
  getArtifact,
  listArtifacts,
  markDelivered,
  markDeliveryFailed,
  type NewArtifact,
  readEvents,
  replayDeliveries,
  storeArtifact,
} from '../src/index.ts';
import { rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newSession } = rowsFor(database);
let count = 0;

async function newFile(): Promise<NewArtifact> {
  const sessionId = await newSession();
  await sql`insert into browser_operation (session_id, operation_id, type, effect, caller, session_fence, lock_fence, holder)
    values (${sessionId}, 'capture', 'click', 'interact', 'test', 1, 1, 'test')`.execute(database.db);
  count += 1;
  return {
    sessionId,
    tabId: null,
    operationId: 'capture',
    purpose: 'download',
    filename: 'ubuntu.torrent',
    mimeType: 'application/x-bittorrent',
    sizeBytes: 21_000,
    sha256: Sha256.parse(count.toString(16).padStart(64, '0')),
    bytes: { kind: 'secret', ref: `secret/${count}` },
    modelSafe: false,
  };
}
const deliverySoon = () => ({ sink: 'ingest', idempotencyKey: `key ${count}` });
const claim = (limit = 50) => claimDeliveries(database.db, { limit, leaseMs: 60_000, sinks: null });

describe('a captured file', () => {
  test('is written once with its delivery, however often the capture is repeated after a crash', async () => {
    const file = await newFile();
    const delivery = deliverySoon();
    const all = await Promise.all(Array.from({ length: 20 }, () => storeArtifact(database.db, file, [delivery])));
    expect(all.filter(({ created }) => created)).toHaveLength(1);
    const [first] = all;
    const { operationId: _kept, ...shown } = file;
    expect(first?.artifact).toMatchObject(shown);
    expect(new Set(all.map(({ artifact }) => artifact.id)).size).toBe(1);
    expect((await getArtifact(database.db, first!.artifact.id))?.artifact).toEqual(first!.artifact);
    expect(await listArtifacts(database.db, { sessionId: file.sessionId })).toEqual([first!.artifact]);
    const types = (await readEvents(database.db, file.sessionId)).map(({ type }) => type);
    expect(types).toEqual(['session.opened', 'download.captured']);
    const claimed = await claim();
    expect(claimed.filter(({ artifactId }) => artifactId === first!.artifact.id)).toHaveLength(1);
  });

  test('of a session that is not there is refused', async () => {
    const file = await newFile();
    const nowhere = { ...file, sessionId: crypto.randomUUID() as typeof file.sessionId };
    await expect(storeArtifact(database.db, nowhere)).rejects.toMatchObject({ code: 'session_not_found' });
  });
});

describe('a delivery', () => {
  test('is taken by one of twenty at once, again only when its taker is late, and never once it arrived', async () => {
    await claim(1_000);
    const { artifact } = await storeArtifact(database.db, await newFile(), [deliverySoon()]);
    const taken = (await Promise.all(Array.from({ length: 20 }, () => claim()))).flat();
    expect(taken).toMatchObject([{ artifactId: artifact.id, attempts: 1, sink: 'ingest' }]);
    expect(await claim()).toEqual([]);
    await sql`update browser_outbox set next_attempt_at = now() where id = ${taken[0]!.id}`.execute(database.db);
    expect(await claim()).toMatchObject([{ id: taken[0]!.id, attempts: 2 }]);
    expect(await markDelivered(database.db, taken[0]!.id)).toBe(true);
    expect(await markDelivered(database.db, taken[0]!.id)).toBe(false);
    await sql`update browser_outbox set next_attempt_at = now() where id = ${taken[0]!.id}`.execute(database.db);
    expect(await claim()).toEqual([]);
  });

  test('that failed comes again after its pause, or never when it was given up', async () => {
    await claim(1_000);
    await storeArtifact(database.db, await newFile(), [deliverySoon()]);
    const [first] = await claim();
    await markDeliveryFailed(database.db, { id: first!.id, errorCode: 'network', reason: 'away', retryInMs: 60_000 });
    expect(await claim()).toEqual([]);
    await markDeliveryFailed(database.db, { id: first!.id, errorCode: 'network', reason: 'away', retryInMs: 0 });
    expect(await claim()).toMatchObject([{ id: first!.id, attempts: 2 }]);
    await markDeliveryFailed(database.db, { id: first!.id, errorCode: 'refused', reason: 'no', retryInMs: null });
    expect(await claim()).toEqual([]);
    const row = await database.db
      .selectFrom('browser_outbox')
      .select(['status', 'last_error_code'])
      .where('id', '=', first!.id)
      .executeTakeFirst();
    expect(row).toEqual({ status: 'dead', last_error_code: 'refused' });
    expect(await replayDeliveries(database.db, { artifactId: null })).toBe(1);
    expect(await claim()).toMatchObject([{ id: first!.id, attempts: 1 }]);
  });

  test('waits for the one captured before it in its session, and for no other', async () => {
    await claim(1_000);
    const first = await newFile();
    await storeArtifact(database.db, first, [deliverySoon()]);
    const earlier = await claim();
    const second = { ...(await newFile()), sessionId: first.sessionId, operationId: 'capture' };
    await storeArtifact(database.db, second, [deliverySoon()]);
    expect(await claim()).toEqual([]);
    await storeArtifact(database.db, await newFile(), [deliverySoon()]);
    expect(await claim()).toHaveLength(1);
    await markDelivered(database.db, earlier[0]!.id);
    expect(await claim()).toHaveLength(1);
  });
});
