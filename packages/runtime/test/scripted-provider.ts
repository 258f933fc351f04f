import { randomUUID } from 'node:crypto';
import {
  BrowserError,
  type BrowserProvider,
  capabilitiesWith,
  ElementRef,
  type ProviderHealth,
  type Receipt,
  type SessionAddress,
  type TabAddress,
  type UpstreamDownload,
} from '@wheelhouse/contracts';

/** A page of the scripted browser. */
export interface ScriptedTab {
  upstreamTabId: string;
  sessionId: string | null;
  url: string;
  text: string;
  downloads: UpstreamDownload[];
}

type Acting = Exclude<keyof BrowserProvider, 'kind' | 'declared' | 'health' | 'capabilities' | 'viewer'>;

/**
 * A browser service inside the test: pages are rows of a map, every call is written down, and any method can be made
 * to wait, fail or look around by a step that runs before it.
 */
export interface ScriptedBrowser {
  readonly provider: BrowserProvider;
  /** Tabs by profile key. */
  readonly profiles: Map<string, ScriptedTab[]>;
  /** Every call, as `method upstreamTabId`, in order. */
  readonly calls: string[];
  health: ProviderHealth;
  /** Runs before a method does its work; what it throws the method throws. `act` says that something may have left. */
  before(method: Acting, step: (signal: AbortSignal) => Promise<void> | void): void;
  tab(upstreamTabId: string): ScriptedTab;
}

const applied: Receipt = { outcome: 'applied', landingUrl: null, notInterceptable: [] };

/** A new browser with nothing open. */
export function createScriptedBrowser(): ScriptedBrowser {
  const profiles = new Map<string, ScriptedTab[]>();
  const calls: string[] = [];
  const steps = new Map<Acting, (signal: AbortSignal) => Promise<void> | void>();
  const tabsOf = (key: string) => profiles.get(key) ?? profiles.set(key, []).get(key)!;
  const find = (upstreamTabId: string) =>
    [...profiles.values()].flat().find((tab) => tab.upstreamTabId === upstreamTabId);
  const there = ({ upstreamTabId }: TabAddress): ScriptedTab => {
    const tab = find(upstreamTabId);
    if (tab === undefined) throw new BrowserError('tab_lost', 'the browser service no longer has this tab');
    return tab;
  };
  const called = async (method: Acting, what: string, { signal }: { readonly signal: AbortSignal }) => {
    calls.push(`${method} ${what}`);
    await steps.get(method)?.(signal);
  };
  const acts =
    (method: Acting) =>
    async (tab: TabAddress, _target: unknown, act: { dispatched: () => Promise<void>; signal: AbortSignal }) => {
      const page = there(tab);
      await act.dispatched();
      await called(method, tab.upstreamTabId, act);
      return { ...applied, landingUrl: page.url };
    };
  const off = async (): Promise<never> => {
    throw new BrowserError('capability_off', 'the scripted browser cannot do this');
  };

  const browser: ScriptedBrowser = {
    profiles,
    calls,
    health: {
      status: 'ok',
      version: '1',
      engine: 'script',
      browserRunning: true,
      activeTabs: null,
      activeSessions: null,
    },
    before: (method, step) => void steps.set(method, step),
    tab: (upstreamTabId) => {
      const tab = find(upstreamTabId);
      if (tab === undefined) throw new Error('no such tab');
      return tab;
    },
    provider: {
      kind: 'camofox',
      declared: capabilitiesWith({}, 'a script'),
      health: async () => browser.health,
      capabilities: async () => capabilitiesWith({}, 'a script'),
      viewer: async () => ({ available: false, note: 'a script' }),
      listTabs: async ({ profileKey }, context) => {
        await called('listTabs', profileKey, context);
        return tabsOf(profileKey).map(({ upstreamTabId, url, sessionId }) => ({
          upstreamTabId,
          url,
          sessionId,
          title: '',
        }));
      },
      openTab: async ({ profileKey, sessionId }, context) => {
        const upstreamTabId = randomUUID();
        await called('openTab', upstreamTabId, context);
        tabsOf(profileKey).push({ upstreamTabId, sessionId, url: 'about:blank', text: '', downloads: [] });
        return { ...applied, landingUrl: 'about:blank', upstreamTabId };
      },
      closeTab: async (tab, context) => {
        await called('closeTab', tab.upstreamTabId, context);
        there(tab);
        removeFrom(tabsOf(tab.profileKey), ({ upstreamTabId }) => upstreamTabId === tab.upstreamTabId);
        return applied;
      },
      closeSession: async ({ profileKey, sessionId }: SessionAddress, context) => {
        await called('closeSession', sessionId, context);
        removeFrom(tabsOf(profileKey), (tab) => tab.sessionId === sessionId);
        return applied;
      },
      navigate: async (tab, url, context) => {
        await called('navigate', tab.upstreamTabId, context);
        const page = there(tab);
        page.url = url;
        page.text = `- heading "Page at ${new URL(url).pathname}"\n- button "Go" [e1]\n`;
        return { ...applied, landingUrl: url, httpStatus: 200 };
      },
      history: async (tab, move, context) => {
        await called('history', `${tab.upstreamTabId} ${move}`, context);
        return { ...applied, landingUrl: there(tab).url, httpStatus: null };
      },
      look: async (tab, context) => {
        await called('look', tab.upstreamTabId, context);
        const { url, text } = there(tab);
        const elements = [{ ref: ElementRef.parse('e1'), role: 'button', name: 'Go', fingerprint: 'button Go 0' }];
        return { url, title: null, text, elements, redactions: {}, truncated: false };
      },
      wait: async (tab, _timeoutMs, context) => {
        await called('wait', tab.upstreamTabId, context);
        return { ready: true };
      },
      listDownloads: async (tab, context) => {
        await called('listDownloads', tab.upstreamTabId, context);
        return there(tab).downloads;
      },
      click: acts('click'),
      hover: acts('hover'),
      type: acts('type'),
      select: acts('select'),
      press: acts('press'),
      scroll: acts('scroll'),
      clickAt: acts('clickAt'),
      drag: acts('drag'),
      upload: acts('upload'),
      siteFill: acts('siteFill'),
      siteSubmit: acts('siteSubmit'),
      screenshot: async (tab, _options, context) => {
        await called('screenshot', tab.upstreamTabId, context);
        return { bytes: new Uint8Array([1]), mimeType: 'image/png' };
      },
      pageHtml: async (tab, context) => {
        await called('pageHtml', tab.upstreamTabId, context);
        return { url: there(tab).url, html: '<p></p>' };
      },
      links: async (tab, _page, context) => {
        await called('links', tab.upstreamTabId, context);
        return { links: [], total: 0 };
      },
      fetchDownload: () => ({ [Symbol.asyncIterator]: () => ({ next: off }) }),
      setCookies: off,
      checkpoint: off,
    },
  };
  return browser;
}

function removeFrom(tabs: ScriptedTab[], isOne: (tab: ScriptedTab) => boolean): void {
  for (const tab of tabs.filter(isOne)) tabs.splice(tabs.indexOf(tab), 1);
}
