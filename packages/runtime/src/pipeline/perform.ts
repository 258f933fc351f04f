import {
  type ActContext,
  BrowserError,
  type BrowserProvider,
  type CallContext,
  type ElementRef,
  type ElementTarget,
  type NavigateReceipt,
  type Operation,
  type Receipt,
  type SessionAddress,
  type SiteCookie,
  type TabAddress,
} from '@wheelhouse/contracts';
import type { StoredDocument } from '@wheelhouse/db';
import type { Captured, CaptureFiles } from '../capture/captured.ts';

/** What an adapter answered, before projection. One shape for all operations, so that `observe` needs no cases of its own. */
export type Performed =
  | { readonly kind: 'receipt'; readonly receipt: Receipt & Partial<NavigateReceipt>; readonly upstreamTabId?: string }
  | { readonly kind: 'look'; readonly look: Awaited<ReturnType<BrowserProvider['look']>> }
  | { readonly kind: 'tabs'; readonly tabs: Awaited<ReturnType<BrowserProvider['listTabs']>> }
  | { readonly kind: 'screenshot'; readonly image: Awaited<ReturnType<BrowserProvider['screenshot']>> }
  | { readonly kind: 'html'; readonly page: Awaited<ReturnType<BrowserProvider['pageHtml']>> }
  | { readonly kind: 'wait'; readonly ready: boolean }
  | { readonly kind: 'links'; readonly links: Awaited<ReturnType<BrowserProvider['links']>> }
  | { readonly kind: 'captured'; readonly captured: Captured }
  | { readonly kind: 'downloads'; readonly downloads: Awaited<ReturnType<BrowserProvider['listDownloads']>> };

/** The operation with all that an adapter needs to carry it out. */
export interface Performance {
  readonly provider: BrowserProvider;
  readonly session: SessionAddress;
  /** Of operations on a tab. */
  readonly tab: TabAddress | null;
  /** What the snapshot saw that an interaction was chosen in. */
  readonly document: StoredDocument | null;
  readonly context: CallContext;
  readonly dispatched: () => Promise<void>;
  /** Takes the files of an operation down; see `capture/capture.ts`. */
  readonly capture: CaptureFiles;
}

/**
 * Translates an operation into the one call of the adapter that carries it out. No decisions: those were made at
 * admission, and what an answer proves is the adapter's to know.
 */
export async function perform(operation: Operation, on: Performance): Promise<Performed> {
  const { provider, session, context } = on;
  switch (operation.type) {
    case 'list_tabs':
      return { kind: 'tabs', tabs: await provider.listTabs(session, context) };
    case 'open_tab': {
      const opened = await provider.openTab(session, context);
      return { kind: 'receipt', receipt: opened, upstreamTabId: opened.upstreamTabId };
    }
    case 'close_session':
      return receipt(provider.closeSession(session, context));
    case 'set_cookies':
      return receipt(provider.setCookies(session, await cookiesOf(operation, context), context));
    case 'checkpoint':
      await provider.checkpoint(session, context);
      return { kind: 'receipt', receipt: { outcome: 'applied', landingUrl: null, notInterceptable: [] } };
    default:
      return performOnTab(operation, on, tabOf(on));
  }
}

type OnTab = Exclude<Operation, { type: 'list_tabs' | 'open_tab' | 'close_session' | 'set_cookies' | 'checkpoint' }>;

async function performOnTab(operation: OnTab, on: Performance, tab: TabAddress): Promise<Performed> {
  const { provider, context } = on;
  switch (operation.type) {
    case 'snapshot':
      return { kind: 'look', look: await provider.look(tab, context) };
    case 'screenshot':
      return { kind: 'screenshot', image: await provider.screenshot(tab, { fullPage: operation.fullPage }, context) };
    case 'page_html':
      return { kind: 'html', page: await provider.pageHtml(tab, context) };
    case 'wait':
      return { kind: 'wait', ready: (await provider.wait(tab, operation.timeoutMs, context)).ready };
    case 'links':
      return { kind: 'links', links: await provider.links(tab, operation, context) };
    case 'list_downloads':
      return { kind: 'downloads', downloads: await provider.listDownloads(tab, context) };
    case 'capture':
      return { kind: 'captured', captured: await on.capture(provider, tab, operation, context) };
    case 'navigate':
      return receipt(provider.navigate(tab, operation.url, context));
    case 'back':
    case 'forward':
    case 'refresh':
      return receipt(provider.history(tab, operation.type, context));
    case 'close_tab':
      return receipt(provider.closeTab(tab, context));
    default:
      return receipt(interact(operation, on, tab));
  }
}

type Interaction = Exclude<
  OnTab,
  {
    type:
      | 'snapshot'
      | 'screenshot'
      | 'page_html'
      | 'wait'
      | 'links'
      | 'list_downloads'
      | 'navigate'
      | 'back'
      | 'forward'
      | 'refresh'
      | 'close_tab'
      | 'capture';
  }
>;

async function interact(operation: Interaction, on: Performance, tab: TabAddress): Promise<Receipt> {
  const { provider } = on;
  const act: ActContext = { ...on.context, dispatched: on.dispatched };
  const page = { origin: on.document?.origin ?? null };
  switch (operation.type) {
    case 'click':
      return provider.click(tab, { ...targetOf(operation, on), double: operation.double }, act);
    case 'hover':
      return provider.hover(tab, targetOf(operation, on), act);
    case 'type':
      return provider.type(tab, { ...targetOf(operation, on), input: operation.input, submit: operation.submit }, act);
    case 'select':
      return provider.select(tab, { ...targetOf(operation, on), label: operation.label }, act);
    case 'drag':
      return provider.drag(tab, { ...targetOf(operation, on), to: targetOf({ ref: operation.toRef }, on) }, act);
    case 'press':
      return provider.press(tab, { ...page, key: operation.key }, act);
    case 'scroll':
      return provider.scroll(tab, { ...page, direction: operation.direction, amountPx: operation.amountPx }, act);
    case 'click_at':
      return provider.clickAt(tab, { ...page, x: operation.x, y: operation.y }, act);
    case 'upload':
      throw new BrowserError('upload_not_supported', 'files of a session cannot be uploaded yet');
    case 'site_fill':
      return provider.siteFill(tab, { selector: operation.selector, input: operation.input }, act);
    case 'site_submit':
      return provider.siteSubmit(tab, { selector: operation.selector }, act);
  }
}

async function receipt(call: Promise<Receipt & Partial<NavigateReceipt>>): Promise<Performed> {
  return { kind: 'receipt', receipt: await call };
}

function tabOf({ tab }: Performance): TabAddress {
  if (tab === null) throw new BrowserError('tab_not_found', 'the session has no such open tab');
  return tab;
}

/** The element as the caller's snapshot had it; a ref that was not in it is stale. */
function targetOf(
  chosen: { ref: ElementRef; expectedOrigin?: string | undefined },
  { document }: Performance,
): ElementTarget {
  const fingerprint = document?.elements[chosen.ref];
  if (document === null || fingerprint === undefined) {
    throw new BrowserError('stale_snapshot', `${chosen.ref} was not in the snapshot that this token names`);
  }
  if (chosen.expectedOrigin !== undefined && chosen.expectedOrigin !== document.origin) {
    throw new BrowserError('origin_mismatch', 'the snapshot was not taken on the expected origin');
  }
  return { ref: chosen.ref, fingerprint, origin: document.origin };
}

/** The cookies of a `Cookie:` header, for the host of the given address. The value is resolved here and nowhere kept. */
async function cookiesOf(
  { cookieHeader, url }: Extract<Operation, { type: 'set_cookies' }>,
  context: CallContext,
): Promise<readonly SiteCookie[]> {
  const { hostname, protocol } = new URL(url);
  const header = await context.resolveSecret(cookieHeader);
  const cookies = header.split(';').flatMap((pair): SiteCookie[] => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at < 1 || name === '') return [];
    const value = pair.slice(at + 1).trim();
    return [{ name, value, domain: hostname, path: '/', secure: protocol === 'https:' }];
  });
  if (cookies.length === 0) {
    throw new BrowserError(
      'invalid_request',
      `the secret ${cookieHeader} is not a Cookie header (name=value; name=value)`,
    );
  }
  return cookies;
}
