import { spelled } from './spelled.ts';
import { type MockBrowser, tabsOf } from './browser.ts';
import { bodyOf, type Call, type Handler, noTab, ok, refuse, timed, useTab } from './call.ts';
import { addressProblem } from './navigation.ts';
import { goto } from './loading.ts';
import type { Tab } from './tab.ts';
import { UpstreamError } from './upstream-error.ts';

/** `POST /tabs` loads with a fixed 30 s, whatever `NAVIGATE_TIMEOUT_MS` says. */
const openTimeoutMs = 30_000;

/** POST /tabs. A failing address leaves a tab behind whose id is not told (05-camofox finding 9). */
export const create: Handler = async (call, browser) => {
  const { userId, sessionKey, listItemId, url, trace } = bodyOf(call);
  const key = sessionKey || listItemId;
  if (!userId || !key) return refuse(400, 'userId and sessionKey required');
  if (trace && browser.sessions.has(spelled(userId)))
    throw new UpstreamError(
      'trace must be set on session creation. DELETE /sessions/:userId first to restart with tracing.',
      { status: 409 },
    );
  const tab = browser.openTab(spelled(userId), spelled(key));
  if (url) await timed(browser, load(browser, tab, spelled(url)), browser.settings.handlerTimeoutMs, 'tab create');
  const { httpStatus } = tab;
  const told = browser.settings.version === '1.14' ? {} : { httpStatus, navigationOk: (httpStatus ?? 0) < 400 };
  return ok({ tabId: tab.id, url: tab.page.url, ...told });
};

async function load(browser: MockBrowser, tab: Tab, url: string): Promise<void> {
  const problem = addressProblem(url);
  if (problem !== null) throw new UpstreamError(problem, { status: 400 });
  try {
    tab.httpStatus = await goto(browser, tab, url, openTimeoutMs);
    browser.countNavigation(tab.userId, true);
  } catch (error) {
    browser.countNavigation(tab.userId, false);
    throw error;
  }
  tab.visited.add(url);
}

/** POST /tabs/open: the same for another client. */
export const open: Handler = async (call, browser) => {
  const { userId, url, listItemId = 'default' } = bodyOf(call, 'url');
  if (!userId) return refuse(400, 'userId is required');
  if (!url) return refuse(400, 'url is required');
  const problem = addressProblem(spelled(url));
  if (problem !== null) return refuse(400, problem);
  const tab = browser.openTab(spelled(userId), spelled(listItemId));
  await load(browser, tab, spelled(url));
  return ok({ ok: true, targetId: tab.id, tabId: tab.id, url: tab.page.url, title: tab.title });
};

/** GET /tabs. Lists the tabs of a dead browser too, without their titles. */
export const list: Handler = (call, browser) => {
  const session = browser.sessions.get(call.query.get('userId') ?? 'undefined');
  const tabs = session === undefined ? [] : tabsOf(session);
  return ok({
    running: true,
    tabs: tabs.map((tab) => ({
      targetId: tab.id,
      tabId: tab.id,
      url: tab.page.url,
      title: tab.title,
      listItemId: tab.sessionKey,
    })),
  });
};

/** GET /tabs/:tabId/stats. */
export const stats: Handler = (call, browser) => {
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, call.query.get('userId'), tabId, { counts: false });
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  return ok({
    tabId,
    sessionKey: tab.sessionKey,
    listItemId: tab.sessionKey,
    url: tab.page.url,
    visitedUrls: [...tab.visited],
    downloadsCount: tab.downloads.length,
    toolCalls: tab.toolCalls,
    refsCount: tab.refs.size,
  });
};

const userOf = (call: Call) => call.query.get('userId') || call.body?.['userId'];

/** DELETE /tabs/:tabId: `ok:true` for unknown ids and other users' tabs as well. */
export const remove: Handler = (call, browser) => {
  const userId = userOf(call);
  if (!userId) return refuse(400, 'userId required (query or body)');
  const found = browser.findTab(userId, call.params['tabId'] ?? '');
  if (found !== null) {
    found.tab.navigateAbort?.abort();
    browser.removeTab(found.tab);
  }
  return ok({ ok: true });
};

/** DELETE /tabs/group/:sessionKey. */
export const removeGroup: Handler = (call, browser) => {
  const userId = userOf(call);
  if (!userId) return refuse(400, 'userId required (query or body)');
  const group = browser.sessions.get(spelled(userId))?.groups.get(call.params['sessionKey'] ?? '');
  for (const tab of group?.values() ?? []) browser.removeTab(tab);
  return ok({ ok: true });
};

/** DELETE /sessions/:userId. */
export const removeSession: Handler = (call, browser) => {
  const session = browser.sessions.get(call.params['userId'] ?? '');
  if (session !== undefined) browser.closeSession(session);
  return ok({ ok: true });
};
