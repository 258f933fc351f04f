/** A failure as the upstream throws it: a text, from which it reads status and code itself. */
export class UpstreamError extends Error {
  readonly status: number | undefined;
  readonly code: string | undefined;
  /** The ref that was not found. */
  readonly ref: unknown;

  constructor(
    message: string,
    facts: { readonly status?: number; readonly code?: string; readonly ref?: unknown } = {},
  ) {
    super(message);
    this.name = 'UpstreamError';
    this.status = facts.status;
    this.code = facts.code;
    this.ref = facts.ref;
  }
}

/** The page, its context or the browser went away under an operation. */
export const goneAway = (call: string) => new UpstreamError(`${call}: Target page, context or browser has been closed`);

/** `tab_destroyed`: it waited for the tab's lock when the tab was closed. */
export const tabDestroyed = () => new UpstreamError('Tab destroyed');

export const isGoneAway = (error: Error) => /Target page, context or browser has been closed/.test(error.message);
export const isTimeout = (error: Error) => /timed out after|Timeout .*exceeded/.test(error.message);
const isNotActionable = (message: string) =>
  /Element not actionable|not visible|not an <input>|is not fillable|Element is outside of the viewport|element is not attached|no bounding box|waiting for locator\(|intercepts pointer events/i.test(
    message,
  );

interface Reading {
  readonly status: number;
  readonly code?: string;
  readonly recovery?: 'create_new_tab' | 'snapshot_then_retry' | 'retry';
}

/** First row whose pattern fits decides. Order is the upstream's. */
const readings: readonly ((error: UpstreamError) => Reading | undefined)[] = [
  ({ code }) => (code === 'tab_timeout' ? { status: 410, code, recovery: 'create_new_tab' } : undefined),
  ({ code }) => (code === 'stale_refs' ? { status: 422, code, recovery: 'snapshot_then_retry' } : undefined),
  ({ code, message }) =>
    code === 'invalid_selector' ||
    /(Unexpected|Unsupported) token.*selector|Invalid selector|is not a valid selector/s.test(message)
      ? { status: 400, code: 'invalid_selector' }
      : undefined,
  ({ message }) =>
    /strict mode violation[\s\S]*resolved to/.test(message)
      ? { status: 422, code: 'ambiguous_selector', recovery: 'snapshot_then_retry' }
      : undefined,
  ({ message }) =>
    /Execution context was destroyed|Frame was detached|NS_BINDING_ABORTED|NS_ERROR_ABORT|ERR_ABORTED/.test(message)
      ? { status: 409, code: 'navigation_race', recovery: 'snapshot_then_retry' }
      : undefined,
  ({ message }) =>
    /User concurrency limit reached/.test(message)
      ? { status: 503, code: 'concurrency_timeout', recovery: 'retry' }
      : undefined,
  ({ code, message }) =>
    code === 'element_not_actionable' || isNotActionable(message)
      ? { status: 422, code: 'element_not_actionable', recovery: 'snapshot_then_retry' }
      : undefined,
];

/** Answers with a text of their own, whatever was thrown. */
const fixed = {
  destroyed: {
    error: 'Tab was destroyed. Open a new tab.',
    code: 'tab_destroyed',
    retryable: true,
    recovery: 'create_new_tab',
  },
  expired: {
    error: 'Browser session expired. Retry to get a fresh session.',
    code: 'session_expired',
    retryable: true,
    recovery: 'retry',
  },
  unresponsive: {
    error: 'Tab unresponsive and has been destroyed. Open a new tab.',
    code: 'tab_unresponsive',
    retryable: true,
    recovery: 'create_new_tab',
  },
} as const;

/** Status and body of the answer to a failed call. */
export function answerTo(
  error: UpstreamError,
  production: boolean,
): { readonly status: number; readonly body: object } {
  if (error.message === 'Tab lock queue timeout') return { status: 503, body: fixed.unresponsive };
  if (error.message === 'Tab destroyed') return { status: 410, body: fixed.destroyed };
  if (isGoneAway(error)) return { status: 503, body: fixed.expired };
  const reading = readings.map((read) => read(error)).find((one) => one !== undefined);
  const code = reading?.code ?? error.code;
  return {
    status: reading?.status ?? error.status ?? 500,
    body: {
      error: production ? 'Internal server error' : error.message,
      retryable: reading?.recovery !== undefined,
      ...(code === undefined ? {} : { code }),
      ...(reading?.recovery === undefined ? {} : { recovery: reading.recovery }),
      ...(error.ref === undefined ? {} : { ref: error.ref }),
    },
  };
}
