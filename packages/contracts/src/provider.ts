import { z } from 'zod';
import type { Allowlist } from './allowlist.ts';
import type { UpstreamDownload } from './artifact.ts';
import { AllowlistEntries } from './allowlist.ts';
import { Capabilities } from './capabilities.ts';
import type { ProfileKey, SessionId } from './ids.ts';
import { ProviderId } from './ids.ts';
import { Instant } from './instant.ts';
import type { Outcome } from './outcome.ts';
import { SecretRef, type SecretResolver, type TypeInput } from './secret.ts';
import type { ElementRef, SnapshotElement } from './snapshot.ts';

/** Which adapter a provider uses. `none` is the default; no kind is ever a silent fallback for another. */
export const ProviderKind = z.enum(['none', 'camofox', 'cdp', 'remote']);
export type ProviderKind = z.infer<typeof ProviderKind>;

/** One configured browser service, as the world may see it. */
export const ProviderRecord = z
  .object({
    id: ProviderId,
    name: z.string().min(1).max(100),
    kind: ProviderKind,
    baseUrl: z.string().nullable(),
    secretRef: SecretRef.nullable(),
    enabled: z.boolean(),
    /** Where sessions of this provider may go unless they say otherwise. */
    allowlist: AllowlistEntries,
    capabilities: Capabilities.nullable(),
    verifiedAt: Instant.nullable(),
    healthStatus: z.enum(['unknown', 'ok', 'degraded', 'down']),
    lastHealthAt: Instant.nullable(),
  })
  .meta({ id: 'ProviderRecord' });
export type ProviderRecord = z.infer<typeof ProviderRecord>;

/** Health of an upstream as an adapter judges it, which is not always as the upstream says. */
export interface ProviderHealth {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly version: string | null;
  readonly engine: string | null;
  readonly browserRunning: boolean;
  readonly activeTabs: number | null;
  readonly activeSessions: number | null;
  /** One sentence when not `ok`. */
  readonly note?: string | undefined;
}

/** What every call on a provider is given. */
export interface CallContext {
  /** Aborts when the caller gives up, the lock is lost, or the deadline passes. */
  readonly signal: AbortSignal;
  /** The instant after which the answer is of no use. */
  readonly deadline: Date;
  /** Where this call may go and land. */
  readonly allowlist: Allowlist;
  /** Largest accepted body, bytes. */
  readonly maxBytes: number;
  /** Gives the value of a secret at the last moment; used for `type` with a secret. */
  readonly resolveSecret: SecretResolver;
}

/** A session as an adapter addresses it. */
export interface SessionAddress {
  readonly sessionId: SessionId;
  readonly profileKey: ProfileKey;
}

/** A tab as an adapter addresses it. */
export interface TabAddress extends SessionAddress {
  readonly upstreamTabId: string;
}

/** A tab as the upstream lists it. */
export interface UpstreamTab {
  readonly upstreamTabId: string;
  /** Raw address as the browser reports it; the runtime projects it before it goes anywhere. */
  readonly url: string;
  readonly title: string;
  /** The session the upstream files it under, when it says so. */
  readonly sessionId: string | null;
}

/** Moves that no adapter can stop before they happen; named in results so that nobody believes they were (S003-41). */
export type NotInterceptable =
  | 'script_navigation'
  | 'form_submit'
  | 'enter_submit'
  | 'meta_refresh'
  | 'popup'
  | 'spa_routing'
  | 'evaluate';

/**
 * What an adapter knows after an action. A failure with an effect is thrown as `BrowserError` with its `outcome`;
 * a receipt is always a success.
 */
export interface Receipt {
  readonly outcome: Extract<Outcome, 'applied' | 'applied_observation_failed'>;
  /** Where the tab is now, raw; `null` when the upstream did not say. Already checked against the allowlist. */
  readonly landingUrl: string | null;
  readonly notInterceptable: readonly NotInterceptable[];
}

/** What a navigation found besides. */
export interface NavigateReceipt extends Receipt {
  /** Status of the document; `null` when the upstream does not say (before 1.17, history moves). */
  readonly httpStatus: number | null;
}

/** What an adapter read of a page; secrets are gone, the runtime mints the token. */
export interface Look {
  /** Raw landing address. */
  readonly url: string;
  readonly title: string | null;
  /** Whole text of the page, redacted, own refs in place. */
  readonly text: string;
  readonly elements: readonly SnapshotElement[];
  readonly redactions: Readonly<Record<string, number>>;
  /** The upstream had more than the adapter would take; `text` ends on a whole line. */
  readonly truncated: boolean;
}

/** The element to act on, as the caller's snapshot had it. */
export interface ElementTarget {
  readonly ref: ElementRef;
  readonly fingerprint: string;
  /** Canonical origin that the snapshot saw; the page must still be on it (S000-27). */
  readonly origin: string | null;
}

/** Options of a captured picture. */
export interface ScreenshotImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/**
 * What every adapter implements (contract §1). Every method is async, takes a context with signal and deadline, and
 * returns plain serialisable values.
 *
 * An adapter maps; it decides nothing about leases, retries or the database, and keeps nothing between two calls.
 * A method that the adapter cannot do throws `capability_off`. A failed action throws a `BrowserError` whose
 * `outcome` says what is known: absent when nothing was dispatched.
 *
 * `dispatched` is called by `interact` methods after the fresh look and right before the request that acts; it
 * resolves when the ledger has committed, and throws when the operation must not be sent any more.
 */
export interface BrowserProvider {
  readonly kind: ProviderKind;
  /** What this adapter implements, before any probing. */
  readonly declared: Capabilities;

  health(context: CallContext): Promise<ProviderHealth>;
  /** Probes the upstream. Never sets `verified`. */
  capabilities(context: CallContext): Promise<Capabilities>;

  /** Tabs of one profile as the upstream lists them, those of other sessions included. */
  listTabs(session: SessionAddress, context: CallContext): Promise<readonly UpstreamTab[]>;
  /** A blank tab. */
  openTab(session: SessionAddress, context: CallContext): Promise<Receipt & { readonly upstreamTabId: string }>;
  closeTab(tab: TabAddress, context: CallContext): Promise<Receipt>;
  /** Ends the upstream's half of a session and keeps the profile. */
  closeSession(session: SessionAddress, context: CallContext): Promise<Receipt>;

  navigate(tab: TabAddress, url: string, context: CallContext): Promise<NavigateReceipt>;
  history(tab: TabAddress, move: 'back' | 'forward' | 'refresh', context: CallContext): Promise<NavigateReceipt>;

  look(tab: TabAddress, context: CallContext): Promise<Look>;
  screenshot(tab: TabAddress, options: { readonly fullPage: boolean }, context: CallContext): Promise<ScreenshotImage>;
  /** The document as HTML, for selectors of site definitions inside the job. Never leaves it. */
  pageHtml(tab: TabAddress, context: CallContext): Promise<{ readonly url: string; readonly html: string }>;
  /** Waits until the page is quiet; `ready` is what the upstream believes. */
  wait(tab: TabAddress, timeoutMs: number, context: CallContext): Promise<{ readonly ready: boolean }>;
  /** Links of the page, raw addresses; the runtime projects them. */
  links(
    tab: TabAddress,
    page: { readonly offset: number; readonly limit: number },
    context: CallContext,
  ): Promise<{ readonly links: readonly { readonly url: string; readonly text: string }[]; readonly total: number }>;

  click(tab: TabAddress, target: ElementTarget & { readonly double: boolean }, act: ActContext): Promise<Receipt>;
  hover(tab: TabAddress, target: ElementTarget, act: ActContext): Promise<Receipt>;
  type(
    tab: TabAddress,
    target: ElementTarget & { readonly input: TypeInput; readonly submit: boolean },
    act: ActContext,
  ): Promise<Receipt>;
  select(tab: TabAddress, target: ElementTarget & { readonly label: string }, act: ActContext): Promise<Receipt>;
  press(tab: TabAddress, target: PageTarget & { readonly key: string }, act: ActContext): Promise<Receipt>;
  scroll(
    tab: TabAddress,
    target: PageTarget & { readonly direction: 'up' | 'down' | 'left' | 'right'; readonly amountPx: number },
    act: ActContext,
  ): Promise<Receipt>;
  clickAt(
    tab: TabAddress,
    target: PageTarget & { readonly x: number; readonly y: number },
    act: ActContext,
  ): Promise<Receipt>;
  drag(tab: TabAddress, target: ElementTarget & { readonly to: ElementTarget }, act: ActContext): Promise<Receipt>;
  upload(tab: TabAddress, target: ElementTarget & { readonly path: string }, act: ActContext): Promise<Receipt>;

  /** Fills the one field that a site definition's selector names. Jobs only; ambiguous or missing is `not_actionable`. */
  siteFill(tab: TabAddress, target: SiteTarget & { readonly input: TypeInput }, act: ActContext): Promise<Receipt>;
  /** Clicks the one control that a site definition's selector names. Jobs only. */
  siteSubmit(tab: TabAddress, target: SiteTarget, act: ActContext): Promise<Receipt>;

  listDownloads(tab: TabAddress, context: CallContext): Promise<readonly UpstreamDownload[]>;
  /**
   * The bytes of one finished download, as they arrive. Never uses the upstream's `consume`. Fails while it is read:
   * `download_lost`, `too_large`.
   */
  fetchDownload(tab: TabAddress, downloadId: string, context: CallContext): AsyncIterable<Uint8Array>;

  /** Puts cookies of the site's account into the profile (definitions with `method: cookie`). */
  setCookies(session: SessionAddress, cookies: readonly SiteCookie[], context: CallContext): Promise<Receipt>;
  /** Asks the upstream to write the profile down now, keeping its tabs (after a login). */
  checkpoint(session: SessionAddress, context: CallContext): Promise<void>;
  /** Whether a person could take over, and what is missing. */
  viewer(context: CallContext): Promise<{ readonly available: boolean; readonly note: string }>;
}

/** What methods that act are given besides. */
export interface ActContext extends CallContext {
  /** See `BrowserProvider`. */
  readonly dispatched: () => Promise<void>;
}

/** A page to act on without an element: keys, scrolling, coordinates. */
export interface PageTarget {
  readonly origin: string | null;
}

/** An element named by a CSS selector of a site definition. It must match exactly one element. */
export interface SiteTarget {
  readonly selector: string;
}

/** A cookie of the site's account. The value is secret. */
export interface SiteCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  readonly secure: boolean;
}
