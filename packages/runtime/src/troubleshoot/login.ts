import { BrowserError, SecretRef } from '@wheelhouse/contracts';
import type { LoginBlock, SiteDefinition } from '../sites/definition.ts';
import { findLoginError, formDemands, readLoginState } from '../sites/login-page.ts';
import { type PageElements, select, type SitePage } from '../sites/page.ts';
import { renderTemplate } from '../sites/template.ts';
import type { SiteAccount } from './account.ts';
import type { Finding } from './verdict.ts';
import { type Hand, judge, visit, type Visit } from './visit.ts';

/** What the login step works with. */
export interface LoginNeeds {
  readonly hand: Hand;
  readonly definition: SiteDefinition;
  readonly account: SiteAccount;
  /** Address of the site, with a slash at its end. */
  readonly sitelink: string;
  /** Text of the page as it may be shown. */
  readonly safe: (text: string) => string;
}

/** How the login step ended. */
export interface LoginResult {
  readonly visit: Visit;
  readonly finding: Finding | null;
  readonly selector: string | null;
  readonly found: string;
}

/**
 * Finds out whether the account is logged in, and logs in once when it is not and the account has what that takes.
 * Never twice: trackers ban addresses for failed logins (report 59).
 */
export async function checkLogin(needs: LoginNeeds, landing: Visit): Promise<LoginResult> {
  const { definition } = needs;
  const { login } = definition;
  if (login === undefined) return { visit: landing, finding: null, selector: null, found: 'the site needs no login' };
  const first = await lookAtTest(needs, landing);
  if (first.finding !== null || first.page === null) return asResult(first);
  const state = stateOf(needs, first.page);
  if (state.loggedIn) return { ...asResult(first), selector: state.selector, found: `logged in: ${state.found}` };
  const attempt = await logIn(needs, login, first.page);
  if (attempt !== null)
    return { visit: first, finding: attempt, selector: attempt.selector ?? state.selector, found: attempt.because };
  const second = await lookAtTest(needs, null);
  if (second.finding !== null || second.page === null) return asResult(second);
  const after = stateOf(needs, second.page);
  if (after.loggedIn) return { ...asResult(second), selector: after.selector, found: `logged in now: ${after.found}` };
  const because =
    login.method === 'cookie'
      ? 'the site does not accept the cookie any more'
      : 'the site took the login, but does not show the page of a member';
  return {
    visit: second,
    finding: { verdict: 'auth_expired', because, selector: after.selector ?? undefined },
    selector: after.selector,
    found: after.found,
  };
}

/** Whether a page is evidently a member's page of the site. */
export function isMemberPage(definition: SiteDefinition, account: SiteAccount): (page: SitePage) => boolean {
  const selector = definition.login?.test?.selector;
  if (selector === undefined || selector === '') return () => false;
  return (page) => {
    try {
      return select(page, renderTemplate(selector, account.variables)).length > 0;
    } catch (error) {
      // A test that cannot be run recognises nothing; the login step names it.
      if (BrowserError.is(error) && error.code === 'definition_unsupported') return false;
      throw error;
    }
  };
}

function asResult(seen: Visit): LoginResult {
  return { visit: seen, finding: seen.finding, selector: null, found: seen.finding?.because ?? '' };
}

function stateOf({ definition, account }: LoginNeeds, page: SitePage) {
  return readLoginState(page, definition, account.variables);
}

async function lookAtTest({ hand, definition, account, sitelink }: LoginNeeds, landing: Visit | null): Promise<Visit> {
  const path = renderTemplate(definition.login?.test?.path ?? '', account.variables);
  const url = new URL(path, sitelink).href;
  if (landing?.page != null && (path === '' || url === landing.page.url)) return landing;
  return visit(hand, url, isMemberPage(definition, account));
}

/** Logs in once. Resolves with what stands in the way, or with `null` when the site was told all it asked for. */
async function logIn(needs: LoginNeeds, login: LoginBlock, page: SitePage): Promise<Finding | null> {
  switch (login.method) {
    case 'cookie':
      return giveCookie(needs, login);
    case 'form':
    case 'post':
      return fillForm(needs, login, page);
    default:
      return {
        verdict: 'auth_expired',
        because: `the account is not logged in, and login by ${login.method} is not done in a browser`,
      };
  }
}

async function giveCookie({ hand, account, sitelink }: LoginNeeds, login: LoginBlock): Promise<Finding | null> {
  if (!account.has('cookie'))
    return { verdict: 'auth_expired', because: 'the account is not logged in, and no cookie is configured' };
  const input = login.inputs['cookie'] === undefined ? 'cookie' : 'login.cookie';
  await hand.operate('set_cookies', { cookieHeader: SecretRef.parse(`site:${input}`), url: sitelink });
  return null;
}

async function fillForm(needs: LoginNeeds, login: LoginBlock, present: SitePage): Promise<Finding | null> {
  const { hand, account, definition, sitelink } = needs;
  const missing = settingsIn(login).find((setting) => !account.has(setting));
  if (missing !== undefined) {
    return { verdict: 'auth_expired', because: `the account is not logged in, and its ${missing} is not configured` };
  }
  const url = new URL(renderTemplate(login.path ?? '', account.variables), sitelink).href;
  const seen = await loginPage(needs, login, present, url);
  if (seen.finding !== null) return seen.finding;
  const { page } = seen;
  const demands = formDemands(page, login, account.variables);
  if (demands.captcha)
    return { verdict: 'needs_human', waitingReason: 'captcha', because: 'the login asks for a captcha' };
  const form = findForm(page, renderTemplate(login.form, account.variables));
  if (form === null) {
    return { verdict: 'structure_changed', because: 'the login page has no form for a password', selector: login.form };
  }
  for (const [name, template] of Object.entries(login.inputs)) {
    const field = fieldOf(page, form, name);
    if (field === null) continue;
    const input = account.isSecret(template)
      ? ({ kind: 'secret', ref: SecretRef.parse(`site:login.${name}`) } as const)
      : ({ kind: 'text', text: renderTemplate(template, account.variables) } as const);
    await hand.operate('site_fill', { selector: field, input });
  }
  const button = buttonOf(page, form);
  if (button === null)
    return { verdict: 'needs_human', waitingReason: 'login', because: 'the login form has no button of its own' };
  const submitted = await submit(hand, button);
  const after = await judge(hand, null, isMemberPage(definition, account));
  if (after.finding !== null) return after.finding;
  const refused = findLoginError(after.page, definition, account.variables);
  if (refused !== null && !isMemberPage(definition, account)(after.page)) {
    return {
      verdict: 'auth_expired',
      because: `the site refused the login: ${needs.safe(refused.message)}`,
      selector: refused.selector,
    };
  }
  if (formDemands(after.page, undefined, account.variables).secondFactor) {
    return { verdict: 'needs_human', waitingReason: 'second_factor', because: 'the login asks for a second factor' };
  }
  return submitted;
}

/** The page with the login form: the present one when it is already there, else the definition's address. */
async function loginPage({ hand }: LoginNeeds, login: LoginBlock, present: SitePage, url: string) {
  const here = findForm(present, login.form);
  if (here !== null && (login.method === 'post' || present.url === url)) return { page: present, finding: null };
  const seen = await visit(hand, url, (page) => findForm(page, login.form) !== null);
  // Many definitions post to an address that shows nothing by itself; the form is where members are sent.
  if (seen.finding === null && findForm(seen.page, login.form) === null && here !== null) {
    const back = await visit(hand, present.url, () => true);
    return back.finding === null ? { page: back.page, finding: null } : { page: present, finding: back.finding };
  }
  return seen.finding === null ? { page: seen.page, finding: null } : { page: present, finding: seen.finding };
}

/** Clicks the button. A click of which nobody knows whether it landed needs a look before anything else may be done. */
async function submit(hand: Hand, selector: string): Promise<null> {
  try {
    await hand.operate('site_submit', { selector });
  } catch (error) {
    if (!BrowserError.is(error) || error.outcome !== 'unknown') throw error;
    await hand.operate('snapshot', {});
  }
  return null;
}

/** Settings of the account that the login's inputs name. */
function settingsIn(login: LoginBlock): readonly string[] {
  const names = Object.values(login.inputs).flatMap((template) => [
    ...template.matchAll(/\.Config\.(username|password|pass|user)\b/g),
  ]);
  return [...new Set(names.map((match) => match[1] ?? ''))];
}

interface Form {
  /** CSS that means this form, and no other, to the browser as well. */
  readonly css: string;
  readonly element: PageElements;
}

/** The form for a password: by the definition's selector, or the only one with a password field. */
function findForm(page: SitePage, selector: string): Form | null {
  const byPassword = 'form:has(input[type="password"])';
  const named = select(page, selector).filter('form');
  const candidates = named.length > 0 ? named : select(page, byPassword);
  const element = candidates.filter((_, form) => page.$(form).find('input[type="password"]').length > 0).first();
  if (element.length === 0) return null;
  const action = element.attr('action');
  const options = [
    byPassword,
    ...(action === undefined ? [] : [`form[action=${JSON.stringify(action)}]:has(input[type="password"])`]),
  ];
  const css = options.find((option) => select(page, option).length === 1);
  return css === undefined ? null : { css, element };
}

/** A field that a person would fill, by name. Hidden ones the page fills itself. */
function fieldOf(page: SitePage, form: Form, name: string): string | null {
  const css = `${form.css} :is(input, textarea)[name=${JSON.stringify(name)}]:not([type="hidden"], [type="checkbox"], [type="radio"], [type="submit"])`;
  return select(page, css).length === 1 ? css : null;
}

function buttonOf(page: SitePage, form: Form): string | null {
  const all = `${form.css} :is(button:not([type="button"], [type="reset"]), input[type="submit"], input[type="image"])`;
  const found = select(page, all);
  if (found.length === 1) return all;
  for (const attribute of ['name', 'id', 'value']) {
    const value = found.first().attr(attribute);
    const css = value === undefined ? null : `${form.css} [${attribute}=${JSON.stringify(value)}]`;
    if (css !== null && select(page, css).length === 1) return css;
  }
  return null;
}
