import {
  type LiveCamofox,
  type PassingCall,
  startFaultProxy,
  startLiveCamofox,
  type Step,
  testConformance,
} from '@wheelhouse/testkit';
import { afterAll } from 'vitest';
import { camofoxDeclared } from '../src/camofox/probe.ts';
import { createCamofoxProvider, createRedactor, createServiceDispatcher } from '../src/index.ts';

const steps: Record<Step, (call: PassingCall) => boolean> = {
  look: ({ path }) => path.endsWith('/snapshot'),
  act: ({ path, body }) => path === '/act' && /"kind":"(click|type)"/.test(body),
  navigate: ({ path }) => path.endsWith('/navigate'),
};

for (const { version, production } of [
  { version: '1.17', production: false },
  { version: '1.17', production: true },
  { version: '1.14', production: false },
] as const) {
  let server: Promise<LiveCamofox> | null = null;
  afterAll(async () => (await server)?.stop());
  testConformance({
    name: `camofox ${version}${production ? ' in production' : ''}`,
    declared: camofoxDeclared,
    tellsStatus: version !== '1.14',
    selects: version !== '1.14',
    patienceMs: 6_000,
    // Every rig has a profile of its own, and nothing else is shared by those of one server.
    start: async () => {
      server ??= startLiveCamofox({
        version,
        production,
        apiKey: 'live-api-key',
        environment: { MAX_SESSIONS: '200', SESSION_TIMEOUT_MS: '60000' },
      });
      const { origin, accessKey, apiKey } = await server;
      const proxy = await startFaultProxy(origin);
      const dispatcher = createServiceDispatcher();
      return {
        provider: createCamofoxProvider({
          baseUrl: proxy.origin,
          dispatcher,
          redactor: createRedactor(),
          accessKey: async () => accessKey ?? undefined,
          apiKey: async () => apiKey ?? undefined,
        }),
        disturbNext: (step, how) => proxy.spoilNext(steps[step], how),
        [Symbol.asyncDispose]: async () => {
          await dispatcher.destroy();
          await proxy.stop();
        },
      };
    },
  });
}
