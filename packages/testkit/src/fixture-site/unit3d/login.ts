import { createHash } from 'node:crypto';
import { captchaPng } from '../captcha.ts';
import { redirect, type Reply, type SiteRequest } from '../http.ts';
import { asksCaptcha, tryLogin, tryOtp } from '../logins.ts';
import { markup, type Markup } from '../markup.ts';
import type { PageMode, SiteContext } from '../site-context.ts';
import { csrfOf, type Visit } from '../visits.ts';
import { guestPage, sessionCookie, statusPage, type Viewer } from './layout.ts';

/** `GET /login`: the form with its hidden fields, and the message of the attempt before. */
export function loginPage(request: SiteRequest, context: SiteContext, mode: PageMode): Reply {
  const { visit, viewer } = meet(request, context);
  const flash = takeFlash(visit);
  const hash = asksCaptcha(context) ? context.visits.newCaptcha(visit.id) : null;
  const names = mode.restructured
    ? { action: `${viewer.base}/session/new`, username: 'identity', password: 'passphrase' }
    : { action: `${viewer.base}/login`, username: 'username', password: 'password' };
  return guestPage(
    'Login',
    markup`<section class="auth-form"><form class="auth-form__form" method="POST" action="${names.action}">
<input type="hidden" name="_token" value="${csrfOf(visit.id)}" autocomplete="off"><a class="auth-form__branding" href="${viewer.base}/">FixtureU</a>
${flash !== null && markup`<ul class="auth-form__errors" role="alert"><li class="auth-form__error">${flash}</li></ul>`}
<p class="auth-form__text-input-group"><label class="auth-form__label" for="username">Username</label><input id="username" class="auth-form__text-input" autocomplete="username" autofocus name="${names.username}" required type="text" value=""></p>
<p class="auth-form__text-input-group"><label class="auth-form__label" for="password">Password</label><input id="password" class="auth-form__text-input" autocomplete="current-password" name="${names.password}" required type="password"></p>
<p class="auth-form__checkbox-input-group"><input id="remember" class="auth-form__checkbox-input" name="remember" type="checkbox"><label class="auth-form__label" for="remember">Remember me</label></p>
<input type="hidden" name="_captcha" value="${hiddenCaptcha(visit)}"><div style="position:fixed;transform:translateX(-10000px)"><label for="_username">Name</label><input type="text" name="_username" id="_username" value="" tabindex="-1" autocomplete="off"></div>
${hash !== null && captchaField(hash, viewer)}
<button class="auth-form__primary-button" type="submit">Login</button></form>
<footer class="auth-form__footer"><a class="auth-form__footer-item" href="${viewer.base}/forgot-password">Forgot password</a> <a class="auth-form__footer-item" href="${viewer.base}/register">Register</a></footer></section>
${flash !== null && markup`<script nonce="${csrfOf(visit.id).slice(0, 16)}">window.notice = { icon: 'error', title: 'Error', text: '${flash}' };</script>`}`,
    viewer,
  );
}

/** `POST /login`. A missing or foreign token is refused with 419, a filled honeypot like a wrong password. */
export function takeLogin(request: SiteRequest, context: SiteContext): Reply {
  const { visit, viewer } = meet(request, context);
  const field = (name: string) => request.form.get(name) ?? '';
  if (field('_token') !== csrfOf(visit.id)) return statusPage(419, 'Page Expired');
  const isRobot = field('_captcha') !== hiddenCaptcha(visit) || field('_username') !== '';
  return decide(request, { context, visit, viewer, password: isRobot ? '' : field('password') });
}

/** `POST /login/basic`: a plain form target as forks keep for scripts. Asks for no token; everything else is the same. */
export function takeBasicLogin(request: SiteRequest, context: SiteContext): Reply {
  return decide(request, { context, ...meet(request, context), password: request.form.get('password') ?? '' });
}

/** `/two-factor-challenge`: the page that asks for the code, and where it is sent. */
export function twoFactorPage(request: SiteRequest, context: SiteContext): Reply {
  const { visit, viewer } = meet(request, context);
  if (!visit.awaitsOtp) return redirect(`${viewer.base}/login`);
  if (request.method === 'POST') {
    if (request.form.get('_token') !== csrfOf(visit.id)) return statusPage(419, 'Page Expired');
    const result = tryOtp(request.form.get('code') ?? '', visit, context);
    if (result === 'logged_in') return enter(viewer);
    visit.flash = refusals[result];
    return back(viewer, 'two-factor-challenge');
  }
  const flash = takeFlash(visit);
  return guestPage(
    'Two Factor Authentication',
    markup`<section class="auth-form"><form class="auth-form__form" method="POST" action="${viewer.base}/two-factor-challenge">
<input type="hidden" name="_token" value="${csrfOf(visit.id)}" autocomplete="off"><p class="auth-form__text">Please confirm access to your account by entering the code provided by your authenticator application.</p>
${flash !== null && markup`<ul class="auth-form__errors" role="alert"><li class="auth-form__error">${flash}</li></ul>`}
<p class="auth-form__text-input-group"><label class="auth-form__label" for="code">Code</label><input id="code" class="auth-form__text-input" autocomplete="one-time-code" inputmode="numeric" name="code" autofocus type="text"></p>
<button class="auth-form__primary-button" type="submit">Confirm</button></form></section>`,
    viewer,
  );
}

/** `POST /logout`, with the token of the session. */
export function logOut(request: SiteRequest, viewer: Viewer): Reply {
  const { account, effects, visits } = viewer.context;
  if (request.form.get('_token') !== csrfOf(viewer.cookie)) return statusPage(419, 'Page Expired');
  effects.count('logouts');
  effects.record('logout', account.username);
  visits.logOut(viewer.cookie);
  return redirect(`${viewer.base}/login`, { 'set-cookie': `${account.cookieName}=; path=/; max-age=0; httponly` });
}

/** `/captcha/HASH.png`: the picture of a captcha. */
export function captchaImage(request: SiteRequest, context: SiteContext): Reply {
  const digits = context.visits.captchaDigitsOf(/^\/captcha\/([0-9a-f]+)\.png$/.exec(request.path)?.[1] ?? '');
  if (digits === undefined) return statusPage(404, 'Not Found');
  return {
    status: 200,
    headers: { 'content-type': 'image/png', 'cache-control': 'no-store' },
    body: captchaPng(digits),
  };
}

const refusals = {
  wrong_password: 'These credentials do not match our records.',
  wrong_captcha: 'The captcha was not correct. Please try again.',
  wrong_code: 'The provided two factor authentication code was invalid.',
  locked: 'Too many login attempts. Please try again in 3600 seconds.',
} as const;

function decide(
  request: SiteRequest,
  login: { context: SiteContext; visit: Visit; viewer: Viewer; password: string },
): Reply {
  const { context, visit, viewer, password } = login;
  const attempt = {
    username: request.form.get('username') ?? '',
    password,
    captchaHash: request.form.get('captcha_id') ?? '',
    captchaAnswer: request.form.get('captcha') ?? '',
  };
  const result = tryLogin(attempt, visit, context);
  if (result === 'logged_in') return enter(viewer);
  if (result === 'otp') return back(viewer, 'two-factor-challenge');
  visit.flash = refusals[result];
  return back(viewer, 'login');
}

function captchaField(hash: string, viewer: Viewer): Markup {
  return markup`<p class="auth-form__text-input-group"><img class="auth-form__captcha" src="${viewer.base}/captcha/${hash}.png" alt="captcha"><input type="hidden" name="captcha_id" value="${hash}">
<label class="auth-form__label" for="captcha">Type the digits of the picture</label><input id="captcha" class="auth-form__text-input" name="captcha" autocomplete="off" required type="text"></p>`;
}

function hiddenCaptcha(visit: Visit): string {
  return createHash('sha256').update(`hidden:${visit.id}`).digest('base64url');
}

function meet(request: SiteRequest, context: SiteContext): { visit: Visit; viewer: Viewer } {
  const visit = context.visits.visit(request.cookies.get(context.account.cookieName));
  return { visit, viewer: { context, base: request.url.origin, cookie: visit.id } };
}

function takeFlash(visit: Visit): string | null {
  const { flash } = visit;
  visit.flash = null;
  return flash;
}

function back({ base, cookie, context }: Viewer, path: string): Reply {
  return redirect(`${base}/${path}`, { 'set-cookie': sessionCookie(context, cookie) });
}

/** The session gets a new id at login, as Laravel does against fixation. */
function enter({ base, context }: Viewer): Reply {
  return redirect(`${base}/`, { 'set-cookie': sessionCookie(context, context.visits.logIn('login')) });
}
