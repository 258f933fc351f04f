import {
  BrowserError,
  type BrowserProvider,
  type CapabilityName,
  type SessionAddress,
  type SiteCookie,
  type TabAddress,
} from '@wheelhouse/contracts';
import { z } from 'zod';
import type { Redactor } from '../policy/redact/index.ts';
import { CamofoxClient, type CamofoxClientOptions } from './client.ts';
import { links, pageHtml, screenshot, wait } from './content.ts';
import { fetchDownload, listDownloads } from './downloads.ts';
import {
  actOnElement,
  actOnPage,
  type Deed,
  type Hands,
  type Plan,
  refuseCredentials,
  requireOption,
  textOf,
} from './interact.ts';
import { lookRaw, safeLook } from './look.ts';
import { moveInHistory, navigate } from './navigate.ts';
import { camofoxDeclared, probeCapabilities, probeHealth, probeViewer } from './probe.ts';
import { siteFill, siteSubmit } from './site.ts';
import { closeSession, closeTab, listTabs, openTab } from './tabs.ts';

/** What the adapter is made of. */
export interface CamofoxOptions extends CamofoxClientOptions {
  readonly redactor: Redactor;
  /** Most tabs of one profile; must be below the server's `MAX_TABS_PER_SESSION` (10), which closes tabs silently. */
  readonly maxTabs?: number;
}

const defaultMaxTabs = 8;

/**
 * A running camofox-browser server, 1.14 to 1.17, over its REST API (README, what the server really does).
 *
 * Maps calls to requests and answers to our words, and keeps nothing between two calls. Leases, retries and the
 * database are the runtime's: it has admitted a call before the call arrives here. The upstream's element refs are
 * never sent, since they hit other elements than they name (recording 25-ref-resolution).
 */
export function createCamofoxProvider(options: CamofoxOptions): BrowserProvider {
  const client = new CamofoxClient(options);
  const hands = (tab: TabAddress): Hands => ({ client, redactor: options.redactor, tab });
  const off = async (name: CapabilityName): Promise<never> => {
    throw new BrowserError('capability_off', `${name}: ${camofoxDeclared[name].note ?? 'not available'}`);
  };
  return {
    kind: 'camofox',
    declared: camofoxDeclared,
    health: (context) => probeHealth(client, context),
    capabilities: (context) => probeCapabilities(client, context),
    viewer: (context) => probeViewer(client, context),

    listTabs: (session, context) => listTabs(client, session, context),
    openTab: (session, context) => openTab(client, session, options.maxTabs ?? defaultMaxTabs, context),
    closeTab: (tab, context) => closeTab(client, tab, context),
    closeSession: (session, context) => closeSession(client, session, context),
    navigate: (tab, url, context) => navigate(client, tab, url, context),
    history: (tab, move, context) => moveInHistory(client, tab, move, context),

    look: async (tab, context) => safeLook(await lookRaw(client, tab, context), options.redactor),
    screenshot: (tab, { fullPage }, context) => screenshot(client, tab, fullPage, context),
    pageHtml: (tab, context) => pageHtml(client, tab, context),
    wait: (tab, timeoutMs, context) => wait(client, tab, timeoutMs, context),
    links: (tab, page, context) => links(client, tab, page, context),
    listDownloads: (tab, context) => listDownloads(client, tab, context),
    fetchDownload: (tab, id, context) => fetchDownload(client, tab, id, context),

    click: (tab, target, act) => {
      const deed = (selector: string): Deed => ({
        route: 'act',
        body: { kind: 'click', selector, ...(target.double ? { doubleClick: true } : {}) },
      });
      return actOnElement(hands(tab), { target, plan: { aim: true, deed } }, act);
    },
    hover: (tab, target, act) => {
      const deed = (selector: string): Deed => ({ route: 'act', body: { kind: 'hover', selector } });
      return actOnElement(hands(tab), { target, plan: { aim: false, deed } }, act);
    },
    type: (tab, target, act) => {
      const { input, submit } = target;
      const deed = async (selector: string): Promise<Deed> => ({
        route: 'act',
        body: { kind: 'type', selector, text: await textOf(hands(tab), input, act), submit },
      });
      const plan: Plan =
        input.kind === 'secret'
          ? { aim: false, deed }
          : { aim: true, noCredentials: true, admit: refuseCredentials, deed };
      return actOnElement(hands(tab), { target, plan }, act);
    },
    select: (tab, target, act) => {
      const deed = (selector: string): Deed => ({ route: 'select', body: { selector, option: target.label } });
      return actOnElement(hands(tab), { target, plan: { aim: false, admit: requireOption(target.label), deed } }, act);
    },
    press: (tab, target, act) =>
      actOnPage(hands(tab), { target, deed: { route: 'act', body: { kind: 'press', key: target.key } } }, act),
    scroll: (tab, target, act) => {
      const body = { kind: 'scroll', direction: target.direction, amount: target.amountPx };
      return actOnPage(hands(tab), { target, deed: { route: 'act', body } }, act);
    },
    siteFill: (tab, target, act) => siteFill(hands(tab), target, act),
    siteSubmit: (tab, target, act) => siteSubmit(hands(tab), target, act),
    clickAt: () => off('clickAt'),
    drag: () => off('drag'),
    upload: () => off('upload'),

    setCookies: async (session, cookies, context) => {
      await importCookies(client, session, cookies, context);
      return { outcome: 'applied', landingUrl: null, notInterceptable: [] };
    },
    // An import of no cookies writes the profile down and keeps its tabs (recording 29-checkpoint).
    checkpoint: (session, context) => importCookies(client, session, [], context),
  };
}

async function importCookies(
  client: CamofoxClient,
  session: SessionAddress,
  cookies: readonly SiteCookie[],
  context: Parameters<CamofoxClient['request']>[1],
): Promise<void> {
  const path = `/sessions/${encodeURIComponent(session.profileKey)}/cookies`;
  // `path` and `sameSite` must be there, or the server answers 500 (recording 09-content).
  const body = { cookies: cookies.map((cookie) => ({ ...cookie, sameSite: 'Lax' })) };
  await client.json(
    { method: 'POST', path, body, kind: 'manage', key: 'api' },
    z.object({ ok: z.boolean().nullish() }),
    context,
  );
}
