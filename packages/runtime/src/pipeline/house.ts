import type { Redactor } from '@wheelhouse/adapters';
import type { BrowserProvider, SecretRef, SecretResolver } from '@wheelhouse/contracts';
import type { Database, Listener, ProviderOfOperation } from '@wheelhouse/db';
import type { CaptureFilesOf } from '../capture/captured.ts';

/** Where the runtime writes what an operator may want to read later. Values are safe: ids, codes, durations. */
export interface RuntimeLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
}

/** The places of an operation, in their order, where chaos may strike. A failed one goes on at `before-settle`. */
export const failpoints = [
  'before-begin',
  'after-begin',
  'before-look',
  'before-dispatch',
  'after-dispatch',
  'before-send',
  'after-answer',
  'before-settle',
  'after-settle',
] as const;
export type Failpoint = (typeof failpoints)[number];

/** What the steps of the pipeline share. Holds nothing about a session that a restart would miss. */
export interface House {
  readonly db: Database;
  /** Wakes waiters of the profile lock; absent, they look again at growing intervals. */
  readonly listener: Listener | null;
  readonly redactor: Redactor;
  readonly log: RuntimeLog;
  /** The adapter of a configured provider; made once for each configuration. */
  readonly adapterOf: (provider: ProviderOfOperation) => BrowserProvider;
  readonly resolveSecret: SecretResolver;
  /** Milliseconds that a profile lock lives without a heartbeat. */
  readonly lockTtlMs: number;
  /** Takes files of the browser down into the blob store; absent where none is configured. */
  readonly capture?: CaptureFilesOf | undefined;
  /** Called at each place where a crash or a pause matters. Only the chaos harness sets it. */
  readonly failpoint?: (at: Failpoint, operationId: string | null) => Promise<void> | void;
}

/** Values of one site account, which only the job that uses them may resolve (`site:SETTING`). */
export type SiteSecrets = (setting: string) => Promise<string>;

/** A resolver that also knows the settings of one site account, and lets the redactor learn all it gives out. */
export function learningResolver(house: House, siteSecrets: SiteSecrets | undefined): SecretResolver {
  return async (ref: SecretRef) => {
    const value =
      ref.startsWith('site:') && siteSecrets !== undefined
        ? await siteSecrets(ref.slice('site:'.length))
        : await house.resolveSecret(ref);
    house.redactor.learn(value);
    return value;
  };
}
