import { defineConfig } from 'vitest/config';
import { CountReporter } from './scripts/count-reporter.ts';

const source = {
  resolve: { conditions: ['@wheelhouse/source'] },
  ssr: { resolve: { conditions: ['@wheelhouse/source'] } },
};
const shared = { testTimeout: 20_000, hookTimeout: 120_000 };

/**
 * Three projects by what they need: `fast` nothing, `postgres` an embedded Postgres, `live` a real camofox-browser
 * with a real browser. They run one after the other, since
 * two cores are soon busy. The file name says which: `x.test.ts`, `x.postgres.test.ts`, `x.live.test.ts`.
 */
export default defineConfig({
  test: {
    reporters: ['default', new CountReporter()],
    projects: [
      {
        ...source,
        test: {
          ...shared,
          name: 'fast',
          sequence: { groupOrder: 0 },
          include: ['test/**/*.test.ts', 'packages/*/{src,test}/**/*.test.ts'],
          exclude: ['**/*.postgres.test.ts', '**/*.live.test.ts', '**/*.chaos.test.ts', '**/node_modules/**'],
        },
      },
      {
        ...source,
        test: {
          ...shared,
          name: 'postgres',
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
          include: ['{packages/*/test,test,demo}/**/*.postgres.test.ts'],
        },
      },
      // Not part of `npm test`: run with `npx vitest run --project chaos`.
      {
        ...source,
        test: {
          ...shared,
          name: 'chaos',
          testTimeout: 300_000,
          sequence: { groupOrder: 3 },
          include: ['test/**/*.chaos.test.ts'],
        },
      },
      {
        ...source,
        test: {
          ...shared,
          name: 'live',
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
          fileParallelism: false,
          include: ['{packages/*/test,test,demo}/**/*.live.test.ts'],
        },
      },
    ],
  },
});
