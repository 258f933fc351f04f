import type { MockBrowser } from './browser.ts';
import { capture, type Loaded, startLoad } from './loading.ts';
import { nameOf, squash } from './page/accessible.ts';
import {
  type DomElement,
  inputType,
  isDisabled,
  isTicked,
  optionValue,
  chosenOptions,
  textNode,
  valueOf,
} from './page/dom.ts';
import { readFragment } from './page/read-html.ts';
import type { LiveElement, LivePage, PressEffect } from './page-model.ts';
import { arrivalOf } from './page-source.ts';
import type { Tab } from './tab.ts';
import { goneAway } from './upstream-error.ts';
import { pause } from './waiting.ts';

/** What a press set off. */
export interface Pressed {
  /** Navigations, downloads and busy scripts that a click waits for. */
  readonly waits: Promise<unknown>;
}

/** Presses an element: counts it, runs its listeners and then what it does by itself. Disabled ones do nothing. */
export function press(browser: MockBrowser, tab: Tab, element: DomElement): Pressed {
  if (isDisabled(element)) return { waits: Promise.resolve() };
  count(browser, element);
  const work: Promise<unknown>[] = [];
  const cancelled = listen(browser, tab, element, work);
  work.push(...tab.startedByScript.splice(0));
  if (!cancelled) {
    const own = defaultAction(browser, tab, element);
    if (own !== null) work.push(own);
  }
  return { waits: Promise.all(work) };
}

function count(browser: MockBrowser, element: DomElement): void {
  const keys = [element.get('id'), element.get('data-k'), nameOf(element)];
  for (const key of new Set(keys.filter((one) => one !== null && one !== '')))
    browser.pressed.set(String(key), (browser.pressed.get(String(key)) ?? 0) + 1);
}

/** Listeners of the element and those around it. True when one of them cancels. */
function listen(browser: MockBrowser, tab: Tab, element: DomElement, work: Promise<unknown>[]): boolean {
  let cancelled = false;
  browser.scripts?.enter(tab);
  for (let one: DomElement | null = element; one !== null; one = one.parent) {
    if (one.onPress?.(element) === true) cancelled = true;
    const inline = browser.settings.runScripts ? one.get('onclick') : null;
    if (inline !== null && browser.scripts?.runInline(tab, one, inline) === true) cancelled = true;
    const handlers = tab.page.source.onClick ?? {};
    const handler = handlers[one.get('id') ?? ''] ?? (one === element ? handlers[nameOf(one)] : undefined);
    const effect = typeof handler === 'function' ? handler(livePage(tab)) : handler;
    if (effect !== undefined) work.push(apply(browser, tab, effect));
  }
  return cancelled;
}

async function apply(browser: MockBrowser, tab: Tab, effect: PressEffect): Promise<void> {
  const { navigate, popup, download: file, closes, busyMs } = effect;
  if (closes === true) {
    tab.die();
    throw goneAway('locator.click');
  }
  if (popup !== undefined) await openPopup(browser, tab, new URL(popup, tab.page.url).href);
  if (file !== undefined) {
    const url = new URL(file.filename, tab.page.url).href;
    await capture(browser, tab, { url, filename: file.filename, arrival: arrivalOf(file) });
  }
  if (busyMs !== undefined) {
    const busy = pause(busyMs).finally(() => {
      if (tab.pending === busy) tab.pending = null;
    });
    tab.pending = busy;
    await busy;
  }
  if (navigate !== undefined) await startLoad(browser, tab, { url: new URL(navigate, tab.page.url).href });
}

/** What a script asks for: a new window, or to close its own. */
export function pressByScript(browser: MockBrowser, tab: Tab, effect: PressEffect): null {
  const work = apply(browser, tab, effect);
  work.catch(() => undefined);
  tab.startedByScript.push(work);
  return null;
}

/** A popup becomes a tab of the same session; it does not count against the limits. */
async function openPopup(browser: MockBrowser, tab: Tab, url: string): Promise<void> {
  const session = browser.sessions.get(tab.userId);
  if (session === undefined) return;
  const popup = browser.addTab(session, tab.sessionKey);
  const loaded = await startLoad(browser, popup, { url });
  // A file is attributed to the opener; its window stays blank.
  if (loaded.kind === 'file') tab.downloads = [...tab.downloads, ...popup.downloads.splice(0)];
}

function defaultAction(browser: MockBrowser, tab: Tab, element: DomElement): Promise<unknown> | null {
  const link = element.closest((one) => one.tag === 'a' && one.has('href'));
  if (link !== null) return follow(browser, tab, link);
  const button =
    element.closest((one) => one.tag === 'button' || one.tag === 'input' || one.tag === 'label') ?? element;
  if (button.tag === 'label') {
    const control = labelled(tab, button);
    return control === null ? null : defaultAction(browser, tab, control);
  }
  const type = button.tag === 'button' ? (button.get('type') ?? 'submit').toLowerCase() : inputType(button);
  if (type === 'checkbox') button.ticked = !isTicked(button);
  if (type === 'radio') tickRadio(button);
  if (button.tag === 'input' || button.tag === 'textarea') tab.focused = button;
  return type === 'submit' || type === 'image' ? submit(browser, tab, button) : null;
}

function labelled(tab: Tab, label: DomElement): DomElement | null {
  const id = label.get('for');
  return id === null
    ? label.find(({ tag }) => /^(input|select|textarea)$/.test(tag))
    : tab.page.root.find((one) => one.get('id') === id);
}

function tickRadio(radio: DomElement): void {
  const scope = radio.closest(({ tag }) => tag === 'form' || tag === 'html') ?? radio;
  for (const other of scope.all((one) => inputType(one) === 'radio' && one.get('name') === radio.get('name')))
    other.ticked = other === radio;
}

function follow(browser: MockBrowser, tab: Tab, link: DomElement): Promise<unknown> | null {
  const url = new URL(link.get('href') ?? '', tab.page.url);
  const now = new URL(tab.page.url);
  if (!/^https?:$/.test(url.protocol)) return null;
  if (tab.page.source.asksBeforeUnload === true) return null;
  if (url.hash !== '' && url.href.split('#')[0] === now.href.split('#')[0]) {
    tab.page.url = url.href;
    return null;
  }
  if (link.has('download')) return download(browser, tab, url.href, link.get('download') ?? '');
  if (link.get('target') === '_blank') return openPopup(browser, tab, url.href);
  return startLoad(browser, tab, { url: url.href });
}

/** A link with `download`: whatever is there is a file. */
async function download(browser: MockBrowser, tab: Tab, url: string, filename: string): Promise<void> {
  const request = { url, method: 'GET', form: null, userId: tab.userId, signal: tab.signal } as const;
  const answer = await browser.pages.load(request);
  if (answer.kind === 'file') await capture(browser, tab, answer);
  if (answer.kind !== 'page') return;
  const bytes = new TextEncoder().encode((answer.page.html ?? '').replace(/^<pre>|<\/pre>$/g, ''));
  const name = filename || (new URL(url).pathname.split('/').pop() ?? '');
  await capture(browser, tab, { url, filename: name, arrival: arrivalOf({ filename: name, bytes }) });
}

/** Sends the form around a control, with the control's own name and value; `null` without a form. */
export function submit(browser: MockBrowser, tab: Tab, control: DomElement): Promise<Loaded> | null {
  const form = control.closest(({ tag }) => tag === 'form');
  if (form === null) return null;
  const fields = formFields(form, control);
  const url = new URL(control.get('formaction') ?? form.get('action') ?? tab.page.url, tab.page.url);
  if ((control.get('formmethod') ?? form.get('method') ?? 'get').toLowerCase() === 'post')
    return startLoad(browser, tab, { url: url.href, method: 'POST', form: fields });
  url.search = fields.toString();
  return startLoad(browser, tab, { url: url.href });
}

function formFields(form: DomElement, submitter: DomElement): URLSearchParams {
  const fields = new URLSearchParams();
  for (const one of form.all(({ tag }) => /^(input|select|textarea|button)$/.test(tag))) {
    const name = one.get('name');
    const type = one.tag === 'button' ? 'button' : inputType(one);
    if (!name || isDisabled(one)) continue;
    if (/^(submit|image|button|reset|file)$/.test(type)) {
      if (one === submitter && type !== 'file') fields.append(name, one.get('value') ?? '');
    } else if (type === 'checkbox' || type === 'radio') {
      if (isTicked(one)) fields.append(name, valueOf(one));
    } else if (one.tag === 'select') {
      for (const option of chosenOptions(one)) fields.append(name, optionValue(option));
    } else {
      fields.append(name, valueOf(one));
    }
  }
  return fields;
}

function livePage(tab: Tab): LivePage {
  return {
    url: tab.page.url,
    find: (idOrText) => {
      const { root } = tab.page;
      const found =
        root.find((one) => one.get('id') === idOrText) ??
        root.find((one) => one.elements.length === 0 && squash(one.text) === idOrText);
      return found === null ? null : liveElement(found);
    },
    replace: (html) => tab.body.replaceChildren(readFragment(html)),
  };
}

function liveElement(node: DomElement): LiveElement {
  return {
    get text() {
      return node.text;
    },
    set text(text: string) {
      node.replaceChildren([textNode(text)]);
    },
    get value() {
      return valueOf(node);
    },
    set value(value: string) {
      node.typed = value;
    },
    remove: () => node.remove(),
  };
}
