import { type MockCamofox, startMockCamofox } from '@wheelhouse/testkit';
import { serveParent } from './child.ts';
import type { UpstreamControl } from './protocol.ts';

/** The browser services: one for each lane, so that a fault hits the lane that it was planned for. */
const lanes = Number(process.env['CHAOS_LANES'] ?? '1');
const mocks: MockCamofox[] = [];
for (let lane = 0; lane < lanes; lane += 1) {
  mocks.push(await startMockCamofox({ pages: 'http', runScripts: true, timeScale: 0.05 }));
}

serveParent(
  mocks.map(({ origin }) => origin),
  async (call: UpstreamControl) => {
    const mock = mocks[call.lane];
    if (call.do === 'fault') mock?.fault(call.fault);
    else if (call.do === 'clear') mock?.clearFaults();
    else mock?.killBrowser();
    return null;
  },
);
