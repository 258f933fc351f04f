import { z } from 'zod';
import type { Outcome } from './outcome.ts';

/** What went wrong, coarse enough to branch on (seed 004 §2). A closed set: a finer reason is a new code, never a new kind. */
export const BrowserErrorKind = z.enum([
  'not_implemented',
  'unavailable',
  'auth',
  'timeout',
  'network',
  'not_found',
  'rate_limited',
  'bad_request',
  'upstream',
  'protocol',
  'domain_blocked',
  'budget_exceeded',
  'control_conflict',
  'lock_timeout',
]);
export type BrowserErrorKind = z.infer<typeof BrowserErrorKind>;

/** Everything that follows from a code. */
export interface ErrorCodeFacts {
  readonly kind: BrowserErrorKind;
  /** Status that the HTTP door answers with. */
  readonly httpStatus: number;
  /** Whether the same call may work later, provided that nothing was dispatched. */
  readonly transient: boolean;
  /** What the caller does next: one clause in the imperative. `docs/reference/errors.md` has the long form. */
  readonly next: string;
}

const lookFirst = 'take a new snapshot, then decide; never send the same action again blindly';

/** Every code that can be thrown, with all that follows from it. Codes are stable across releases. */
export const errorCodes = {
  // What the caller sent.
  invalid_request: fact('bad_request', 400, false, 'correct the named fields'),
  invalid_config: fact('bad_request', 400, false, 'correct the named setting'),
  invalid_allowlist: fact(
    'bad_request',
    400,
    false,
    'write hosts as `example.com` (exact) or `.example.com` (and below)',
  ),
  invalid_definition: fact('bad_request', 400, false, 'correct the definition file at the named line'),
  definition_unsupported: fact('not_implemented', 422, false, 'remove the named feature, or do that step by hand'),
  secret_not_found: fact('bad_request', 400, false, 'set the named environment variable or secret file'),
  credential_field: fact('bad_request', 409, false, 'give the value as a secret reference, never as plain text'),
  stale_snapshot: fact('bad_request', 409, false, 'take a new snapshot and choose the element again'),
  origin_mismatch: fact('bad_request', 409, false, 'take a new snapshot; the page is not on the expected origin'),
  snapshot_required: fact('bad_request', 409, false, 'take a new snapshot before acting'),
  not_actionable: fact('bad_request', 422, false, 'take a new snapshot; the element cannot be used as asked'),
  // Who the caller is.
  not_permitted: fact('auth', 403, false, 'ask for a grant that includes this class of operation'),
  upstream_auth: fact('auth', 502, false, 'correct the access key of this provider'),
  // What does not exist (any more).
  provider_not_found: fact('not_found', 404, false, 'list the providers with `wheelhouse providers list`'),
  session_not_found: fact('not_found', 404, false, 'open a session'),
  session_closed: fact('not_found', 404, false, 'open a new session; a closed one never comes back'),
  tab_not_found: fact('not_found', 404, false, 'list the tabs of the session'),
  tab_lost: fact('not_found', 404, false, 'open the tab again; element refs of the old one are void'),
  site_not_found: fact(
    'not_found',
    404,
    false,
    'name a definition file, or an id from `wheelhouse definitions check DIR`',
  ),
  lease_not_found: fact('not_found', 404, false, 'request control again'),
  // What the present state does not allow.
  operation_replayed: fact(
    'control_conflict',
    409,
    false,
    'read the stored outcome; use a new operationId for new work',
  ),
  outcome_unknown: fact('control_conflict', 409, false, lookFirst),
  human_in_control: fact('control_conflict', 409, false, 'wait for the hand-back'),
  waiting_for_human: fact('control_conflict', 409, false, 'wait until a person has taken and handed back control'),
  not_waiting: fact('control_conflict', 409, false, 'go on: automation has control'),
  not_owner: fact('control_conflict', 409, false, 'use your own session; control was given to somebody else'),
  display_busy: fact('control_conflict', 409, true, 'wait until the person on this screen has handed back'),
  fence_lost: fact('control_conflict', 409, false, lookFirst),
  lock_timeout: fact('lock_timeout', 409, true, 'try later; another operation of this profile takes long'),
  queue_full: fact('rate_limited', 429, true, 'try later; too many operations wait for this profile'),
  capacity: fact('rate_limited', 429, true, 'close sessions that are not needed, or try later'),
  // Where it may go.
  host_not_allowed: fact('domain_blocked', 422, false, 'add the host to the allowlist if it is meant to be reached'),
  landed_elsewhere: fact('domain_blocked', 422, false, 'check the redirect; add the host if the site moved there'),
  scheme_not_allowed: fact('domain_blocked', 422, false, 'use an http or https address'),
  // What it may cost.
  too_large: fact('budget_exceeded', 422, false, 'raise maxBytes or ask for less'),
  deadline: fact('timeout', 504, true, lookFirst),
  aborted: fact('timeout', 504, true, lookFirst),
  // The browser service.
  no_provider: fact('unavailable', 503, false, 'configure a provider with `wheelhouse providers add`'),
  capability_off: fact('unavailable', 503, false, 'use a provider that can do this'),
  evaluate_blocked: fact('unavailable', 503, false, 'use snapshot and refs; scripts are switched off'),
  upload_not_supported: fact('unavailable', 503, false, 'attach the file in a session on the host that has it'),
  no_capable_host: fact('unavailable', 503, true, 'connect a client that lends its browser'),
  browser_dead: fact('unavailable', 503, true, 'open the tab again; the browser behind this provider has stopped'),
  upstream_busy: fact('rate_limited', 429, true, 'try later; the browser service is at its limit'),
  upstream_unreachable: fact('network', 502, true, 'check that the browser service runs at its address'),
  answer_lost: fact('network', 502, true, lookFirst),
  upstream_refused: fact('upstream', 502, false, 'read the log of the browser service'),
  upstream_failed: fact('upstream', 502, false, lookFirst),
  page_unavailable: fact('upstream', 502, true, 'try later; the site answered with a server error'),
  page_unreachable: fact('network', 502, true, 'check the address; the browser could not load the page'),
  unexpected_shape: fact('protocol', 502, false, 'compare the version of the browser service with the supported ones'),
  unsupported_version: fact('protocol', 502, false, 'install a supported version of the browser service'),
  // Files.
  download_blocked: fact('bad_request', 422, false, 'open the session with the download policy `capture`'),
  capture_open: fact('control_conflict', 409, false, 'capture the files of the operation before this one first'),
  download_lost: fact('upstream', 502, false, 'start the download again'),
  capture_not_found: fact('not_found', 404, false, 'name the operationId of an operation that had `mayDownload`'),
  download_invalid: fact('upstream', 422, false, 'read the reason; the site sent something else than the file'),
  blob_missing: fact('not_found', 404, false, 'restore the blob store from its backup; the row of the file is kept'),
  blob_unreadable: fact('unavailable', 503, false, 'configure the key that the file was sealed with'),
  quota_exceeded: fact('budget_exceeded', 422, false, 'free space in the blob store, or raise its quota'),
  artifact_not_found: fact('not_found', 404, false, 'list the files with `wheelhouse artifacts list`'),
  sink_unreachable: fact('network', 502, true, 'check that the receiver runs at its address; it is tried again'),
  sink_refused: fact('upstream', 502, false, 'read the reason, correct it, and replay the delivery'),
  // Our own house.
  database_unreachable: fact('unavailable', 503, true, 'check DATABASE_URL and that Postgres runs'),
  database_too_old: fact('unavailable', 503, false, 'use Postgres 15 or newer'),
  database_outdated: fact('unavailable', 503, false, 'run `wheelhouse migrate`'),
  environment: fact('unavailable', 503, false, 'install what is named; `wheelhouse doctor` shows all of it'),
  internal: fact('upstream', 500, false, 'report this; the log has the details'),
} as const satisfies Record<string, ErrorCodeFacts>;
export type BrowserErrorCode = keyof typeof errorCodes;

/** The codes as a schema, for results and stored rows. */
export const BrowserErrorCode = z.enum(Object.keys(errorCodes) as [BrowserErrorCode, ...BrowserErrorCode[]]);

/** What is known besides the code. */
export interface BrowserErrorFacts {
  /** What is known of the effect on the page. Absent when nothing was dispatched. */
  readonly outcome?: Outcome | undefined;
  /** The operation that failed, as its caller named it. */
  readonly operationId?: string | undefined;
  /** Earliest useful retry, milliseconds from now. */
  readonly retryAfterMs?: number | undefined;
  /** The host that was refused or landed on, with its port; never a path or query. */
  readonly host?: string | undefined;
  /** The error underneath. It may quote the page, so it is kept where no printer looks: read it with `underlying`. */
  readonly cause?: unknown;
}

const brand = Symbol.for('wheelhouse.BrowserError');
const causes = new WeakMap<object, unknown>();

/**
 * Every failure that the layer reports.
 *
 * The message is one sentence for a person: what happened, and to what. It never holds a secret, a query
 * string or page text. `kind`, `retryable` and `next` follow from the code, so they cannot disagree with it.
 *
 * @example
 * throw new BrowserError('host_not_allowed', 'tracker.example is not on the allowlist of this session');
 */
export class BrowserError extends Error {
  override readonly name = 'BrowserError';
  readonly [brand] = true;
  readonly code: BrowserErrorCode;
  readonly outcome: Outcome | undefined;
  readonly operationId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly host: string | undefined;

  constructor(code: BrowserErrorCode, message: string, facts: BrowserErrorFacts = {}) {
    super(message);
    this.code = code;
    this.outcome = facts.outcome;
    this.operationId = facts.operationId;
    this.retryAfterMs = facts.retryAfterMs;
    this.host = facts.host;
    if (facts.cause !== undefined) causes.set(this, facts.cause);
  }

  get kind(): BrowserErrorKind {
    return errorCodes[this.code].kind;
  }

  /** Status that the HTTP door answers with. */
  get httpStatus(): number {
    return errorCodes[this.code].httpStatus;
  }

  /** What the caller does next. */
  get next(): string {
    return errorCodes[this.code].next;
  }

  /** True only where repeating cannot repeat an effect. Whether there is time left is the caller's to know. */
  get retryable(): boolean {
    return errorCodes[this.code].transient && (this.outcome ?? 'not_applied') === 'not_applied';
  }

  /** What may leave the process. No cause, no stack. */
  toJSON() {
    const { kind, code, message, retryable, outcome, operationId, retryAfterMs, host, next } = this;
    return { kind, code, message, retryable, outcome, operationId, retryAfterMs, host, next };
  }

  /** Also true for an error of a second copy of this package in the process, where `instanceof` is false. */
  static is(value: unknown): value is BrowserError {
    return typeof value === 'object' && value !== null && brand in value;
  }

  /** The same failure with more facts, or another sentence; those given win. Keeps the cause. */
  static with(
    error: BrowserError,
    { message, ...facts }: Omit<BrowserErrorFacts, 'cause'> & { readonly message?: string },
  ): BrowserError {
    const { outcome, operationId, retryAfterMs, host } = error;
    const told = { outcome, operationId, retryAfterMs, host, ...facts };
    const merged = new BrowserError(error.code, message ?? error.message, told);
    causes.set(merged, causes.get(error) ?? error);
    return merged;
  }
}

/** The error underneath, for tests and debuggers. Whoever prints it prints what the page said. */
export function underlying(error: BrowserError): unknown {
  return causes.get(error);
}

/** An error as it is written into rows, answers and JSON output. */
export const BrowserErrorJson = z.object({
  kind: BrowserErrorKind,
  code: BrowserErrorCode,
  message: z.string(),
  retryable: z.boolean(),
  outcome: z.enum(['applied', 'applied_observation_failed', 'not_applied', 'unknown']).optional(),
  operationId: z.string().optional(),
  retryAfterMs: z.number().optional(),
  host: z.string().optional(),
  /** What to do. */
  next: z.string(),
});
export type BrowserErrorJson = z.infer<typeof BrowserErrorJson>;

function fact<K extends BrowserErrorKind>(kind: K, httpStatus: number, transient: boolean, next: string) {
  return { kind, httpStatus, transient, next } as const;
}
