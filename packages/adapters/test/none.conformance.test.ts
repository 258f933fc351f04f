import { testConformance } from '@wheelhouse/testkit';
import { createNoneProvider } from '../src/index.ts';

const provider = createNoneProvider();

testConformance({
  name: 'none',
  declared: provider.declared,
  tellsStatus: false,
  selects: false,
  patienceMs: 1_000,
  start: async () => ({ provider, disturbNext: () => undefined, [Symbol.asyncDispose]: async () => undefined }),
});
