import { createContext, runInContext } from 'node:vm';
import type { MockBrowser, ScriptEngine } from './browser.ts';
import { readCookie } from './http-pages.ts';
import { startLoad } from './loading.ts';
import { press, pressByScript } from './press.ts';
import { cssTest } from './page/css.ts';
import { DomElement, textNode } from './page/dom.ts';
import { onScriptClick, pressEvent, ScriptElement, wrap } from './script-dom.ts';
import type { Tab } from './tab.ts';
import { UpstreamError } from './upstream-error.ts';
import { pause } from './waiting.ts';

interface Realm {
  /** Whose page the scripts see now. */
  tab: Tab;
  /** What `window` is to them. */
  readonly global: unknown;
  readonly run: (code: string) => unknown;
  readonly compile: (code: string) => (this: unknown, event: unknown) => unknown;
}

const realms = new WeakMap<MockBrowser, Realm>();
const storages = new WeakMap<MockBrowser, Map<string, Map<string, string>>>();

/** One realm a server: making one for each page would cost more than all the rest of an answer. */
function realmOf(browser: MockBrowser, tab: Tab): Realm {
  const known = realms.get(browser);
  if (known !== undefined) {
    known.tab = tab;
    return known;
  }
  const sandbox = createContext({});
  const inside = (code: string): unknown => runInContext(code, sandbox);
  const realm: Realm = {
    tab,
    global: inside('globalThis'),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- vm has no types for what it returns
    run: inside('eval') as Realm['run'],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    compile: inside('(code) => new Function("event", code)') as Realm['compile'],
  };
  Object.defineProperties(sandbox, Object.getOwnPropertyDescriptors(windowOf(browser, realm)));
  inside('globalThis.window = globalThis');
  realms.set(browser, realm);
  return realm;
}

/** What a page may use. Much less than a browser has: enough for fixtures and the scripts of adapters. */
function windowOf(browser: MockBrowser, realm: Realm) {
  const { now } = { now: () => realm.tab };
  return {
    get document() {
      return documentOf(browser, now());
    },
    get location() {
      return locationOf(browser, now());
    },
    set location(url: unknown) {
      go(browser, now(), String(url));
    },
    get innerWidth() {
      return now().viewport.width;
    },
    get innerHeight() {
      return now().viewport.height;
    },
    get scrollY() {
      return now().page.view.scrollY;
    },
    get scrollX() {
      return now().page.view.scrollX;
    },
    get localStorage() {
      return storageOf(browser, now());
    },
    history: {
      pushState: (_state: unknown, _title: unknown, url: string) => {
        now().page.url = new URL(url, now().page.url).href;
      },
    },
    fetch: (url: string) => {
      const fetched = scriptFetch(browser, now(), url);
      // A page that does not care how its request ends is no failure of the server.
      fetched.catch(() => undefined);
      return fetched;
    },
    setTimeout: (work: () => void, ms = 0) => {
      const { tab } = realm;
      const { page } = tab;
      const later = async () => {
        await pause(browser.scaled(ms));
        if (tab.dead || tab.page !== page) return;
        realm.tab = tab;
        work();
      };
      later().catch(() => undefined);
      return 0;
    },
    setInterval: () => 0,
    addEventListener: (name: string, listener: unknown) => wrap(now().page.root).addEventListener(name, listener),
    alert: () => {},
    confirm: () => false,
    prompt: () => null,
    open: (url: string) => pressByScript(browser, now(), { popup: url }),
    close: () => pressByScript(browser, now(), { closes: true }),
    encodeURIComponent,
    URL,
  };
}

function documentOf(browser: MockBrowser, tab: Tab) {
  const { page } = tab;
  const root = wrap(page.root);
  onScriptClick(page.root, (element) => void press(browser, tab, element).waits.catch(() => undefined));
  return {
    get title() {
      return tab.title;
    },
    set title(text: string) {
      const title = page.root.find(({ tag }) => tag === 'title') ?? new DomElement('title');
      title.replaceChildren([textNode(text)]);
      if (title.parent === null) page.root.elements[0]?.append(title);
    },
    documentElement: root,
    body: wrap(tab.body),
    readyState: 'complete',
    URL: page.url,
    get cookie() {
      return browser.pages.cookies(tab.userId, page.url);
    },
    set cookie(line: string) {
      const cookie = readCookie(line, new URL(page.url));
      if (cookie !== null) browser.pages.addCookies(tab.userId, [cookie]);
    },
    get activeElement() {
      return wrap(tab.focused ?? tab.body);
    },
    querySelector: (selector: string) => root.querySelector(selector),
    querySelectorAll: (selector: string) => root.querySelectorAll(selector),
    getElementById: (id: string) => {
      const found = page.root.find((one) => one.get('id') === id);
      return found === null ? null : wrap(found);
    },
    createElement: (tag: string) => wrap(new DomElement(tag.toLowerCase())),
    forms: page.root.all(cssTest('form')).map(wrap),
  };
}

function locationOf(browser: MockBrowser, tab: Tab) {
  const url = new URL(tab.page.url);
  return {
    get href() {
      return tab.page.url;
    },
    set href(next: string) {
      go(browser, tab, next);
    },
    assign: (next: string) => go(browser, tab, next),
    replace: (next: string) => go(browser, tab, next),
    reload: () => go(browser, tab, tab.page.url),
    origin: url.origin,
    protocol: url.protocol,
    host: url.host,
    hostname: url.hostname,
    port: url.port,
    pathname: url.pathname,
    search: url.search,
    hash: url.hash,
    toString: () => tab.page.url,
  };
}

function go(browser: MockBrowser, tab: Tab, next: string): void {
  const url = new URL(next, /^https?:/.test(tab.page.url) ? tab.page.url : undefined);
  if (url.protocol === 'file:')
    throw new TypeError(`Location.href setter: Access to '${url.href}' from script denied.`);
  if (url.protocol === 'about:') tab.page.url = url.href;
  else if (/^https?:$/.test(url.protocol)) void startLoad(browser, tab, { url: url.href });
}

async function scriptFetch(browser: MockBrowser, tab: Tab, path: string) {
  const url = new URL(path, tab.page.url).href;
  const request = { url, method: 'GET', form: null, userId: tab.userId, signal: tab.signal } as const;
  const answer = await browser.pages.load(request);
  if (answer.kind === 'failure') throw new TypeError('NetworkError when attempting to fetch resource.');
  const text = answer.kind === 'page' ? (answer.page.html ?? '').replace(/^<pre>|<\/pre>$/g, '') : '';
  const status = answer.kind === 'page' ? answer.status : 200;
  return { ok: status < 400, status, text: async () => text, json: async (): Promise<unknown> => JSON.parse(text) };
}

function storageOf(browser: MockBrowser, tab: Tab) {
  const all = storages.get(browser) ?? new Map<string, Map<string, string>>();
  storages.set(browser, all);
  const key = `${tab.userId} ${new URL(tab.page.url).origin}`;
  const items = all.get(key) ?? new Map<string, string>();
  all.set(key, items);
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

/** Runs what a page brings along; its failures stay in the page. */
function runPageScripts(browser: MockBrowser, tab: Tab): void {
  for (const script of tab.page.root.all(({ tag, attributes }) => tag === 'script' && !attributes.has('src'))) {
    quietly(() => realmOf(browser, tab).run(script.text));
  }
  const refresh = tab.page.root.find((one) => one.tag === 'meta' && /^refresh$/i.test(one.get('http-equiv') ?? ''));
  const [, seconds, url] = /^\s*(\d+)\s*;\s*url=(.+)$/i.exec(refresh?.get('content') ?? '') ?? [];
  if (url === undefined) return;
  const { page } = tab;
  const later = async () => {
    await pause(browser.scaled(Number(seconds) * 1000));
    if (!tab.dead && tab.page === page) await startLoad(browser, tab, { url: new URL(url, page.url).href });
  };
  later().catch(() => undefined);
}

/** Runs an `onclick` of the markup. True cancels what the element does by itself. */
function runInline(browser: MockBrowser, tab: Tab, element: DomElement, code: string): boolean {
  const event = pressEvent(element);
  const realm = realmOf(browser, tab);
  const returned = quietly(() => realm.compile(code).call(wrap(element), event));
  return event.prevented || returned === false;
}

/** The script engine of a mock's browser. */
export function scriptEngine(browser: MockBrowser): ScriptEngine {
  return {
    runPage: (tab) => runPageScripts(browser, tab),
    runInline: (tab, element, code) => runInline(browser, tab, element, code),
    enter: (tab) => {
      if (realms.has(browser)) realmOf(browser, tab);
    },
  };
}

function quietly(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Evaluates an expression in a page, promises awaited. @throws UpstreamError in the words of Playwright */
export async function evaluate(browser: MockBrowser, tab: Tab, expression: string): Promise<unknown> {
  const realm = realmOf(browser, tab);
  const { page } = tab;
  try {
    const value: unknown = await realm.run(expression);
    if (tab.page !== page && value === undefined) return undefined;
    return plain(value, realm.global);
  } catch (error) {
    throw new UpstreamError(`page.evaluate: ${describe(error)}`);
  }
}

function describe(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  const name = 'name' in error ? String(error.name) : 'Error';
  return `${name}: ${String(error.message)}`;
}

/** As Playwright hands values over: nodes by a word, functions and symbols not at all. */
function plain(value: unknown, global: unknown): unknown {
  if (value instanceof ScriptElement) return 'ref: <Node>';
  if (value === global) return 'ref: <Window>';
  if (typeof value === 'bigint') throw new TypeError('Do not know how to serialize a BigInt');
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (Array.isArray(value)) return value.map((one) => plain(one, global));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.prototype.toString.call(value) === '[object Date]') return JSON.parse(JSON.stringify(value)) as unknown;
  const entries = Object.keys(value).map((key): [string, unknown] => [
    key,
    quietly(() => plain((value as Readonly<Record<string, unknown>>)[key], global)),
  ]);
  return Object.fromEntries(entries);
}
