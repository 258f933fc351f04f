import type { FaultKind } from '@wheelhouse/testkit';
import type { Failpoint } from '../packages/runtime/src/pipeline/house.ts';
import { createRandom, type Random } from './random.ts';

/** What strikes one intended click. Those with `at` strike while the operation stands at that place. */
export type Strike =
  | { readonly kind: 'none' }
  /** `kill -9` of the worker. */
  | { readonly kind: 'kill'; readonly at: Failpoint }
  /** SIGSTOP for longer than the lock lives, then SIGCONT. */
  | { readonly kind: 'stop'; readonly at: Failpoint }
  /** All connections of the worker to Postgres are cut; `late`: while its next statement is under way. */
  | { readonly kind: 'backends'; readonly at: Failpoint; readonly late: boolean }
  /** `kill -9` of the Postgres server, and a new start of it. */
  | { readonly kind: 'postgres'; readonly at: Failpoint }
  /** A person takes control. */
  | { readonly kind: 'takeover'; readonly at: Failpoint }
  /** The browser of the upstream dies. */
  | { readonly kind: 'browser'; readonly at: Failpoint }
  /** The same operation from two processes at once. */
  | { readonly kind: 'race' }
  /** The upstream misbehaves at one of the calls of the click. */
  | { readonly kind: 'upstream'; readonly call: UpstreamCall; readonly fault: FaultKind; readonly ms?: number };

/** The calls that a click is made of, in their order. */
export type UpstreamCall = 'snapshot' | 'hover' | 'tabs' | 'click';

/** One intended click and all that happens to it. */
export interface Cycle {
  readonly number: number;
  readonly strike: Strike;
  /** Numbers for choosing workers: who acts, and who tries again. */
  readonly first: number;
  readonly second: number;
  /** Another process sends the same operation again, whatever the first was told. */
  readonly again: boolean;
}

const places: readonly [Failpoint, ...Failpoint[]] = [
  'before-begin',
  'after-begin',
  'before-look',
  'before-dispatch',
  'after-dispatch',
  'before-send',
  'after-answer',
  'before-settle',
  'after-settle',
];
const faults: readonly [FaultKind, ...FaultKind[]] = [
  'delay',
  'reset-before-headers',
  'apply-then-reset',
  'reset-after-headers',
  'half-body',
  'wrong-json',
  'html-error',
  'status',
  'stall',
  'apply-then-stall',
];
const calls: readonly [UpstreamCall, ...UpstreamCall[]] = ['click', 'click', 'click', 'hover', 'snapshot', 'tabs'];

/** Shares of the strikes, in per mille of all cycles; the rest goes undisturbed. */
const shares: readonly (readonly [number, (random: Random) => Strike])[] = [
  [70, (random) => ({ kind: 'kill', at: random.pick(places) })],
  [30, (random) => ({ kind: 'stop', at: random.pick(places) })],
  [60, (random) => ({ kind: 'backends', at: random.pick(places), late: random.below(2) === 0 })],
  [2, (random) => ({ kind: 'postgres', at: random.pick(places) })],
  [60, (random) => ({ kind: 'takeover', at: random.pick(places) })],
  [20, (random) => ({ kind: 'browser', at: random.pick(places) })],
  [80, () => ({ kind: 'race' })],
  [
    380,
    (random) => {
      const fault = random.pick(faults);
      const ms = fault === 'delay' ? { ms: 50 + random.below(1_500) } : {};
      return { kind: 'upstream', call: random.pick(calls), fault, ...ms };
    },
  ],
];

/** The plan of a run: the same seed and length give the same plan. `only` draws until it is a strike of this kind. */
export function planOf(seed: number, cycles: number, only?: Strike['kind']): readonly Cycle[] {
  const random = createRandom(seed);
  return Array.from({ length: cycles }, (_, number) => {
    let strike = strikeOf(random);
    for (const wanted = only ?? strike.kind; strike.kind !== wanted;) strike = strikeOf(random);
    return { number, strike, first: random.below(1_000), second: random.below(1_000), again: random.below(2) === 0 };
  });
}

/** The kinds of strikes. */
export const strikeKinds: readonly Strike['kind'][] = [
  'none',
  'kill',
  'stop',
  'backends',
  'postgres',
  'takeover',
  'browser',
  'race',
  'upstream',
];

function strikeOf(random: Random): Strike {
  let left = random.below(1_000);
  for (const [share, make] of shares) {
    if (left < share) return make(random);
    left -= share;
  }
  return { kind: 'none' };
}
