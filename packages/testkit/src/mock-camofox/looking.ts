import type { MockBrowser } from './browser.ts';
import { annotatedText, numberRefs } from './page/refs.ts';
import { structureOf } from './page/structure.ts';
import type { Tab } from './tab.ts';
import { bodyOf, type Handler, noTab, ok, refuse, timed, useTab } from './call.ts';

const maxChars = 80_000;
const tailChars = 5_000;
const contentChars = maxChars - tailChars - 200;

/** A window of a text: so much from `offset`, a marker line, and the last 5,000 characters of the whole. */
export function windowOf(text: string, offset: number) {
  const total = text.length;
  if (total <= maxChars) return { text, truncated: false, totalChars: total };
  const from = Math.min(Math.max(0, offset), total - tailChars);
  const end = from + contentChars;
  const hasMore = end < total - tailChars;
  const marker = hasMore
    ? `\n[... truncated at char ${end} of ${total}. Call snapshot with offset=${end} to see more. Pagination links below. ...]\n`
    : '\n';
  const window = text.slice(from, end) + marker + text.slice(-tailChars);
  return { text: window, truncated: true, totalChars: total, hasMore, nextOffset: hasMore ? end : null };
}

/** Numbers the controls anew. Nothing found at the same address keeps the old numbers. */
export async function refreshRefs(browser: MockBrowser, tab: Tab, { keepsOld = true } = {}): Promise<void> {
  const before = tab.page.url;
  if (!tab.dead) await tab.settled();
  const refs = tab.dead ? new Map() : numberRefs({ body: tab.body, frames: tab.page.frames }, browser.settings.version);
  if (keepsOld && refs.size === 0 && tab.refs.size > 0 && before === tab.page.url) return;
  tab.refs = refs;
}

/** GET /tabs/:tabId/snapshot. A dead page answers 200 with nothing in it (recording 15-crash). */
export const snapshot: Handler = async (call, browser) => {
  const userId = call.query.get('userId');
  if (!userId) return refuse(400, 'userId required');
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId);
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  const offset = Number.parseInt(call.query.get('offset') ?? '', 10) || 0;
  if (offset > 0 && tab.lastSnapshot) return ok(answerOf(browser, tab, windowOf(tab.lastSnapshot, offset), call.query));
  await browser.users.run(userId, () =>
    timed(browser, look(browser, tab), browser.settings.handlerTimeoutMs, 'snapshot'),
  );
  return ok(answerOf(browser, tab, windowOf(tab.lastSnapshot ?? '', 0), call.query));
};

async function look(browser: MockBrowser, tab: Tab): Promise<void> {
  await refreshRefs(browser, tab);
  if (tab.dead) {
    tab.lastSnapshot = '';
    tab.lastStructure = null;
    return;
  }
  const page = { body: tab.body, frames: tab.page.frames };
  tab.lastSnapshot = annotatedText(page, tab.refs, browser.settings.version);
  tab.lastStructure = structureOf(tab.page.root, tab.refs);
}

function answerOf(browser: MockBrowser, tab: Tab, window: ReturnType<typeof windowOf>, query: URLSearchParams) {
  const { text, ...about } = window;
  return {
    url: tab.page.url,
    snapshot: text,
    ...(browser.settings.version === '1.14' ? {} : { structure: tab.lastStructure }),
    refsCount: tab.refs.size,
    ...about,
    ...(query.get('includeScreenshot') === 'true'
      ? { screenshot: { data: Buffer.from(onePixelPng).toString('base64'), mimeType: 'image/png' } }
      : {}),
  };
}

/** GET /snapshot: the same for another client, with refs before the names. */
export const legacySnapshot: Handler = async (call, browser) => {
  const userId = call.query.get('userId');
  if (!userId) return refuse(400, 'userId is required');
  const targetId = call.query.get('targetId') ?? '';
  const found = useTab(browser, userId, targetId, { keepsAlive: false });
  if (found === null) return noTab(browser, targetId);
  const { tab } = found;
  await timed(browser, look(browser, tab), browser.settings.handlerTimeoutMs, 'snapshot');
  const text = (tab.lastSnapshot ?? '').replace(/^(\s*- \w+)( "[^"]*")? (\[e\d+\])/gm, '$1 $3$2');
  return ok({ ok: true, format: 'aria', targetId, ...answerOf(browser, tab, windowOf(text, 0), call.query) });
};

/** GET /tabs/:tabId/screenshot. */
export const screenshot: Handler = async (call, browser) => {
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, call.query.get('userId'), tabId, { counts: false });
  if (found === null) return noTab(browser, tabId);
  await found.tab.alive('page.screenshot', found.tab.settled());
  return { status: 200, type: 'image/png', content: onePixelPng };
};

/** POST /tabs/:tabId/wait. Not ready is 200 as well. */
export const wait: Handler = async (call, browser) => {
  const { userId, timeout = 10_000 } = bodyOf(call);
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId, { counts: false });
  if (found === null) return noTab(browser, tabId);
  const settled = found.tab.dead ? Promise.resolve() : found.tab.settled();
  const ready = timed(browser, settled, Number(timeout), 'wait');
  return ok({
    ok: true,
    ready: await ready.then(
      () => !found.tab.dead,
      () => false,
    ),
  });
};

const onePixelPng = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
);
