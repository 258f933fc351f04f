import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { timeLimit } from './time-limit.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('a deadline that is combined with other signals still comes when garbage is collected', async () => {
  using limit = timeLimit(150);
  const combined = AbortSignal.any([AbortSignal.any([limit.signal]), new AbortController().signal]);
  await sleep(10);
  collectGarbage();
  await sleep(10);
  collectGarbage();
  await sleep(250);
  expect(combined.aborted).toBe(true);
  expect(combined.reason).toMatchObject({ name: 'TimeoutError' });
});

test('a time limit that is not needed any more never aborts', async () => {
  const limit = timeLimit(20);
  limit[Symbol.dispose]();
  await sleep(60);
  expect(limit.signal.aborted).toBe(false);
});
