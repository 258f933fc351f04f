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
import { exactSelector } from './elements.ts';
import { actOnElement, actOnPage, actOnSelector, type Hands, refuseCredentials, textOf } from './interact.ts';
import { lookRaw } from './look.ts';
import { moveInHistory, navigate } from './navigate.ts';
import { camofoxDeclared, probeCapabilities, probeHealth, probeViewer } from './probe.ts';
import { closeSession, closeTab, listTabs, openTab } from './tabs.ts';

/** What the adapter is made of. */
export interface CamofoxOptions extends CamofoxClientOptions {
  readonly redactor: Redactor;
  /** Most tabs of one profile; must be below the server's `MAX_TABS_PER_SESSION` (10), which closes tabs silently. */
  readonly maxTabs?: number;
}

const defaultMaxTabs = 8;

/**
 * A running camofox-browser server, 1.14 to 1.17, over its REST API (05-camofox.md).
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

    look: async (tab, context) => {
      const page = await lookRaw(client, tab, context);
      const { text, redactions } = options.redactor.text(page.text);
      const elements = page.elements.map(({ ref, role, name, fingerprint }) => ({
        ref,
        role,
        name: options.redactor.text(name).text,
        fingerprint,
      }));
      return { url: page.url, title: null, text, elements, redactions, truncated: page.truncated };
    },
    screenshot: (tab, { fullPage }, context) => screenshot(client, tab, fullPage, context),
    pageHtml: (tab, context) => pageHtml(client, tab, context),
    wait: (tab, timeoutMs, context) => wait(client, tab, timeoutMs, context),
    links: (tab, page, context) => links(client, tab, page, context),
    listDownloads: (tab, context) => listDownloads(client, tab, context),
    fetchDownload: (tab, id, context) => fetchDownload(client, tab, id, context),

    click: (tab, target, act) =>
      actOnElement(hands(tab), target, act, async (element) => ({
        kind: 'click',
        selector: exactSelector(element),
        ...(target.double ? { doubleClick: true } : {}),
      })),
    hover: (tab, target, act) =>
      actOnElement(hands(tab), target, act, async (element) => ({ kind: 'hover', selector: exactSelector(element) })),
    type: (tab, target, act) =>
      actOnElement(hands(tab), target, act, async (element, page) => {
        refuseCredentials(element, page, target.input);
        const text = await textOf(hands(tab), target.input, act);
        return { kind: 'type', selector: exactSelector(element), text, submit: target.submit };
      }),
    select: async (tab, target, act) =>
      // `/select` waits 30 s, answers 500 and selects afterwards (recording 08-input); `/act` has no such kind.
      // Typing the label into the focused box selects the option that starts with it, as a person would.
      actOnElement(hands(tab), target, act, async (element) => ({
        kind: 'type',
        mode: 'keyboard',
        selector: exactSelector(element),
        text: target.label,
      })),
    press: (tab, target, act) => actOnPage(hands(tab), target, act, { kind: 'press', key: target.key }),
    scroll: (tab, target, act) =>
      actOnPage(hands(tab), target, act, { kind: 'scroll', direction: target.direction, amount: target.amountPx }),
    siteFill: async (tab, target, act) =>
      actOnSelector(
        hands(tab),
        { kind: 'type', selector: target.selector, text: await textOf(hands(tab), target.input, act) },
        act,
      ),
    siteSubmit: (tab, target, act) => actOnSelector(hands(tab), { kind: 'click', selector: target.selector }, act),
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
