import { SecretRef } from '@wheelhouse/contracts';
import { loadDefinition, type Runtime } from '@wheelhouse/runtime';
import { type FixtureSite, startFixtureSite, startLiveCamofox, startMockCamofox } from '@wheelhouse/testkit';
import { interleaved, median, rounded } from './measure.ts';
import { grant, load, openLayer, openTab } from './open-layer.ts';
import { rawClient, recordingProxy, replay } from './raw-camofox.ts';

/** What the layer costs, each figure against a baseline of the same run. */
export interface LayerFigures {
  /** Whole layer against the raw REST call, p50, real browser. */
  readonly snapshotOverheadLive: number;
  /** What a snapshot takes longer through the layer, p50, milliseconds, mock upstream. */
  readonly addedMsMock: number;
  /** Round trips to Postgres for each operation of a mixed session. */
  readonly roundTripsPerOperation: number;
  /** A whole troubleshooting job against a script that makes the same REST calls. */
  readonly jobOverRawScript: number;
}

/** A page of the tracker, in a raw tab and in a tab of the layer, looked at in turn. */
async function snapshotTimes(
  runtime: Runtime,
  upstream: { origin: string; accessKey: string },
  site: FixtureSite,
  rounds: { readonly rounds: number; readonly warmUp: number },
) {
  const name = `snapshot-${new URL(upstream.origin).port}`;
  const { session, tabId } = await openTab(runtime, upstream.origin, name);
  const url = `${site.origin}/login.php`;
  await load(runtime, { sessionId: session.id, tabId, url, operationId: 'load' });
  const raw = rawClient(upstream.origin, upstream.accessKey);
  const created = await raw.call('POST', '/tabs', JSON.stringify({ userId: 'raw', sessionKey: 'raw' }));
  const rawTab = (JSON.parse(created.toString('utf8')) as { tabId: string }).tabId;
  await raw.call('POST', `/tabs/${rawTab}/navigate`, JSON.stringify({ userId: 'raw', url }));
  const times = await interleaved(
    rounds,
    () => runtime.operate<'snapshot'>(session.id, { type: 'snapshot', tabId }, { grant }),
    () => raw.call('GET', `/tabs/${rawTab}/snapshot?userId=raw&format=text`),
  );
  await raw.close();
  return { ours: median(times.ours), baseline: median(times.baseline) };
}

/** Navigations, snapshots and waits as a job mixes them, without the interactions that look first. */
async function roundTrips(runtime: Runtime, counter: { statements: number }, origin: string, site: FixtureSite) {
  const { session, tabId } = await openTab(runtime, origin, 'round-trips');
  const before = counter.statements;
  const operations = 60;
  for (let at = 0; at < operations / 3; at += 1) {
    await load(runtime, { sessionId: session.id, tabId, url: `${site.origin}/login.php`, operationId: `n${at}` });
    await runtime.operate<'snapshot'>(session.id, { type: 'snapshot', tabId }, { grant });
    await runtime.operate<'page_html'>(session.id, { type: 'page_html', tabId }, { grant });
  }
  return (counter.statements - before) / operations;
}

/** One troubleshooting job of a logged-in account, and the same REST calls without any layer. */
async function jobTimes(
  layer: Awaited<ReturnType<typeof openLayer>>,
  upstream: { origin: string; accessKey: string },
  site: FixtureSite,
  rounds: { readonly rounds: number; readonly warmUp: number },
) {
  const { runtime, folder } = layer;
  const proxy = await recordingProxy(upstream.origin);
  const add = (name: string, baseUrl: string) =>
    runtime.providers.add({
      name,
      kind: 'camofox',
      baseUrl,
      secretRef: SecretRef.parse('env:BENCH_KEY'),
      allowlist: [],
    });
  await add('job', upstream.origin);
  await add('recorded', proxy.origin);
  const definition = loadDefinition(site.definition(), 'bench.yml');
  const job = (provider: string) =>
    runtime.troubleshoot({
      definition,
      account: 'bench',
      provider,
      settings: new Map([
        ['username', site.account.username],
        ['password', 'env:BENCH_PASSWORD'],
      ]),
      home: folder,
      keepSession: true,
    });
  // Logged in once, so that every further job finds a member.
  await job('job');
  const first = proxy.calls.length;
  await job('recorded');
  const calls = proxy.calls.slice(first);
  const raw = rawClient(upstream.origin, upstream.accessKey);
  const times = await interleaved(
    rounds,
    () => job('job'),
    () => replay(raw, calls),
  );
  await raw.close();
  await proxy.close();
  return { ours: median(times.ours), baseline: median(times.baseline), calls: calls.length };
}

/** Measures all figures; `say` is told what is being measured. */
export async function measureLayer(say: (line: string) => void): Promise<LayerFigures> {
  await using site = await startFixtureSite();
  const accessKey = 'bench-key-0123456789';
  const layer = await openLayer({ BENCH_KEY: accessKey, BENCH_PASSWORD: site.account.password });
  try {
    say('snapshots over the mock ...');
    await using mock = await startMockCamofox({ accessKey, pages: 'http' });
    const onMock = await snapshotTimes(layer.runtime, { origin: mock.origin, accessKey }, site, {
      rounds: 600,
      warmUp: 600,
    });
    say('round trips ...');
    const roundTripsPerOperation = await roundTrips(layer.runtime, layer.counter, mock.origin, site);
    say('snapshots over a real browser ...');
    await using live = await startLiveCamofox({ accessKey });
    const onLive = await snapshotTimes(layer.runtime, { origin: live.origin, accessKey }, site, {
      rounds: 60,
      warmUp: 10,
    });
    say('whole jobs over a real browser ...');
    const jobs = await jobTimes(layer, { origin: live.origin, accessKey }, site, { rounds: 10, warmUp: 5 });
    return {
      snapshotOverheadLive: rounded(onLive.ours / onLive.baseline),
      addedMsMock: rounded(onMock.ours - onMock.baseline),
      roundTripsPerOperation: rounded(roundTripsPerOperation),
      jobOverRawScript: rounded(jobs.ours / jobs.baseline),
    };
  } finally {
    await layer.close();
  }
}
