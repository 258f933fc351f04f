import {
  BrowserError,
  type Allowlist,
  decideCallerAddress,
  decideHref,
  decideLanding,
  type NotInterceptable,
} from '@wheelhouse/contracts';

/**
 * Moves that nobody can stop before they happen, and why (S003-41). They are seen afterwards, when the landing address
 * of every tab is checked; what keeps their requests in is the egress proxy (S003-42). Nothing here claims to.
 */
export const notInterceptable: Readonly<Record<NotInterceptable, string>> = {
  script_navigation: 'a script of the page sets location or follows a link by itself',
  form_submit: 'a form sends to its action, which a script may change until the last moment',
  enter_submit: 'Enter in a field submits the form around it',
  meta_refresh: 'the document sends the browser on after a while',
  popup: 'a click or script opens another tab, which is there before it can be asked about',
  spa_routing: 'a script changes the address without loading a document',
  evaluate: 'a script of the caller can do all of this; no list of hosts is a sandbox for it (S003-43)',
};

/** What a click or key may set off. */
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
  if (decision.allowed) return;
  const { code, why, host } = decision;
  throw new BrowserError(code, `the address ${why}`, host === null ? {} : { host });
}

/**
 * Where a tab stands before its first navigation and after a failed one: empty pages and error pages of the browser.
 * They have no host and nothing of a site. Other `about:` pages do not pass: Firefox lists passwords on some.
 */
const neutral =
  /^$|^about:(?:blank|srcdoc|neterror|certerror|httpsonlyerror|blocked)(?:[?#]|$)|^chrome-error:\/\/chromewebdata\//;

/**
 * Checks where a page has landed (S003-39, S004-23). By now it was loaded, so the refusal carries what is known of the
 * effect: the operation that led here was `applied`.
 *
 * @throws BrowserError `landed_elsewhere` with outcome `applied`, and with the host where the address has one
 */
export function checkLanding(url: string, allowlist: Allowlist): void {
  if (neutral.test(url)) return;
  const decision = decideLanding(url, allowlist);
  if (decision.allowed) return;
  const { host } = decision;
  throw new BrowserError(
    'landed_elsewhere',
    host === null
      ? 'the page landed on an address without a host, which no allowlist covers'
      : `the page landed on ${host}, which the allowlist does not cover`,
    { outcome: 'applied', ...(host === null ? {} : { host }) },
  );
}

/**
 * Checks where a link would lead, before it is clicked (S003-38). Links that stay on the page pass: fragments, and
 * `javascript:`, which is a script of the page like any other button's.
 *
 * A `<base>` element of the page can make its relative links lead elsewhere than `baseUrl` says, and a script can change a
 * link at the click; both are seen by the landing check only.
 *
 * @param baseUrl address of the page
 * @throws BrowserError `host_not_allowed`, `scheme_not_allowed`; nothing was sent
 */
export function checkHref(href: string, baseUrl: string, allowlist: Allowlist): void {
  if (href.trim() === '' || href.startsWith('#') || isScript(href)) return;
  const decision = decideHref(href, baseUrl, allowlist);
  if (decision.allowed) return;
  const { why, host } = decision;
  // A link that cannot be read is nothing that the caller could correct in its request.
  const code = decision.code === 'invalid_request' ? 'host_not_allowed' : decision.code;
  throw new BrowserError(code, `the link ${why}`, host === null ? {} : { host });
}

/** As browsers read it: spaces in front and line breaks inside do not matter. */
function isScript(href: string): boolean {
  return URL.canParse(href) && new URL(href).protocol === 'javascript:';
}
