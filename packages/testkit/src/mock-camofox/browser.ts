import { spelled } from './spelled.ts';
import type { DomElement } from './page/dom.ts';
import type { PageSource, StoredCookie } from './page-source.ts';
import type { Settings } from './settings.ts';
import { Tab } from './tab.ts';
import { UpstreamError } from './upstream-error.ts';
import { UserLimit } from './waiting.ts';

/** All tabs of one `userId`, which share cookies and live and die together. */
export interface Session {
  readonly userId: string;
  readonly groups: Map<string, Map<string, Tab>>;
  /** The browser run that it belongs to; of an earlier run, it is a zombie. */
  readonly run: number;
  lastAccess: number;
}

/** Runs scripts over the documents of tabs. */
export interface ScriptEngine {
  /** What a page brings along. */
  runPage(tab: Tab): void;
  /** An `onclick` of the markup; true cancels what the element does by itself. */
  runInline(tab: Tab, element: DomElement, code: string): boolean;
  /** Makes listeners that scripts registered see this tab. */
  enter(tab: Tab): void;
}

/** Failed navigations in a row that cost a user all tabs. */
const failureThreshold = 3;
/** How long after a start of the browser unknown tabs are answered 410. */
const restartMemoryMs = 300_000;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The mock's browser with its sessions and tabs. */
export class MockBrowser {
  readonly settings: Settings;
  readonly pages: PageSource;
  readonly sessions = new Map<string, Session>();
  readonly users: UserLimit;
  /** How often an element was pressed, by id and by name. */
  readonly pressed = new Map<string, number>();
  running: boolean;
  scripts: ScriptEngine | null = null;
  navigationFailures = new Map<string, number>();
  #run = 0;
  #startedAt = Number.NEGATIVE_INFINITY;
  #aheadMs = 0;
  #idleSince: number | null = null;
  #checkpoints = new Map<string, readonly StoredCookie[]>();

  constructor(settings: Settings, pages: PageSource) {
    this.settings = settings;
    this.pages = pages;
    this.users = new UserLimit(settings.maxConcurrentPerUser, this.scaled(30_000));
    this.running = false;
    if (settings.browserStarted) this.start();
  }

  /** A span of the upstream as it is waited here, milliseconds. */
  scaled(ms: number): number {
    return ms * this.settings.timeScale;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  /** Lets time pass for everything that expires, and does the housekeeping. */
  advance(ms: number): void {
    this.#aheadMs += ms;
    this.keepHouse();
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.#run += 1;
    this.#startedAt = this.now();
  }

  /** The process dies: pages answer nothing any more, sessions stay listed, cookies since the last checkpoint are lost. */
  kill(): void {
    this.running = false;
    for (const session of this.sessions.values()) {
      for (const tab of tabsOf(session)) tab.die();
      this.pages.forget(session.userId);
      this.pages.addCookies(session.userId, this.#checkpoints.get(session.userId) ?? []);
    }
  }

  /** Closes all sessions and the browser in order. */
  stop(): void {
    for (const session of this.sessions.values()) this.closeSession(session);
    this.running = false;
  }

  isZombie(session: Session): boolean {
    return !this.running || session.run !== this.#run;
  }

  /** The session of a user, made when there is none. Starts the browser. @throws UpstreamError at the limit */
  session(userId: string): Session {
    const known = this.sessions.get(userId);
    if (known !== undefined) {
      known.lastAccess = this.now();
      return known;
    }
    if (this.sessions.size >= this.settings.maxSessions)
      throw new UpstreamError('Maximum concurrent sessions reached', { status: 503, code: 'admission_rejected' });
    this.start();
    const session: Session = { userId, groups: new Map(), run: this.#run, lastAccess: this.now() };
    this.sessions.set(userId, session);
    return session;
  }

  /** A new blank tab. A zombie session is replaced first; at a limit the least used tab of the user is closed silently. */
  openTab(userId: string, sessionKey: string): Tab {
    let session = this.session(userId);
    if (tabsOf(session).length >= this.settings.maxTabsPerSession || this.tabCount() >= this.settings.maxTabsGlobal)
      this.#recycle(session);
    if (this.isZombie(session)) {
      this.closeSession(session);
      session = this.session(userId);
    }
    return this.addTab(session, sessionKey);
  }

  addTab(session: Session, sessionKey: string): Tab {
    const tab = new Tab(session.userId, sessionKey);
    tab.lastUsed = { at: this.now(), toolCalls: 0 };
    const group = session.groups.get(sessionKey) ?? new Map<string, Tab>();
    session.groups.set(sessionKey, group);
    group.set(tab.id, tab);
    return tab;
  }

  #recycle(session: Session): void {
    const [least] = tabsOf(session).toSorted((a, b) => a.toolCalls - b.toolCalls);
    if (least === undefined) throw new UpstreamError('Maximum tabs per session reached', { status: 429 });
    this.removeTab(least);
  }

  findTab(userId: unknown, tabId: string): { readonly session: Session; readonly tab: Tab } | null {
    const session = this.sessions.get(spelled(userId));
    const tab = session && tabsOf(session).find(({ id }) => id === tabId);
    return session === undefined || tab === undefined ? null : { session, tab };
  }

  /** Closes a page and forgets its tab; what waited for it fails. */
  removeTab(tab: Tab): void {
    const session = this.sessions.get(tab.userId);
    const group = session?.groups.get(tab.sessionKey);
    group?.delete(tab.id);
    if (group?.size === 0) session?.groups.delete(tab.sessionKey);
    tab.lock.drain();
    tab.die();
  }

  /** Saves what the profile stores and closes all tabs of a user. */
  closeSession(session: Session): void {
    if (!this.isZombie(session)) this.checkpoint(session.userId);
    this.sessions.delete(session.userId);
    for (const tab of tabsOf(session)) {
      tab.lock.drain();
      tab.die();
    }
  }

  checkpoint(userId: string): void {
    this.#checkpoints.set(userId, this.pages.stored(userId));
  }

  /** Counts a navigation; the third failure in a row closes the user's session. */
  countNavigation(userId: string, ok: boolean): void {
    const failures = ok ? 0 : (this.navigationFailures.get(userId) ?? 0) + 1;
    this.navigationFailures.set(userId, failures);
    if (failures >= failureThreshold) this.#destroy(userId);
  }

  /** A timeout counts once more where errors are answered, without the threshold being looked at. */
  countTimeout(userId: string): void {
    this.navigationFailures.set(userId, (this.navigationFailures.get(userId) ?? 0) + 1);
  }

  /** The answer to a dead page: the whole session goes. */
  destroySession(userId: string): void {
    this.#destroy(userId);
  }

  #destroy(userId: string): void {
    const session = this.sessions.get(userId);
    if (session !== undefined) this.closeSession(session);
    this.navigationFailures.delete(userId);
  }

  /** Tabs that are open in the browser. */
  tabCount(): number {
    return [...this.sessions.values()].flatMap((session) => tabsOf(session)).filter(({ dead }) => !dead).length;
  }

  /** Whether unknown tabs are answered 410 rather than 404. */
  restartedLately(tabId: string): boolean {
    return uuid.test(tabId) && this.now() - this.#startedAt < restartMemoryMs;
  }

  /** Once a minute: expired sessions, unused tabs, an idle browser. */
  keepHouse(): void {
    const { sessionTimeoutMs, tabInactivityMs, browserIdleTimeoutMs } = this.settings;
    for (const session of this.sessions.values()) {
      if (sessionTimeoutMs > 0 && this.now() - session.lastAccess > sessionTimeoutMs) this.closeSession(session);
      for (const tab of tabsOf(session)) {
        if (tab.toolCalls !== tab.lastUsed.toolCalls) tab.lastUsed = { at: this.now(), toolCalls: tab.toolCalls };
        else if (this.now() - tab.lastUsed.at > tabInactivityMs) this.removeTab(tab);
      }
    }
    if (this.sessions.size > 0 || !this.running) this.#idleSince = null;
    else this.#idleSince ??= this.now();
    if (this.#idleSince !== null && browserIdleTimeoutMs > 0 && this.now() - this.#idleSince > browserIdleTimeoutMs)
      this.running = false;
  }
}

export function tabsOf(session: Session): Tab[] {
  return [...session.groups.values()].flatMap((group) => [...group.values()]);
}
