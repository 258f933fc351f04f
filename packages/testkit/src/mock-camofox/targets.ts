import { spelled } from './spelled.ts';
import type { MockBrowser } from './browser.ts';
import { refreshRefs } from './looking.ts';
import type { DomElement } from './page/dom.ts';
import { isDisabled, isHidden, isHiddenItself } from './page/dom.ts';
import { writeHtml } from './page/read-html.ts';
import { byRole, selectAll } from './page/select.ts';
import type { Tab } from './tab.ts';
import { UpstreamError } from './upstream-error.ts';
import { pause } from './waiting.ts';

/** A locator as Playwright has it: looked up anew each time. */
export interface Locator {
  /** As Playwright prints it in its log. */
  readonly words: string;
  /** By number: several matches are no failure, since it names one by position. */
  find(): DomElement[];
}

/** Refuses selectors that the upstream refuses before it looks. @throws UpstreamError `invalid_selector` */
export function checkSelector(selector: unknown): void {
  if (selector === undefined || selector === null) return;
  if (typeof selector !== 'string' || selector.trim() === '') throw invalid('selector must be a non-empty string');
  if (/^text\s*\(/i.test(selector))
    throw invalid('Invalid text selector syntax. Use text=... or a valid CSS selector.');
  const open: string[] = [];
  let quote = '';
  for (let at = 0; at < selector.length; at += 1) {
    const char = selector[at] ?? '';
    if (char === '\\') at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if ('([{'.includes(char)) open.push(char);
    else if (')]}'.includes(char) && open.pop() !== '([{'[')]}'.indexOf(char)])
      throw invalid(`Invalid selector syntax: ${selector}`);
  }
  if (quote !== '' || open.length > 0) throw invalid(`Invalid selector syntax: ${selector}`);
}

const invalid = (message: string) => new UpstreamError(message, { status: 400, code: 'invalid_selector' });

/** A selector in the page of a tab. */
export function bySelector(tab: Tab, selector: string, call: string): Locator {
  return {
    words: wordsOf(selector),
    find: () => {
      try {
        return selectAll({ root: tab.page.root, frames: tab.page.frames }, selector);
      } catch (error) {
        throw new UpstreamError(`${call}: ${error instanceof Error ? error.message : spelled(error)}`);
      }
    },
  };
}

/** A ref as the upstream resolves it: role, name as a substring, position among the equally named. */
export function byRef(tab: Tab, ref: string): Locator | null {
  const target = tab.refs.get(ref);
  if (target === undefined) return null;
  const { role, name, nth, frameUrl } = target;
  const place = nth === 0 ? '.first()' : `.nth(${nth})`;
  return {
    words: `getByRole('${role}'${name === '' ? '' : `, { name: '${name}' }`})${place}`,
    find: () => {
      const root = tab.page.frames.find(({ url }) => url === frameUrl)?.root ?? tab.page.root;
      return byRole(root, role, name).slice(nth, nth + 1);
    },
  };
}

/** Ref or selector; unknown refs are numbered anew once. @throws UpstreamError `stale_refs` */
export async function locate(
  browser: MockBrowser,
  tab: Tab,
  { ref, selector }: { readonly ref?: unknown; readonly selector?: unknown },
  call: string,
): Promise<Locator> {
  if (ref === undefined || ref === null || ref === '') return bySelector(tab, spelled(selector), call);
  const name = spelled(ref);
  const known = byRef(tab, name);
  if (known !== null) return known;
  if (!tab.dead) await refreshRefs(browser, tab);
  const found = tab.dead ? null : byRef(tab, name);
  if (found !== null) return found;
  const last = tab.refs.size > 0 ? `e${tab.refs.size}` : 'none';
  throw new UpstreamError(
    `Unknown ref: ${name} (valid refs: e1-${last}, ${tab.refs.size} total). Refs reset after navigation - call snapshot first.`,
    { code: 'stale_refs', ref },
  );
}

/** How Playwright prints a selector. */
function wordsOf(selector: string): string {
  const role = /^role=([\w-]+)(?:\[name="((?:[^"\\]|\\.)*)"\])?((?:\s*>>\s*nth=\d+)?)$/.exec(selector);
  if (role !== null) {
    const name = role[2] === undefined ? '' : `, { name: '${role[2].replace(/\\(.)/g, '$1')}', exact: true }`;
    const nth = /\d+/.exec(role[3] ?? '')?.[0];
    return `getByRole('${role[1]}'${name})${nth === undefined ? '' : nth === '0' ? '.first()' : `.nth(${nth})`}`;
  }
  return `locator('${selector}')`;
}

/** What keeps an element from being used. */
type Obstacle = 'element is not visible' | 'element is not enabled' | 'missing';

/**
 * The one element of a locator, as soon as it is there, visible and (where wanted) enabled.
 *
 * @throws UpstreamError after `timeoutMs` with Playwright's log of the attempt; at once when there are several
 */
export async function actionable(
  browser: MockBrowser,
  tab: Tab,
  locator: Locator,
  { call, action, timeoutMs, enabled = true }: { call: string; action: string; timeoutMs: number; enabled?: boolean },
): Promise<DomElement> {
  const until = Date.now() + browser.scaled(timeoutMs);
  for (;;) {
    const left = until - Date.now();
    if (tab.pending !== null) await Promise.race([tab.settled(), pause(Math.max(1, left))]);
    const found = tab.pending === null ? locator.find() : [];
    if (found.length > 1) throw ambiguous(call, locator, found);
    const [element] = found;
    const obstacle = obstacleOf(element, enabled);
    if (element !== undefined && obstacle === null) return element;
    if (Date.now() >= until) throw timedOut({ call, action, timeoutMs }, locator, element, obstacle ?? 'missing');
    await tab.alive(call, pause(Math.min(20, Math.max(1, until - Date.now()))));
  }
}

function obstacleOf(element: DomElement | undefined, enabled: boolean): Obstacle | null {
  if (element === undefined) return 'missing';
  if (isHidden(element)) return 'element is not visible';
  return enabled && isDisabled(element) ? 'element is not enabled' : null;
}

function timedOut(
  { call, action, timeoutMs }: { call: string; action: string; timeoutMs: number },
  locator: Locator,
  element: DomElement | undefined,
  obstacle: Obstacle,
): UpstreamError {
  const log = [`  - waiting for ${locator.words}`];
  if (element !== undefined) {
    log.push(`    - locator resolved to ${openTag(element)}`, `  - attempting ${action} action`);
    log.push(`    2 × waiting for element to be visible, enabled and stable`, `      - ${obstacle}`);
  }
  return new UpstreamError(`${call}: Timeout ${timeoutMs}ms exceeded.\nCall log:\n${log.join('\n')}\n`);
}

/** The log of a click that was performed, and whose navigation takes too long. */
export function stillNavigating(call: string, timeoutMs: number, locator: Locator, element: DomElement): UpstreamError {
  const log = [
    `  - waiting for ${locator.words}`,
    `    - locator resolved to ${openTag(element)}`,
    '  - attempting click action',
    '    - waiting for element to be visible, enabled and stable',
    '    - element is visible, enabled and stable',
    '    - scrolling into view if needed',
    '    - done scrolling',
    '    - performing click action',
    '    - click action done',
    '    - waiting for scheduled navigations to finish',
  ];
  return new UpstreamError(`${call}: Timeout ${timeoutMs}ms exceeded.\nCall log:\n${log.join('\n')}\n`);
}

function ambiguous(call: string, locator: Locator, found: readonly DomElement[]): UpstreamError {
  const list = found.slice(0, 10).map((one, at) => `    ${at + 1}) ${openTag(one)}\n`);
  return new UpstreamError(
    `${call}: Error: strict mode violation: ${locator.words} resolved to ${found.length} elements:\n${list.join('')}\nCall log:\n  - waiting for ${locator.words}\n`,
  );
}

/** An element as Playwright shows it: short ones whole. */
function openTag(element: DomElement): string {
  const whole = writeHtml(element);
  return whole.length <= 120 ? whole : `${whole.slice(0, 100)}…</${element.tag}>`;
}

/** Whether an element can be hit with the mouse: it has a place on the page. */
export const hasPlace = (element: DomElement) => element.closest(isHiddenItself) === null;
