import { expect, test } from 'vitest';
import { runCanaries } from '../canary/run.ts';

test('S001-27 S004-26 S004-28 S004-30 S004-33 S004-34 S004-35 no secret of any surface is found in tables, events, logs, evidence, answers, output or files', async () => {
  const report = await runCanaries({ seed: 'test', live: false, broken: null, say: () => undefined });
  expect(report).toMatchObject({ ok: true, found: 0, leaks: [], sealed: true });
}, 300_000);
