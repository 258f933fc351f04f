import type { OperationInput } from '@wheelhouse/contracts';
import type { Fault } from '@wheelhouse/testkit';
import type { Failpoint } from '../packages/runtime/src/pipeline/house.ts';

/** What is planted into the build to prove that the checker sees it. */
export const brokenParts = ['dispatch-after-send', 'no-fence', 'no-fingerprint'] as const;
export type BrokenPart = (typeof brokenParts)[number];

/** How a worker is started, in the variable `CHAOS_WORKER`. */
export interface WorkerSettings {
  readonly name: string;
  readonly databaseUrl: string;
  readonly lockTtlMs: number;
  readonly broken: BrokenPart | null;
}

/** What a worker is asked to do. */
export type WorkerCall =
  | {
      readonly do: 'operate';
      readonly sessionId: string;
      readonly input: OperationInput;
      readonly timeoutMs: number;
      /** Where the operation stands still until `go` comes. */
      readonly holdAt?: Failpoint | undefined;
    }
  | { readonly do: 'recover' }
  | { readonly do: 'resolve'; readonly sessionId: string }
  | { readonly do: 'go'; readonly operationId: string };

/** What the upstream process is asked to do. */
export type UpstreamControl =
  | { readonly do: 'fault'; readonly lane: number; readonly fault: Fault }
  | { readonly do: 'clear'; readonly lane: number }
  | { readonly do: 'kill-browser'; readonly lane: number };

/** A failure as it was answered. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly outcome?: string | undefined;
}

/** What a child says: an answer, that an operation stands still, or what an operation did when. */
export type ChildMessage =
  | { readonly says: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly says: 'failure'; readonly id: number; readonly failure: Failure }
  | { readonly says: 'ready'; readonly value: unknown }
  | { readonly says: 'held'; readonly operationId: string }
  /** `ns`: monotonic clock of this machine, the same in all processes. */
  | { readonly says: 'note'; readonly operationId: string; readonly what: 'begun' | 'sent'; readonly ns: string };

/** What a lock worker is asked to do. */
export interface LockWork {
  readonly of: 'locks' | 'leases';
  readonly operations: number;
  readonly providerId: string;
  readonly profiles: readonly string[];
  readonly sessions: readonly string[];
}

/** A time in which somebody held something for certain, microseconds of the machine's monotonic clock. */
export interface Held {
  readonly key: string;
  readonly fence: number;
  readonly fromUs: number;
  readonly untilUs: number;
}
