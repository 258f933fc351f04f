import { spelled } from './spelled.ts';
import { bodyOf, type Handler, noTab, ok, refuse, useTab, withTab } from './call.ts';
import type { MockBrowser } from './browser.ts';
import { actClick, coveredBy } from './clicking.ts';
import { refreshRefs } from './looking.ts';
import type { DomElement } from './page/dom.ts';
import { selectAll } from './page/select.ts';
import type { Tab } from './tab.ts';
import { actionable, locate } from './targets.ts';
import { pressKey, typeInto } from './typing.ts';
import { UpstreamError } from './upstream-error.ts';
import { pause } from './waiting.ts';

const hoverTimeoutMs = 5_000;
const textTimeoutMs = 30_000;

type Fields = Readonly<Record<string, unknown>>;

/** POST /act. Does not keep the session alive; anything but a missing user or kind is answered 500. */
export const act: Handler = async (request, browser) => {
  const { kind, targetId, userId, ...fields } = bodyOf(request, 'kind');
  if (!userId) return refuse(400, 'userId is required');
  if (!kind) return refuse(400, 'kind is required');
  const tabId = spelled(targetId ?? '');
  const found = useTab(browser, userId, tabId, { keepsAlive: false });
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  const about = await withTab(browser, tab, () => perform(browser, tab, spelled(kind), fields));
  return ok({ ok: true, targetId: tabId, ...about });
};

async function perform(browser: MockBrowser, tab: Tab, kind: string, fields: Fields): Promise<object> {
  switch (kind) {
    case 'click':
      requireTarget(fields);
      await tab.alive('locator.click', clickTarget(browser, tab, fields));
      return { url: tab.page.url };
    case 'type':
      await tab.alive('locator.fill', typeTarget(browser, tab, fields));
      return {};
    case 'press':
      if (!fields['key']) throw new UpstreamError('key is required');
      await tab.alive('keyboard.press', (async () => pressKey(browser, tab, fields['key'], false))());
      return {};
    case 'hover':
      requireTarget(fields);
      await tab.alive('locator.hover', hoverTarget(browser, tab, fields));
      return {};
    case 'scroll':
    case 'scrollIntoView':
      await tab.alive('mouse.wheel', scrollTarget(browser, tab, fields));
      return {};
    case 'wait':
      await tab.alive('page.waitForSelector', waitFor(browser, tab, fields));
      return { url: tab.page.url };
    case 'close':
      browser.removeTab(tab);
      return {};
    default:
      throw new UpstreamError(`Unsupported action kind: ${kind}`);
  }
}

function requireTarget({ ref, selector }: Fields): void {
  if (!ref && !selector) throw new UpstreamError('ref or selector required');
}

async function clickTarget(browser: MockBrowser, tab: Tab, fields: Fields): Promise<void> {
  const locator = await locate(browser, tab, fields, 'locator.click');
  await actClick(browser, tab, locator, fields['doubleClick'] === true ? 2 : 1);
  await refreshRefs(browser, tab, { keepsOld: false });
}

async function typeTarget(browser: MockBrowser, tab: Tab, fields: Fields): Promise<void> {
  const { ref, selector, text, mode = 'fill' } = fields;
  if (mode === 'fill' && !ref && !selector) throw new UpstreamError('ref or selector required for mode=fill');
  if (typeof text !== 'string') throw new UpstreamError('text is required');
  if (mode !== 'fill' && mode !== 'keyboard') throw new UpstreamError("mode must be 'fill' or 'keyboard'");
  await typeInto(browser, tab, { ref, selector, text, mode, enter: Boolean(fields['submit']) });
}

/** Playwright's hover looks at what would be hit, as a click does, and never forces. */
async function hoverTarget(browser: MockBrowser, tab: Tab, fields: Fields): Promise<void> {
  const element = await reach(browser, tab, fields, 'locator.hover');
  const above = coveredBy(tab, element);
  if (above === null) return;
  await pause(browser.scaled(hoverTimeoutMs));
  throw new UpstreamError(
    `locator.hover: Timeout ${hoverTimeoutMs}ms exceeded.\nCall log:\n    - <${above.tag}></${above.tag}> intercepts pointer events\n`,
  );
}

async function reach(browser: MockBrowser, tab: Tab, fields: Fields, call: string): Promise<DomElement> {
  const locator = await locate(browser, tab, fields, call);
  const what = { call, action: 'hover', timeoutMs: hoverTimeoutMs, enabled: false };
  return actionable(browser, tab, locator, what);
}

async function scrollTarget(browser: MockBrowser, tab: Tab, fields: Fields): Promise<void> {
  if (fields['ref']) await reach(browser, tab, { ref: fields['ref'] }, 'locator.scrollIntoViewIfNeeded');
  else scrollBy(tab, fields['direction'] ?? 'down', fields['amount'] ?? 500);
}

/** Turns the wheel. Any word but up, down and left scrolls to the right. @throws UpstreamError unless the amount is a number */
export function scrollBy(tab: Tab, direction: unknown, amount: unknown): void {
  const vertical = direction === 'up' || direction === 'down';
  if (typeof amount !== 'number')
    throw new UpstreamError(`mouse.wheel: delta${vertical ? 'Y' : 'X'}: expected float, got ${typeof amount}`);
  const delta = direction === 'up' || direction === 'left' ? -amount : amount;
  const { view } = tab.page;
  if (vertical) view.scrollY = Math.max(0, view.scrollY + delta);
  else view.scrollX = Math.max(0, view.scrollX + delta);
}

async function waitFor(browser: MockBrowser, tab: Tab, { timeMs, text, loadState }: Fields): Promise<void> {
  if (typeof timeMs === 'number' && timeMs > 0) {
    await pause(browser.scaled(timeMs));
  } else if (text) {
    const until = Date.now() + browser.scaled(textTimeoutMs);
    while (
      tab.pending !== null ||
      selectAll({ root: tab.page.root, frames: [] }, `text=${spelled(text)}`).length === 0
    ) {
      if (Date.now() > until)
        throw new UpstreamError(
          `page.waitForSelector: Timeout ${textTimeoutMs}ms exceeded.\nCall log:\n  - waiting for getByText('${spelled(text)}') to be visible\n`,
        );
      await pause(5);
    }
  } else if (loadState) {
    await tab.settled();
  }
}
