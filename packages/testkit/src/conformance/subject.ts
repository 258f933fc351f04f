import type { BrowserProvider, Capabilities } from '@wheelhouse/contracts';

/** What the suite can disturb: the look before an action, the request that acts, a navigation. */
export type Step = 'look' | 'act' | 'navigate';

/**
 * How: `lose` means that the step is done and its answer breaks off; `stall` that it is done and no answer ever comes.
 */
export type Disturbance = 'lose' | 'stall';

/** One provider under test over an upstream with a browser of its own, or a profile of its own in a shared one. */
export interface Rig extends AsyncDisposable {
  readonly provider: BrowserProvider;
  /** Disturbs the next such step, once. */
  disturbNext(step: Step, how: Disturbance): void;
}

/** What is under test. */
export interface Subject {
  /** Shown in test names. */
  readonly name: string;
  /** What the adapter declares: decides which promises are tested, and which refusals. */
  readonly declared: Capabilities;
  /** Whether the upstream tells the status of documents. */
  readonly tellsStatus: boolean;
  /** Whether options of lists can be selected. */
  readonly selects: boolean;
  /** How long an undisturbed look or action may take, milliseconds. Tests of deadlines wait that long. */
  readonly patienceMs: number;
  /** A rig that no other test shares. */
  start(): Promise<Rig>;
}
