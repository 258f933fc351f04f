/** Middle value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Milliseconds that a piece of work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/**
 * Times two ways of doing the same, one after the other in turn, so that whatever else the machine does hits both.
 * Resolves with the times of each, milliseconds. The first rounds warm up and do not count: a service runs for days,
 * and code that was never run before is not yet compiled.
 */
export async function interleaved(
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
  ours: () => Promise<unknown>,
  baseline: () => Promise<unknown>,
): Promise<{ readonly ours: readonly number[]; readonly baseline: readonly number[] }> {
  const times = { ours: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const [first, second] = round % 2 === 0 ? [ours, baseline] : [baseline, ours];
    const took = [await timed(first), await timed(second)] as const;
    if (round < warmUp) continue;
    times.ours.push(round % 2 === 0 ? took[0] : took[1]);
    times.baseline.push(round % 2 === 0 ? took[1] : took[0]);
  }
  return times;
}

/** Rounded to what the measurement can tell. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
