import { type FaultMatch, startMockCamofox, type Step, testConformance } from '@wheelhouse/testkit';
import { createCamofoxProvider, createRedactor, createServiceDispatcher } from '../src/index.ts';
import { camofoxDeclared } from '../src/camofox/probe.ts';

const calls: Record<Step, readonly FaultMatch[]> = {
  look: [{ method: 'GET', path: /\/snapshot$/ }],
  act: ['click', 'type'].map((kind) => ({ method: 'POST', path: '/act', kind })),
  navigate: [{ method: 'POST', path: /\/navigate$/ }],
};

for (const { version, production } of [
  { version: '1.17', production: false },
  { version: '1.17', production: true },
  { version: '1.14', production: false },
] as const) {
  testConformance({
    name: `camofox ${version}${production ? ' in production' : ''}, imitated`,
    declared: camofoxDeclared,
    tellsStatus: version !== '1.14',
    selects: version !== '1.14',
    patienceMs: 1_200,
    start: async () => {
      const mock = await startMockCamofox({
        version,
        production,
        pages: 'http',
        runScripts: true,
        timeScale: 0.1,
        accessKey: 'access-key-1',
        apiKey: 'api-key-1',
      });
      const dispatcher = createServiceDispatcher();
      return {
        provider: createCamofoxProvider({
          baseUrl: mock.origin,
          dispatcher,
          redactor: createRedactor(),
          accessKey: async () => mock.accessKey ?? undefined,
          apiKey: async () => mock.apiKey ?? undefined,
        }),
        disturbNext: (step, how) => {
          const kind = how === 'lose' ? 'apply-then-reset' : 'apply-then-stall';
          for (const match of calls[step]) mock.fault({ match, kind });
        },
        [Symbol.asyncDispose]: async () => {
          await dispatcher.destroy();
          await mock.stop();
        },
      };
    },
  });
}
