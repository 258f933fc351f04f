import { expect, test } from 'vitest';
import { runLocks } from '../chaos/locks.ts';
import { runMisclicks } from '../chaos/misclick.ts';
import { brokenParts } from '../chaos/protocol.ts';
import { runChaos } from '../chaos/run.ts';

const longMs = 240_000;
/** What must never happen, whatever is killed, stopped or cut off. */
const nothingWrong = {
  doubleEffects: 0,
  wrongElement: 0,
  stuckSessions: 0,
  leaseOverlaps: 0,
  falseNotApplied: 0,
  falseApplied: 0,
};

test(
  'no click is made twice, on something else, or told wrongly, when processes die in the middle',
  { timeout: longMs },
  async () => {
    const report = await runChaos({ cycles: 50, seed: 7 });
    expect(report).toMatchObject({ ok: true, cycles: 50, ...nothingWrong });
  },
);

/** Under what each planted fault does its harm soonest. */
const under = {
  'dispatch-after-send': { cycles: 40 },
  'no-fence': { cycles: 9, only: 'stop' },
  'no-fingerprint': { cycles: 6, only: 'none' },
} as const;

test.each(brokenParts)('the checker sees a layer with a planted fault: %s', { timeout: longMs }, async (broken) => {
  const report = await runChaos({ seed: 3, broken, ...under[broken] });
  const { doubleEffects, wrongElement, leaseOverlaps, falseNotApplied, falseApplied } = report;
  expect(report.ok).toBe(false);
  expect(doubleEffects + wrongElement + leaseOverlaps + falseNotApplied + falseApplied).toBeGreaterThan(0);
});

test('a page that changes after it was looked at is never pressed elsewhere', { timeout: longMs }, async () => {
  const report = await runMisclicks({ misclicks: 80, seed: 7 });
  expect(report).toMatchObject({ ok: true, wrong: 0, falseRefusals: 0 });
  // The same clicks without the layer do go wrong, so there was something to refuse.
  expect(report.rawWrong).toBeGreaterThan(0);
  expect(report.right).toBeGreaterThan(0);
});

test('no lock and no lease is ever held by two processes at a time', { timeout: longMs }, async () => {
  const report = await runLocks(1_600, 7);
  expect(report).toMatchObject({ ok: true, lockOverlaps: 0, leaseOverlaps: 0, fencesOutOfOrder: 0 });
  expect(report.lockHolds).toBeGreaterThan(100);
  expect(report.leaseHolds).toBeGreaterThan(100);
});
