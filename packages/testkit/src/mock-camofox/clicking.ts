import { spelled } from './spelled.ts';
import type { MockBrowser } from './browser.ts';
import { bodyOf, type Handler, noTab, ok, refuse, useTab, withTab } from './call.ts';
import { refreshRefs } from './looking.ts';
import type { DomElement } from './page/dom.ts';
import { press } from './press.ts';
import type { Tab } from './tab.ts';
import { actionable, bySelector, checkSelector, hasPlace, locate, type Locator, stillNavigating } from './targets.ts';
import { isTimeout, UpstreamError } from './upstream-error.ts';
import { pause, within } from './waiting.ts';

const clickTimeoutMs = 3_000;
const call = 'locator.click';

/** One attempt of Playwright: waits for the element, presses it, waits for what that started; 3 s in all. */
async function clickOnce(browser: MockBrowser, tab: Tab, locator: Locator, presses: number): Promise<void> {
  const until = Date.now() + browser.scaled(clickTimeoutMs);
  const element = await actionable(browser, tab, locator, { call, action: 'click', timeoutMs: clickTimeoutMs });
  const above = coveredBy(tab, element);
  if (above !== null) {
    await tab.alive(call, pause(until - Date.now()));
    throw new UpstreamError(
      `${call}: Timeout ${clickTimeoutMs}ms exceeded.\nCall log:\n  - waiting for ${locator.words}\n    - <${above.tag}></${above.tag}> intercepts pointer events\n`,
    );
  }
  for (let at = 0; at < presses; at += 1) {
    const { waits } = press(browser, tab, element);
    await tab.alive(
      call,
      within(waits, Math.max(1, until - Date.now()), () => stillNavigating(call, clickTimeoutMs, locator, element)),
    );
  }
}

/** The element that lies above and gets the click. */
export function coveredBy(tab: Tab, element: DomElement): DomElement | null {
  const id = element.get('data-covered-by');
  return id === null ? null : tab.page.root.find((one) => one.get('id') === id);
}

/** Without the checks, the click hits whatever lies above. */
async function forceClick(browser: MockBrowser, tab: Tab, locator: Locator): Promise<void> {
  const [element] = locator.find();
  if (element === undefined) return;
  const { waits } = press(browser, tab, coveredBy(tab, element) ?? element);
  await tab.alive(
    call,
    within(waits, browser.scaled(clickTimeoutMs), () => stillNavigating(call, clickTimeoutMs, locator, element)),
  );
}

/**
 * The fallback of `/click`: moves the mouse to where the locator is by now and presses, without waiting for what that
 * starts. On a page that answered late this is a second click (recording 26-second-click).
 */
async function mouseClick(browser: MockBrowser, tab: Tab, locator: Locator): Promise<void> {
  await Promise.race([tab.settled(), pause(browser.scaled(clickTimeoutMs))]);
  const [element] = tab.pending === null ? locator.find() : [];
  if (element === undefined) {
    if (tab.pending === null) await tab.alive(call, pause(browser.scaled(clickTimeoutMs)));
    throw new UpstreamError(
      `Element not actionable: no bounding box within ${clickTimeoutMs}ms (element likely detached after page change). Call snapshot to refresh refs and retry.`,
      { status: 422 },
    );
  }
  if (!hasPlace(element)) throw new UpstreamError('Element not visible (no bounding box)');
  press(browser, tab, coveredBy(tab, element) ?? element).waits.catch(() => undefined);
}

/** Downloads that began mean success, whatever the click itself said. */
async function clickStubbornly(browser: MockBrowser, tab: Tab, locator: Locator): Promise<void> {
  const files = tab.downloads.length;
  try {
    await clickOnce(browser, tab, locator, 1);
  } catch (error) {
    if (!(error instanceof UpstreamError) || tab.downloads.length > files) throw error;
    if (/intercepts pointer events/.test(error.message)) await forceClick(browser, tab, locator);
    else if (/not visible|timeout/i.test(error.message)) await mouseClick(browser, tab, locator);
    else throw error;
  }
}

/** POST /tabs/:tabId/click. */
export const click: Handler = async (request, browser) => {
  const { userId, ref, selector } = bodyOf(request);
  if (!userId) return refuse(400, 'userId required');
  const tabId = request.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId);
  if (found === null) return noTab(browser, tabId);
  if (!ref && selector === undefined) return refuse(400, 'ref or selector required');
  checkSelector(selector);
  const { tab } = found;
  const work = async () => {
    const began = Date.now();
    const locator = await locate(browser, tab, narrowed(tab, { ref, selector }), 'locator.count');
    await tab.alive(call, clickStubbornly(browser, tab, locator));
    tab.lastSnapshot = null;
    const left = browser.scaled(browser.settings.handlerTimeoutMs - 2_000) - (Date.now() - began);
    await refreshAfterClick(browser, tab, Math.max(browser.scaled(2_000), left));
    tab.visited.add(tab.page.url);
    return ok({ ok: true, url: tab.page.url, refsAvailable: tab.refs.size > 0 });
  };
  try {
    return await browser.users.run(spelled(userId), () => withTab(browser, tab, work, { destroys: true }));
  } catch (error) {
    const changed = error instanceof UpstreamError && error.code !== 'tab_timeout' && /timed out/.test(error.message);
    if (!changed || tab.dead) throw error;
    return pageChanged(browser, tab, 'click');
  }
};

/** `:visible` is appended when that leaves one match; with `role=…[…]` it breaks the selector (05-camofox §4.3). */
function narrowed(tab: Tab, { ref, selector }: { readonly ref: unknown; readonly selector: unknown }) {
  if (ref || typeof selector !== 'string' || /,|:visible/.test(selector)) return { ref, selector };
  if (/^role=[\w-]+\[[^\]]*\]$/.test(selector.trim()))
    throw new UpstreamError(
      `locator.count: Error: Error while parsing selector \`${selector.trim().slice(5)}:visible\` - unexpected symbol ":" at position ${selector.trim().length - 5}`,
    );
  if (/^[a-z-]+=|>>/.test(selector)) return { ref, selector };
  const narrow = `${selector.trim()}:visible`;
  // Selectors that do not parse fail here, in words about the longer one.
  const visible = bySelector(tab, narrow, 'locator.count').find();
  return { ref, selector: visible.length === 1 ? narrow : selector };
}

async function refreshAfterClick(browser: MockBrowser, tab: Tab, budgetMs: number): Promise<void> {
  try {
    await tab.alive(
      call,
      within(refreshRefs(browser, tab), budgetMs, () => new UpstreamError('post_click_refs_timeout')),
    );
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.message !== 'post_click_refs_timeout') throw error;
    tab.refs = new Map();
  }
}

/** The answer to a click or typing that ran out of the handler's time: 409, effect unknown. */
export async function pageChanged(browser: MockBrowser, tab: Tab, what: 'click' | 'type') {
  await refreshRefs(browser, tab);
  tab.lastSnapshot = null;
  return {
    status: 409,
    json: {
      error: `Page changed during ${what}. Call snapshot to see the current state and retry with current refs.`,
      code: 'page_changed',
      retryable: true,
      recovery: 'snapshot_then_retry',
      hint: 'The page may have changed. Call snapshot to see the current state and retry.',
      url: tab.page.url,
      refsCount: tab.refs.size,
    },
  };
}

/** Click of `/act`: one attempt, and one by force when something lies above. */
export async function actClick(browser: MockBrowser, tab: Tab, locator: Locator, presses: number): Promise<void> {
  try {
    await clickOnce(browser, tab, locator, presses);
  } catch (error) {
    if (!(error instanceof UpstreamError) || !/intercepts pointer events/.test(error.message)) throw error;
    await forceClick(browser, tab, locator);
  }
}

/** Whether a failure is a timeout of navigating, which counts against the user (three in a row, with the next failure). */
export const countsAsNavigation = (error: UpstreamError, path: string) =>
  isTimeout(error) && error.code !== 'tab_timeout' && /\/(click|navigate)$|^\/tabs\/open$/.test(path);
