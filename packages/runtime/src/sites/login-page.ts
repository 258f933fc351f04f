import type { LoginBlock, SiteDefinition } from './definition.ts';
import { select, type SitePage } from './page.ts';
import { readValue } from './values.ts';
import { renderTemplate, type TemplateVariables } from './template.ts';

/** Whether a page belongs to somebody who is logged in, and how that was seen. */
export interface LoginState {
  readonly loggedIn: boolean;
  /** The selector of the definition, or `null` where it has none and the page itself was judged. */
  readonly selector: string | null;
  readonly found: string;
}

/** Judges a page by the definition's test; without one, by whether it asks for a password. */
export function readLoginState(page: SitePage, definition: SiteDefinition, variables: TemplateVariables): LoginState {
  const test = definition.login?.test?.selector;
  if (test !== undefined && test !== '') {
    const selector = renderTemplate(test, variables);
    const matches = select(page, selector).length;
    return {
      loggedIn: matches > 0,
      selector,
      found: matches > 0 ? `${matches} matching elements` : nothingOf(page),
    };
  }
  const asks = hasPasswordField(page);
  return {
    loggedIn: !asks,
    selector: null,
    found: asks ? 'the page asks for a password' : 'the page asks for no password',
  };
}

function nothingOf(page: SitePage): string {
  return hasPasswordField(page) ? 'no match; the page asks for a password' : 'no match';
}

/** Whether a page has a field for a password. */
export function hasPasswordField(page: SitePage): boolean {
  return page.$('input[type="password" i]').length > 0;
}

/** The error of the definition that a page shows after a login, with the text it points to. Raw text. */
export function findLoginError(
  page: SitePage,
  definition: SiteDefinition,
  variables: TemplateVariables,
): { readonly selector: string; readonly message: string } | null {
  for (const block of definition.login?.error ?? []) {
    const selector = renderTemplate(block.selector, variables);
    const [found] = [select(page, selector).first()];
    if (found === undefined || found.length === 0) continue;
    const message =
      block.message === undefined
        ? found.text()
        : (readValue(page, undefined, block.message, variables) ?? found.text());
    return { selector, message: message.replaceAll(/\s+/g, ' ').trim().slice(0, 300) };
  }
  return null;
}

/** What a login form asks for besides user name and password. */
export interface FormDemands {
  readonly captcha: boolean;
  readonly secondFactor: boolean;
}

/** Pictures and widgets of captchas, and fields for one-time codes, also where the definition does not name them. */
export function formDemands(page: SitePage, login: LoginBlock | undefined, variables: TemplateVariables): FormDemands {
  const named = login?.captcha === undefined ? undefined : renderTemplate(login.captcha.selector, variables);
  const captcha =
    (named !== undefined && select(page, named).length > 0) ||
    page.$(
      '.h-captcha, .g-recaptcha, .cf-turnstile, iframe[src*="captcha"], img[src*="captcha" i], img[alt="CAPTCHA"], img[src*="image.php?action=regimage"]',
    ).length > 0;
  const secondFactor =
    page.$(
      'input[autocomplete="one-time-code"], input[name*="otp" i]:not([type="hidden"]), input[name*="2fa" i]:not([type="hidden"]), input[name="code"][inputmode="numeric"]',
    ).length > 0;
  return { captcha, secondFactor };
}
