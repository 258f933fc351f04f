import type { BrowserErrorCode, Outcome } from '@wheelhouse/contracts';

/** What a call may do: nothing, point at an element, change a page by acting or by navigating, or make and remove tabs. */
export type CallKind = 'look' | 'aim' | 'act' | 'navigate' | 'manage';

/** One row of what an error answer proves. The first row that fits decides. */
export interface OutcomeRow {
  readonly id: string;
  readonly status: number;
  /** The upstream's code; absent fits all. */
  readonly code?: string;
  /** The beginning of a document that is no JSON: a route that does not exist answers HTML. */
  readonly html?: true;
  /** Text of the error; never present in production (recording 28-production), so it may only make us surer. */
  readonly says?: RegExp;
  /** Text that must be absent, where `says` is asked for as well. */
  readonly saysNot?: RegExp;
  readonly kinds?: readonly CallKind[];
  readonly means: BrowserErrorCode;
  readonly outcome: Extract<Outcome, 'not_applied' | 'unknown'>;
  /** The recordings that show it, or `server.js` for what was only read in the upstream's source. */
  readonly source: string;
}

/**
 * Everything that an error answer of camofox 1.14 to 1.17 proves about the page, and nothing more.
 *
 * The upstream's own `retryable` is ignored: it answers `422 retryable: true` for clicks that landed (07-click,
 * 11-double-effects), and `410 browser_restarted` for every tab it does not know (23-410-vs-404).
 */
export const outcomeRows: readonly OutcomeRow[] = [
  {
    id: 'bad-selector',
    status: 400,
    code: 'invalid_selector',
    means: 'not_actionable',
    outcome: 'not_applied',
    source: '07-click',
  },
  {
    id: 'rejected',
    status: 400,
    means: 'upstream_refused',
    outcome: 'not_applied',
    source: '03-tabs',
  },
  { id: 'no-key', status: 401, means: 'upstream_auth', outcome: 'not_applied', source: '02-auth' },
  { id: 'wrong-key', status: 403, means: 'upstream_auth', outcome: 'not_applied', source: '02-auth' },
  {
    id: 'no-route',
    status: 404,
    html: true,
    means: 'unsupported_version',
    outcome: 'not_applied',
    source: '01-system',
  },
  { id: 'no-tab', status: 404, means: 'tab_lost', outcome: 'not_applied', source: '23-410-vs-404' },
  {
    // The page went on while it was read; the next read finds the new one.
    id: 'navigating',
    status: 409,
    code: 'navigation_race',
    kinds: ['look', 'aim'],
    means: 'upstream_busy',
    outcome: 'not_applied',
    source: '09-content',
  },
  {
    id: 'page-changed',
    status: 409,
    means: 'upstream_failed',
    outcome: 'unknown',
    source: '08-input, 11-double-effects',
  },
  {
    id: 'tab-timeout',
    status: 410,
    code: 'tab_timeout',
    means: 'tab_lost',
    outcome: 'unknown',
    source: '09-content, 12-concurrency',
  },
  {
    id: 'page-crashed',
    status: 410,
    code: 'page_crashed',
    means: 'tab_lost',
    outcome: 'unknown',
    source: 'server.js',
  },
  {
    id: 'queued-behind',
    status: 410,
    code: 'tab_destroyed',
    means: 'tab_lost',
    outcome: 'not_applied',
    source: '12-concurrency',
  },
  { id: 'gone', status: 410, means: 'tab_lost', outcome: 'not_applied', source: '23-410-vs-404' },
  { id: 'body-too-large', status: 413, means: 'too_large', outcome: 'not_applied', source: '01-system, 09-content' },
  {
    id: 'stale-ref',
    status: 422,
    code: 'stale_refs',
    means: 'stale_snapshot',
    outcome: 'not_applied',
    source: '06-refs',
  },
  {
    id: 'ambiguous',
    status: 422,
    code: 'ambiguous_selector',
    means: 'not_actionable',
    outcome: 'not_applied',
    source: '27-exact-selectors',
  },
  {
    id: 'not-fillable',
    status: 422,
    says: /^Element [^\n]{1,200} is not fillable|^Selector did not match any element/,
    means: 'not_actionable',
    outcome: 'not_applied',
    source: '08-input',
  },
  {
    // Playwright's own log of the attempt is there, and it never came to the click.
    id: 'never-clicked',
    status: 422,
    says: /\nCall log:\n\s*- waiting for/,
    saysNot: /performing/,
    kinds: ['act'],
    means: 'not_actionable',
    outcome: 'not_applied',
    source: '27-exact-selectors',
  },
  {
    id: 'out-of-reach',
    status: 422,
    kinds: ['aim'],
    means: 'not_actionable',
    outcome: 'not_applied',
    source: 'server.js',
  },
  {
    id: 'perhaps-clicked',
    status: 422,
    means: 'upstream_failed',
    outcome: 'unknown',
    source: '07-click, 11-double-effects',
  },
  { id: 'limit', status: 429, means: 'upstream_busy', outcome: 'not_applied', source: 'server.js' },
  {
    id: 'bad-address',
    status: 500,
    says: /^Invalid URL|Blocked URL scheme/,
    kinds: ['navigate'],
    means: 'invalid_request',
    outcome: 'not_applied',
    source: '04-navigate',
  },
  {
    id: 'no-host',
    status: 500,
    says: /NS_ERROR_|net::ERR_|deniedPortAccess|chrome-error:/,
    kinds: ['navigate'],
    means: 'page_unreachable',
    outcome: 'unknown',
    source: '04-navigate, 14-failure-threshold, 21-ssrf',
  },
  {
    id: 'page-timeout',
    status: 500,
    says: /timed? ?out/i,
    means: 'deadline',
    outcome: 'unknown',
    source: '04-navigate, 08-input',
  },
  {
    id: 'bad-selector-late',
    status: 500,
    says: /^locator\.\w+: \w+: (Error while parsing selector|Document\.evaluate: The expression|Failed to execute 'evaluate' on 'Document')/,
    kinds: ['act'],
    means: 'not_actionable',
    outcome: 'not_applied',
    source: '07-click, 27-exact-selectors',
  },
  {
    id: 'bad-fields',
    status: 500,
    says: /^(Unsupported action kind|(key|text|ref or selector) (is )?required|keyboard\.press: (Unknown key|key:)|mouse\.wheel: delta|locator\.selectOption: Error: Element is not a <select>)/,
    kinds: ['act'],
    means: 'upstream_refused',
    outcome: 'not_applied',
    source: '08-input, 20-act-upload-misc',
  },
  {
    id: 'bad-cookie',
    status: 500,
    says: /^browserContext\.addCookies: (Cookie should|cookies\[\d+\])|^Cannot destructure/,
    kinds: ['manage'],
    means: 'upstream_refused',
    outcome: 'not_applied',
    source: '17-persistence, 01-system',
  },
  {
    id: 'full-late',
    status: 500,
    says: /^Maximum concurrent sessions reached$/,
    kinds: ['manage'],
    means: 'upstream_busy',
    outcome: 'not_applied',
    source: '13-limits',
  },
  { id: 'failed', status: 500, means: 'upstream_failed', outcome: 'unknown', source: '07-click, 28-production' },
  {
    id: 'certificate',
    status: 502,
    code: 'ssl_error',
    means: 'page_unreachable',
    outcome: 'not_applied',
    source: '04-navigate',
  },
  {
    id: 'server-error',
    status: 502,
    code: 'destination_unavailable',
    means: 'page_unavailable',
    outcome: 'unknown',
    source: '04-navigate',
  },
  {
    id: 'died',
    status: 503,
    code: 'session_expired',
    means: 'browser_dead',
    outcome: 'unknown',
    source: '15-crash, 22-blast-radius',
  },
  {
    id: 'full',
    status: 503,
    code: 'admission_rejected',
    means: 'upstream_busy',
    outcome: 'not_applied',
    source: '13-limits',
  },
  {
    id: 'lock-wait',
    status: 503,
    code: 'tab_unresponsive',
    means: 'tab_lost',
    outcome: 'not_applied',
    source: 'server.js',
  },
  {
    id: 'user-queue',
    status: 503,
    code: 'concurrency_timeout',
    means: 'upstream_busy',
    outcome: 'not_applied',
    source: 'server.js',
  },
  {
    id: 'no-launch',
    status: 503,
    code: 'browser_launch_timeout',
    means: 'browser_dead',
    outcome: 'not_applied',
    source: 'server.js',
  },
];
