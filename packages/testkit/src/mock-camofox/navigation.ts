import { spelled } from './spelled.ts';
import { type MockBrowser } from './browser.ts';
import { type Answer, bodyOf, type Handler, noTab, ok, refuse, timed, useTab, withTab } from './call.ts';
import { goto, startLoad } from './loading.ts';
import { refreshRefs } from './looking.ts';
import { blankPage, type Tab } from './tab.ts';
import { isGoneAway, UpstreamError } from './upstream-error.ts';
import { unless, within } from './waiting.ts';

/** Why an address is refused; `null` when it is not. Only its scheme is looked at. */
export function addressProblem(address: string): string | null {
  try {
    const { protocol } = new URL(address);
    return /^https?:$/.test(protocol) ? null : `Blocked URL scheme: ${protocol} (only http/https allowed)`;
  } catch {
    return `Invalid URL: ${address}`;
  }
}

/** Search macros are known by name only: they lead to hosts outside. */
const macros: Readonly<Record<string, string>> = {
  '@google_search': 'https://www.google.com/search?q=',
  '@wikipedia_search': 'https://en.wikipedia.org/wiki/Special:Search?search=',
  '@reddit_search': 'https://www.reddit.com/search.json?q=',
};

/** POST /tabs/:tabId/navigate. */
export const navigate: Handler = async (call, browser) => {
  const { userId, url, macro, query } = bodyOf(call);
  if (!userId) return refuse(400, 'userId required');
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId, { counts: false });
  if (found === null) return noTab(browser, tabId);
  const known = macros[spelled(macro)];
  const target = known === undefined ? url : known + encodeURIComponent(spelled(query ?? ''));
  const { handlerTimeoutMs, navigateTimeoutMs } = browser.settings;
  const timeoutMs = Math.max(handlerTimeoutMs, navigateTimeoutMs + 5_000);
  try {
    return await browser.users.run(spelled(userId), () => {
      const { tab } = found;
      tab.toolCalls += 1;
      if (!target) throw new UpstreamError('url or macro required');
      const problem = addressProblem(spelled(target));
      if (problem !== null) throw new UpstreamError(problem);
      const work = withTab(browser, tab, () => go(browser, tab, spelled(target)), { timeoutMs });
      return timed(browser, work, timeoutMs, 'navigate');
    });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (/^Blocked URL scheme|^url or macro required$/.test(error.message))
      return refuse(400, browser.settings.production ? 'Internal server error' : error.message);
    return certificateAnswer(error) ?? Promise.reject(error);
  }
};

/** Certificates have an answer of their own, in the words of Firefox only. */
export function certificateAnswer(error: UpstreamError): Answer | null {
  if (!/SEC_ERROR|SSL_ERROR|MOZILLA_PKIX_ERROR/.test(error.message)) return null;
  return {
    status: 502,
    json: {
      error: `SSL certificate error: ${error.message.split('\n')[0]}`,
      code: 'ssl_error',
      recoverable: false,
    },
  };
}

async function go(browser: MockBrowser, tab: Tab, url: string): Promise<Answer> {
  browser.start();
  const status = await counted(browser, tab, () => withFreshPage(browser, tab, url));
  await tab.alive('page.goto', refreshRefs(browser, tab, { keepsOld: false }));
  const told = browser.settings.version === '1.14' ? {} : { httpStatus: status, navigationOk: (status ?? 0) < 400 };
  return ok({ ok: true, tabId: tab.id, url: tab.page.url, refsAvailable: tab.refs.size > 0, ...told });
}

async function counted<T>(browser: MockBrowser, tab: Tab, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    browser.countNavigation(tab.userId, true);
    return result;
  } catch (error) {
    browser.countNavigation(tab.userId, false);
    throw error;
  }
}

/** A dead page is replaced under the same id, once. */
async function withFreshPage(browser: MockBrowser, tab: Tab, url: string): Promise<number | null> {
  const deleted = () => browser.findTab(tab.userId, tab.id) === null;
  if (tab.dead && !deleted()) revive(browser, tab);
  try {
    return await visit(browser, tab, url);
  } catch (error) {
    if (!(error instanceof UpstreamError) || !isGoneAway(error) || deleted()) throw error;
    revive(browser, tab);
    return visit(browser, tab, url);
  }
}

/** The browser is started again for it. Other tabs of a dead browser are gone with their session. */
function revive(browser: MockBrowser, tab: Tab): void {
  browser.start();
  const session = browser.sessions.get(tab.userId);
  if (session !== undefined && browser.isZombie(session)) {
    browser.closeSession(session);
    browser.session(tab.userId).groups.set(tab.sessionKey, new Map([[tab.id, tab]]));
  }
  tab.revive();
}

async function visit(browser: MockBrowser, tab: Tab, url: string): Promise<number | null> {
  const abort = new AbortController();
  tab.navigateAbort = abort;
  try {
    const deleted = () => new UpstreamError('Navigation aborted: tab deleted');
    const status = await unless(abort.signal, deleted, goto(browser, tab, url, browser.settings.navigateTimeoutMs));
    tab.httpStatus = status;
    tab.lastSnapshot = null;
    if (status !== null && status >= 500 && browser.settings.version !== '1.14')
      throw new UpstreamError(`Destination server returned HTTP ${status}`, {
        status: 502,
        code: 'destination_unavailable',
      });
    tab.visited.add(url);
    return status;
  } finally {
    tab.navigateAbort = null;
  }
}

/** POST /navigate: the same for another client. */
export const legacyNavigate: Handler = async (call, browser) => {
  const { userId, url, targetId } = bodyOf(call, 'targetId');
  if (!userId) return refuse(400, 'userId is required');
  if (!url) return refuse(400, 'url is required');
  const problem = addressProblem(spelled(url));
  if (problem !== null) return refuse(400, problem);
  const tabId = spelled(targetId ?? '');
  const found = useTab(browser, userId, tabId, { keepsAlive: false });
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  const answer = await withTab(browser, tab, () => go(browser, tab, spelled(url)));
  return 'json' in answer ? ok({ ok: true, targetId: tabId, url: tab.page.url }) : answer;
};

const historyTimeoutMs = { back: 20_000, forward: 10_000, refresh: 30_000 } as const;
const calls = { back: 'page.goBack', forward: 'page.goForward', refresh: 'page.reload' } as const;

/** POST /tabs/:tabId/back, /forward, /refresh. Failures are not counted against the user. */
export function moveInHistory(move: 'back' | 'forward' | 'refresh'): Handler {
  return async (call, browser) => {
    const { userId } = bodyOf(call);
    const tabId = call.params['tabId'] ?? '';
    const found = useTab(browser, userId, tabId);
    if (found === null) return noTab(browser, tabId);
    const { tab } = found;
    await withTab(browser, tab, async () => {
      const { entries, at } = tab.history;
      const historyAt = at + { back: -1, forward: 1, refresh: 0 }[move];
      const url = entries[historyAt];
      if (url === 'about:blank') {
        tab.page = blankPage();
        tab.history.at = historyAt;
      } else if (url !== undefined) {
        const loading = startLoad(browser, tab, { url, historyAt });
        const late = () =>
          new UpstreamError(
            `${calls[move]}: Timeout ${historyTimeoutMs[move]}ms exceeded.\nCall log:\n  - waiting for navigation until "load"\n`,
          );
        await tab.alive(calls[move], within(loading, browser.scaled(historyTimeoutMs[move]), late));
      }
      await tab.alive(calls[move], refreshRefs(browser, tab, { keepsOld: false }));
    });
    return ok({ ok: true, url: tab.page.url });
  };
}
