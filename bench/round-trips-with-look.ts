import { startFixtureSite, startMockCamofox } from '@wheelhouse/testkit';
import { rounded } from './measure.ts';
import { grant, load, openLayer, openTab } from './open-layer.ts';

const accessKey = 'bench-key-0123456789';
const presses = 20;

/** Round trips to Postgres of a click, which looks at the page before it is dispatched; mock upstream. */
export async function measureRoundTripsWithLook(): Promise<number> {
  await using site = await startFixtureSite();
  await using mock = await startMockCamofox({ accessKey, pages: 'http', runScripts: true, timeScale: 0.01 });
  const layer = await openLayer({ BENCH_KEY: accessKey });
  const { runtime, counter } = layer;
  try {
    const { session, tabId } = await openTab(runtime, mock.origin, 'clicks');
    let statements = 0;
    for (let press = 0; press < presses; press += 1) {
      const url = `${site.origin}/lab/choice?id=press-${press}`;
      await load(runtime, { sessionId: session.id, tabId, url, operationId: `load-${press}` });
      const { value } = await runtime.operate<'snapshot'>(session.id, { type: 'snapshot', tabId }, { grant });
      const ref = value.elements.find(({ name }) => name === 'Press')?.ref;
      if (ref === undefined) throw new Error('the page of the fixture site has no button to press');
      const before = counter.statements;
      const click = {
        type: 'click',
        tabId,
        ref,
        documentToken: value.documentToken,
        operationId: `press-${press}`,
      } as const;
      await runtime.operate<'click'>(session.id, click, { grant });
      statements += counter.statements - before;
    }
    return rounded(statements / presses);
  } finally {
    await layer.close();
  }
}
