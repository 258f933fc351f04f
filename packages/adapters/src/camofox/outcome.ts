import { BrowserError } from '@wheelhouse/contracts';
import { type CallKind, type OutcomeRow, outcomeRows } from './outcome-rows.ts';
import { errorOf, type Reply } from './reply.ts';

/** Whether a failure of the call needs an outcome. Pointing at an element counts as looking. */
export function hasEffect(kind: CallKind): boolean {
  return kind !== 'look' && kind !== 'aim';
}

/** The row that an answer falls under; `undefined` for statuses that were never seen. */
export function rowOf(kind: CallKind, reply: Reply): OutcomeRow | undefined {
  const { code, text } = errorOf(reply);
  const html = /text\/html/.test(reply.contentType);
  return outcomeRows.find(
    (row) =>
      row.status === reply.status &&
      (row.code === undefined || row.code === code) &&
      (row.html === undefined || html) &&
      (row.says === undefined || row.says.test(text)) &&
      (row.saysNot === undefined || !row.saysNot.test(text)) &&
      (row.kinds === undefined || row.kinds.includes(kind)),
  );
}

/**
 * Whether an error answer to a click proves that the click was made: Playwright's own log says so, and only the page
 * that loads afterwards took more than 3 s (recordings 26-second-click, 27-exact-selectors). A page cannot forge the
 * line, since its texts are put on one line after others. In production the log is hidden, and nothing is proven.
 */
export function provesApplied(reply: Reply): boolean {
  return reply.status === 422 && /^\s*(-|\d+ ×) click action done$/m.test(errorOf(reply).text);
}

/** What an error answer means. A look has no effect, so its failures have no outcome. */
export function failureOf(kind: CallKind, reply: Reply, call: string): BrowserError {
  const row = rowOf(kind, reply);
  const outcome = hasEffect(kind) ? (row?.outcome ?? 'unknown') : undefined;
  const code = row?.means ?? 'upstream_failed';
  return new BrowserError(code, `${call} was answered ${reply.status}${row === undefined ? '' : ` (${row.id})`}`, {
    outcome,
  });
}
