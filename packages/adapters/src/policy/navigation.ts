import {
  BrowserError,
  type Allowlist,
  decideCallerAddress,
  decideHref,
  decideLanding,
  type NotInterceptable,
} from '@wheelhouse/contracts';

/** What a click or key may set off without anybody being able to stop it before it happens (S003-41). */
export const afterInteraction: readonly NotInterceptable[] = [
  'script_navigation',
  'form_submit',
  'enter_submit',
  'meta_refresh',
  'popup',
  'spa_routing',
];

/** What a page may do by itself once it is loaded. */
export const afterNavigation: readonly NotInterceptable[] = ['script_navigation', 'meta_refresh', 'popup'];

/**
 * Checks an address that a caller wants to visit, before anything is sent (S003-31). Refused rather than repaired.
 *
 * @throws BrowserError `invalid_request`, `scheme_not_allowed`, `host_not_allowed`; the message names the host at most
 */
export function admitTarget(url: string, allowlist: Allowlist): void {
  const decision = decideCallerAddress(url, allowlist);
  if (!decision.allowed) throw new BrowserError(decision.code, `the address ${decision.why}`);
}

/** Pages without a host of their own, where a tab stands before its first navigation and after a failed one. */
const neutral = /^(about:|chrome-error:|$)/;

/**
 * Checks where a page has landed (S003-39, S004-23). By now it was loaded, so the refusal carries what is known of the
 * effect: the operation that led here was `applied`.
 *
 * @throws BrowserError `landed_elsewhere` with outcome `applied`
 */
export function checkLanding(url: string, allowlist: Allowlist): void {
  if (neutral.test(url)) return;
  const decision = decideLanding(url, allowlist);
  if (decision.allowed) return;
  const host = URL.canParse(url) ? new URL(url).host : 'an address without a host';
  throw new BrowserError('landed_elsewhere', `the page landed on ${host}, outside the allowlist`, {
    outcome: 'applied',
    host,
  });
}

/**
 * Checks where a link would lead, before it is clicked (S003-38). Fragments and script links name no host and pass.
 *
 * @throws BrowserError `host_not_allowed`, `scheme_not_allowed`; nothing was sent
 */
export function checkHref(href: string, baseUrl: string, allowlist: Allowlist): void {
  if (href.trim() === '' || href.startsWith('#') || /^\s*javascript:/i.test(href)) return;
  const decision = decideHref(href, baseUrl, allowlist);
  if (!decision.allowed) {
    const code = decision.code === 'invalid_request' ? 'host_not_allowed' : decision.code;
    throw new BrowserError(code, `the link ${decision.why}`);
  }
}
