import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createScratchDatabase, startEmbeddedPostgres } from '@wheelhouse/db';
import { startMockCamofox } from '@wheelhouse/testkit';
import { interleaved, median, rounded } from './measure.ts';
import { addService, grant, load, openLayer, openSessionTab } from './open-layer.ts';

const accessKey = 'bench-key-0123456789';
const few = 5;
const many = 500;

/** A layer with so many open sessions, on a database and a mock upstream of its own. */
async function openHouse(serverUrl: string, sessions: number) {
  const scratch = await createScratchDatabase(serverUrl);
  const limits = { maxSessions: sessions, maxTabsGlobal: sessions };
  const mock = await startMockCamofox({ accessKey, timeScale: 0.001, ...limits });
  const layer = await openLayer({ BENCH_KEY: accessKey }, scratch.url);
  const providerId = await addService(layer.runtime, mock.origin, 'open-sessions');
  const open: Awaited<ReturnType<typeof openSessionTab>>[] = [];
  // In eights: 500 sessions one after the other take longer than what is measured.
  for (let at = 0; at < sessions; at += 8) {
    const names = Array.from({ length: Math.min(8, sessions - at) }, (_, more) => `session-${at + more}`);
    open.push(...(await Promise.all(names.map((name) => openSessionTab(layer.runtime, providerId, name)))));
  }
  let operations = 0;
  /** One navigation and one look at a session, the next one each time. */
  const work = async (): Promise<void> => {
    const at = open[operations % open.length];
    if (at === undefined) return;
    const { session, tabId } = at;
    const operationId = `n${(operations += 1)}`;
    await load(layer.runtime, { sessionId: session.id, tabId, url: `http://127.0.0.1/page`, operationId });
    await layer.runtime.operate<'snapshot'>(session.id, { type: 'snapshot', tabId }, { grant });
  };
  const close = async () => {
    await layer.close();
    await mock[Symbol.asyncDispose]();
    await scratch[Symbol.asyncDispose]();
  };
  return { mock, work, close };
}

/** What an operation costs while 500 sessions are open against 5, p50, mock upstream. */
export async function measureOpenSessions(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'wheelhouse-bench-'));
  const server = await startEmbeddedPostgres(join(folder, 'postgres'));
  const crowded = await openHouse(server.url, many);
  const quiet = await openHouse(server.url, few);
  try {
    for (const { mock } of [crowded, quiet]) mock.page('http://127.0.0.1/page', { title: 'A page', elements: [] });
    const times = await interleaved({ rounds: 200, warmUp: 50 }, crowded.work, quiet.work);
    return rounded(median(times.ours) / median(times.baseline));
  } finally {
    await crowded.close();
    await quiet.close();
    await server.leave();
    rmSync(folder, { recursive: true, force: true });
  }
}
