import type { MockBrowser, Session } from './browser.ts';
import type { Tab } from './tab.ts';
import { isTimeout, UpstreamError } from './upstream-error.ts';
import { within } from './waiting.ts';

/** One request, read. */
export interface Call {
  readonly method: string;
  readonly path: string;
  /** What stands for `:name` in the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** `undefined` without a JSON body. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An answer: JSON, or text and bytes with their type. */
export type Answer =
  | { readonly status: number; readonly json: object; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly type: string; readonly content: string | Uint8Array };

/** Answers one route. Throws UpstreamError for what the upstream answers by its error table. */
export type Handler = (call: Call, browser: MockBrowser) => Promise<Answer> | Answer;

export const ok = (json: object): Answer => ({ status: 200, json });
export const refuse = (status: number, error: string): Answer => ({ status, json: { error } });

/** The JSON body. Without one the upstream fails on its first field, with this text. */
export function bodyOf(call: Call, firstField = 'userId'): Readonly<Record<string, unknown>> {
  if (call.body !== undefined) return call.body;
  throw new UpstreamError(`Cannot destructure property '${firstField}' of 'req.body' as it is undefined.`);
}

/** The answer for a tab that is not there. */
export function noTab(browser: MockBrowser, tabId: string): Answer {
  return browser.restartedLately(tabId)
    ? {
        status: 410,
        json: {
          error: 'Tab no longer exists (browser was restarted). Create a new tab.',
          code: 'browser_restarted',
        },
      }
    : refuse(404, 'Tab not found');
}

/** The tab that is meant, used once more: its session is kept alive, and the call counts. */
export function useTab(
  browser: MockBrowser,
  userId: unknown,
  tabId: string,
  { keepsAlive = true, counts = true } = {},
): { readonly session: Session; readonly tab: Tab } | null {
  const found = browser.findTab(userId, tabId);
  if (found === null) return null;
  if (keepsAlive) found.session.lastAccess = browser.now();
  if (counts) found.tab.toolCalls += 1;
  return found;
}

const lockTimeoutMs = 35_000;

/** Runs with the tab to itself, within the handler's time. `destroys`: a timeout closes the tab. */
export async function withTab<T>(
  browser: MockBrowser,
  tab: Tab,
  work: () => Promise<T>,
  { timeoutMs = browser.settings.handlerTimeoutMs, destroys = false } = {},
): Promise<T> {
  const { lock } = tab;
  try {
    await lock.acquire(browser.scaled(lockTimeoutMs));
  } catch (error) {
    if (error instanceof UpstreamError && error.message === 'Tab lock queue timeout') browser.removeTab(tab);
    throw error;
  }
  try {
    return await timed(browser, work(), timeoutMs, 'action');
  } catch (error) {
    if (!destroys || !(error instanceof UpstreamError) || !isTimeout(error) || error.code !== undefined) throw error;
    browser.removeTab(tab);
    throw new UpstreamError(error.message, { status: 410, code: 'tab_timeout' });
  } finally {
    lock.release();
  }
}

/** Fails with the upstream's words when the work takes longer; it goes on nevertheless. */
export function timed<T>(browser: MockBrowser, work: Promise<T>, ms: number, label: string): Promise<T> {
  return within(work, browser.scaled(ms), () => new UpstreamError(`${label} timed out after ${ms}ms`));
}
