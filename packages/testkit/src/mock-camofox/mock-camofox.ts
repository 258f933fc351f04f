import { MockBrowser, tabsOf } from './browser.ts';
import { type Fault, Faults, type SetFault } from './faults.ts';
import { HttpPages } from './http-pages.ts';
import type { MockPageSource } from './page-model.ts';
import { scriptEngine } from './page-script.ts';
import { ModelPages } from './page-source.ts';
import { httpServer, type RecordedCall } from './server.ts';
import { type MockCamofoxOptions, settingsOf } from './settings.ts';
import { routesOf } from './system.ts';

/** A server that answers like camofox-browser, without a browser, and does what it is told to. */
export interface MockCamofox extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  readonly accessKey: string | null;
  readonly apiKey: string | null;
  /** Full version that it claims. */
  readonly version: '1.14.0' | '1.17.0';
  /** Describes the page at an address (`model` pages only). Replaces what was there. */
  page(url: string, page: MockPageSource): void;
  /** Lets something go wrong with calls to come. */
  fault(fault: Fault): SetFault;
  clearFaults(): void;
  /** Calls so far, oldest first, the newest 10,000. */
  calls(): readonly RecordedCall[];
  /** How often an element was pressed, by its id, `data-k` or accessible name, on all pages. */
  presses(element: string): number;
  /** Ids of the tabs of a user, oldest first. */
  tabs(userId: string): readonly string[];
  /** The browser dies, as by SIGKILL: zombies stay listed until they are used. */
  killBrowser(): void;
  /** All sessions close and the browser starts anew: unknown tabs are answered 410 for five minutes. */
  restartBrowser(): void;
  /** Closes one tab silently, as the recycling at the tab limit does. */
  evict(tabId: string): void;
  /** Ends a session as if it had not been used for long; its cookies are kept. */
  expireSession(userId: string): void;
  /** Lets time pass for everything that expires, milliseconds. */
  advance(ms: number): void;
  stop(): Promise<void>;
}

const mostCalls = 10_000;

/** Starts it on 127.0.0.1. */
export async function startMockCamofox(options: MockCamofoxOptions = {}): Promise<MockCamofox> {
  const settings = settingsOf(options);
  const model = new ModelPages();
  const browser = new MockBrowser(settings, settings.pages === 'http' ? new HttpPages() : model);
  browser.scripts = scriptEngine(browser);
  const faults = new Faults();
  const calls: RecordedCall[] = [];
  const record = (call: RecordedCall) => {
    calls.push(call);
    if (calls.length > 2 * mostCalls) calls.splice(0, calls.length - mostCalls);
  };
  const server = httpServer({ browser, routes: routesOf(settings.version), faults, record });
  await new Promise<void>((done, failed) => {
    server.once('error', failed).listen(settings.port, '127.0.0.1', done);
  });
  const housekeeping = setInterval(() => browser.keepHouse(), 60_000).unref();
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.port;
  const stop = async () => {
    clearInterval(housekeeping);
    browser.stop();
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    accessKey: settings.accessKey,
    apiKey: settings.apiKey,
    version: settings.version === '1.14' ? '1.14.0' : '1.17.0',
    page: (url, page) => model.set(url, page),
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    calls: () => calls.slice(-mostCalls),
    presses: (element) => browser.pressed.get(element) ?? 0,
    tabs: (userId) => {
      const session = browser.sessions.get(userId);
      return session === undefined ? [] : tabsOf(session).map(({ id }) => id);
    },
    killBrowser: () => browser.kill(),
    restartBrowser: () => {
      browser.stop();
      browser.start();
    },
    evict: (tabId) => {
      for (const session of browser.sessions.values()) {
        const tab = tabsOf(session).find(({ id }) => id === tabId);
        if (tab !== undefined) browser.removeTab(tab);
      }
    },
    expireSession: (userId) => {
      const session = browser.sessions.get(userId);
      if (session !== undefined) browser.closeSession(session);
    },
    advance: (ms) => browser.advance(ms),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
