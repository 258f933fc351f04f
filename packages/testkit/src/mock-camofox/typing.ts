import type { MockBrowser } from './browser.ts';
import { bodyOf, type Handler, noTab, ok, refuse, useTab, withTab } from './call.ts';
import { pageChanged } from './clicking.ts';
import { type DomElement, inputType, optionsOf, optionValue, textNode, valueOf } from './page/dom.ts';
import { press, submit } from './press.ts';
import type { Tab } from './tab.ts';
import { actionable, checkSelector, locate, type Locator } from './targets.ts';
import { UpstreamError } from './upstream-error.ts';
import { pause } from './waiting.ts';

const fillTimeoutMs = 30_000;
const focusTimeoutMs = 10_000;
const notFillable = /^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/;

/** Puts a text into a field in place of what it holds. @throws UpstreamError when it is no field, or not there in 30 s */
export async function fill(browser: MockBrowser, tab: Tab, locator: Locator, text: string): Promise<void> {
  const element = await present(browser, tab, locator, { call: 'locator.evaluate', timeoutMs: fillTimeoutMs });
  requireField(element);
  if (!/^(input|textarea)$/.test(element.tag) && !element.has('contenteditable'))
    throw new UpstreamError(
      'locator.fill: Error: Element is not an <input>, <textarea>, <select> or [contenteditable] and does not have a role allowing [aria-readonly]',
    );
  await actionable(browser, tab, locator, { call: 'locator.fill', action: 'fill', timeoutMs: focusTimeoutMs });
  tab.focused = element;
  setValue(element, text);
}

function requireField(element: DomElement): void {
  const type = inputType(element);
  const role = element.get('role') ?? '';
  if (element.tag === 'textarea' || element.has('contenteditable') || /^(textbox|searchbox)$/.test(role)) return;
  if (element.tag === 'input' && !notFillable.test(type)) return;
  const what = type ? `${element.tag}[type=${type}]` : role ? `${element.tag}[role=${role}]` : element.tag;
  throw new UpstreamError(`Element ${what} is not fillable. Use click for buttons and other controls.`, {
    code: 'element_not_actionable',
  });
}

async function present(
  browser: MockBrowser,
  tab: Tab,
  locator: Locator,
  { call, timeoutMs }: { readonly call: string; readonly timeoutMs: number },
) {
  // A little less than it says: the handler's own 30 s would come first otherwise, and the answer be another.
  const until = Date.now() + browser.scaled(timeoutMs) * 0.98;
  for (;;) {
    if (tab.pending !== null) await Promise.race([tab.settled(), pause(Math.max(1, until - Date.now()))]);
    const found = tab.pending === null ? locator.find() : [];
    const [element] = found;
    if (found.length > 1)
      throw new UpstreamError(
        `${call}: Error: strict mode violation: ${locator.words} resolved to ${found.length} elements:\nCall log:\n  - waiting for ${locator.words}\n`,
      );
    if (element !== undefined) return element;
    if (Date.now() >= until)
      throw new UpstreamError(
        `${call}: Timeout ${timeoutMs}ms exceeded.\nCall log:\n  - waiting for ${locator.words}\n`,
      );
    await tab.alive(call, pause(Math.min(20, Math.max(1, until - Date.now()))));
  }
}

function setValue(element: DomElement, text: string): void {
  if (element.tag === 'input' || element.tag === 'textarea') element.typed = text;
  else element.replaceChildren([textNode(text)]);
}

/** Types into what has the focus, key by key. */
export function typeKeys(tab: Tab, text: string): void {
  if (tab.focused !== null) setValue(tab.focused, valueOf(tab.focused) + text);
}

/** Gives an element the focus. */
export async function focus(browser: MockBrowser, tab: Tab, locator: Locator): Promise<void> {
  tab.focused = await present(browser, tab, locator, { call: 'locator.focus', timeoutMs: focusTimeoutMs });
}

const aliases: Readonly<Record<string, string>> = {
  ctrl: 'Control',
  cmd: 'Meta',
  command: 'Meta',
  esc: 'Escape',
  return: 'Enter',
  del: 'Delete',
  option: 'Alt',
};
const keys =
  /^(Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Space|Arrow(Up|Down|Left|Right)|F([1-9]|1[0-2])|Control|Shift|Alt|Meta|.)$/u;

/** Presses a key: Enter sends the form around the focus. @throws UpstreamError for keys that do not exist */
export function pressKey(browser: MockBrowser, tab: Tab, key: unknown, takesAliases: boolean): void {
  if (typeof key !== 'string') throw new UpstreamError(`keyboard.press: key: expected string, got ${typeof key}`);
  const parts = key === '+' ? [key] : key.split('+');
  const named = takesAliases ? parts.map((part) => aliases[part.toLowerCase()] ?? part) : parts;
  const unknown = named.find((part) => !keys.test(part));
  if (unknown !== undefined) throw new UpstreamError(`keyboard.press: Unknown key: "${unknown}"`);
  const { focused } = tab;
  if (named.at(-1) !== 'Enter' || focused === null) return;
  if (focused.tag === 'button' || focused.tag === 'a') press(browser, tab, focused).waits.catch(() => undefined);
  else if (focused.tag === 'input') submitByEnter(browser, tab, focused);
}

/** Enter in a field presses the form's first submit button, or sends the form without one. */
function submitByEnter(browser: MockBrowser, tab: Tab, field: DomElement): void {
  const form = field.closest(({ tag }) => tag === 'form');
  const button = form?.find(
    (one) => (one.tag === 'button' && (one.get('type') ?? 'submit') === 'submit') || inputType(one) === 'submit',
  );
  if (button != null) press(browser, tab, button).waits.catch(() => undefined);
  else submit(browser, tab, field)?.catch(() => undefined);
}

/** POST /tabs/:tabId/type. Does not wait for the page that submitting leads to. */
export const type: Handler = async (request, browser) => {
  const { userId, ref, selector, text, mode = 'fill', submit: submits, pressEnter } = bodyOf(request);
  const tabId = request.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId);
  if (found === null) return noTab(browser, tabId);
  if (mode !== 'fill' && mode !== 'keyboard') return refuse(400, "mode must be 'fill' or 'keyboard'");
  if (typeof text !== 'string') return refuse(400, 'text is required');
  if (mode === 'fill' && !ref && !selector) return refuse(400, 'ref or selector required for mode=fill');
  checkSelector(selector);
  const { tab } = found;
  try {
    await withTab(browser, tab, () =>
      tab.alive(
        'locator.fill',
        typeInto(browser, tab, { ref, selector, text, mode, enter: Boolean(submits || pressEnter) }),
      ),
    );
    return ok({ ok: true });
  } catch (error) {
    const changed = error instanceof UpstreamError && /timed out|not an <input>/.test(error.message);
    if (!changed || tab.dead) throw error;
    return pageChanged(browser, tab, 'type');
  }
};

/** What `/type` and `/act` type. */
export interface Typing {
  readonly ref?: unknown;
  readonly selector?: unknown;
  readonly text: string;
  readonly mode: 'fill' | 'keyboard';
  readonly enter: boolean;
}

export async function typeInto(browser: MockBrowser, tab: Tab, typing: Typing): Promise<void> {
  const target = typing.ref || typing.selector ? await locate(browser, tab, typing, 'locator.evaluate') : null;
  if (target !== null && typing.mode === 'fill') await fill(browser, tab, target, typing.text);
  if (typing.mode === 'keyboard') {
    if (target !== null) await focus(browser, tab, target);
    typeKeys(tab, typing.text);
  }
  if (typing.enter) pressKey(browser, tab, 'Enter', false);
}

/** POST /tabs/:tabId/press. */
export const pressRoute: Handler = async (request, browser) => {
  const { userId, key } = bodyOf(request);
  const tabId = request.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId);
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  const takesAliases = browser.settings.version !== '1.14';
  await withTab(browser, tab, () =>
    tab.alive('keyboard.press', (async () => pressKey(browser, tab, key, takesAliases))()),
  );
  return ok({ ok: true });
};

/** POST /tabs/:tabId/select, since 1.15. By label; by value it runs into the handler's time, and chooses after it (05-camofox finding 11). */
export const select: Handler = async (request, browser) => {
  const { userId, ref, selector, option } = bodyOf(request);
  const tabId = request.params['tabId'] ?? '';
  if (browser.findTab(userId, tabId) === null) return noTab(browser, tabId);
  if ((!ref && !selector) || typeof option !== 'string' || option === '')
    return refuse(400, 'ref or selector and a nonempty option are required');
  checkSelector(selector);
  const found = useTab(browser, userId, tabId);
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  await withTab(browser, tab, () => tab.alive('locator.selectOption', choose(browser, tab, { ref, selector, option })));
  return ok({ ok: true });
};

async function choose(browser: MockBrowser, tab: Tab, wanted: { ref: unknown; selector: unknown; option: string }) {
  const locator = await locate(browser, tab, wanted, 'locator.count');
  await tab.settled();
  const [list] = locator.find();
  if (list === undefined)
    throw new UpstreamError(
      'Selector did not match any element. Call snapshot and use a current element ref or a matching selector.',
      { status: 422 },
    );
  if (list.tag !== 'select')
    throw new UpstreamError(
      `locator.selectOption: Error: Element is not a <select> element\nCall log:\n  - waiting for ${locator.words}\n`,
    );
  const byLabel = optionsOf(list).find((one) => one.text.trim() === wanted.option);
  if (byLabel !== undefined) {
    list.typed = optionValue(byLabel);
    return;
  }
  // Looking for the label takes all of the handler's time; what follows comes after the answer.
  await pause(browser.scaled(fillTimeoutMs + 500));
  if (optionsOf(list).some((one) => optionValue(one) === wanted.option)) list.typed = wanted.option;
  else await pause(browser.scaled(fillTimeoutMs));
}
