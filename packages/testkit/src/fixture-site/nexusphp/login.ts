import { page, redirect, type Reply, type SiteRequest } from '../http.ts';
import { asksCaptcha, attemptsLeft, tryLogin, tryOtp } from '../logins.ts';
import { markup, type Markup } from '../markup.ts';
import type { PageMode, SiteContext } from '../site-context.ts';
import type { Visit } from '../visits.ts';
import { guestPage, notice } from './layout.ts';

/** Cookie of a visitor on the way to a login. */
const visitCookie = 'PHPSESSID';

/** `login.php`: the form. */
export function loginPage(request: SiteRequest, context: SiteContext, mode: PageMode): Reply {
  const visit = context.visits.visit(request.cookies.get(visitCookie));
  const form = mode.restructured
    ? { action: 'api/session', id: 'signin-box' }
    : { action: 'takelogin.php', id: 'login' };
  const hash = asksCaptcha(context) ? context.visits.newCaptcha(visit.id) : null;
  return withVisit(
    visit,
    guestPage(
      '登录',
      markup`
<form method="post" action="${form.action}" id="${form.id}"><input type="hidden" name="secret" value="">
<p>你需要启用cookies才能登录或切换用户。</p>
<p>你还有 <b>[${attemptsLeft(context)}]</b> 次尝试机会，连续失败过多会导致你的IP地址无法再登录。</p>
<table border="0" cellpadding="5">
<tr><td class="rowhead">用户名：</td><td class="rowfollow" align="left"><input type="text" class="inputUsername" name="username" style="width: 180px; border: 1px solid gray" autocomplete="username"></td></tr>
<tr><td class="rowhead">密码：</td><td class="rowfollow" align="left"><input type="password" class="inputPassword" name="password" style="width: 180px; border: 1px solid gray" autocomplete="current-password"></td></tr>
${
  hash !== null &&
  markup`<tr><td class="rowhead">图片验证：</td><td><img src="image.php?action=regimage&amp;imagehash=${hash}" border="0" alt="CAPTCHA"></td></tr>
<tr><td class="rowhead">验证码：</td><td><input type="text" autocomplete="off" style="width: 180px; border: 1px solid gray" name="imagestring" value=""><input type="hidden" name="imagehash" value="${hash}"></td></tr>`
}
<tr><td class="toolbox" colspan="2" align="left">高级选项：</td></tr>
<tr><td class="rowhead">自动登出：</td><td class="rowfollow" align="left"><input class="checkbox" type="checkbox" name="logout" value="yes">15分钟后自动登出</td></tr>
<tr><td class="rowhead">限制IP：</td><td class="rowfollow" align="left"><input class="checkbox" type="checkbox" name="securelogin" value="yes">限制登录会话在我的登录IP</td></tr>
<tr><td class="toolbox" colspan="2" align="right"><input type="submit" value="登录" class="btn"> <input type="reset" value="重置" class="btn"></td></tr>
</table><input type="hidden" name="returnto" value="${localPath(request.query.get('returnto'))}"></form>
<p>没有账号？ <a href="signup.php"><b>立即注册</b></a></p><p>忘记密码？ <a href="recover.php"><b>通过邮箱</b></a> 找回</p>`,
    ),
  );
}

/** `takelogin.php`: where the form is sent. A `two_step_code` sent along saves the second page. */
export function takeLogin(request: SiteRequest, context: SiteContext): Reply {
  const visit = context.visits.visit(request.cookies.get(visitCookie));
  const field = (name: string) => request.form.get(name) ?? '';
  const attempt = {
    username: field('username'),
    password: field('password'),
    captchaHash: field('imagehash'),
    captchaAnswer: field('imagestring'),
  };
  const code = field('two_step_code');
  const first = tryLogin(attempt, visit, context);
  const result = first === 'otp' && code !== '' ? tryOtp(code, visit, context) : first;
  if (result === 'logged_in') return enter(context, localPath(field('returnto')));
  if (result === 'otp') return withVisit(visit, redirect('twofactor.php'));
  return withVisit(visit, guestPage('登录失败', refusals[result](context)));
}

/** `twofactor.php`: the page that asks for the code, and where it is sent. */
export function twoFactorPage(request: SiteRequest, context: SiteContext): Reply {
  const visit = context.visits.visit(request.cookies.get(visitCookie));
  if (!visit.awaitsOtp) return redirect('login.php');
  if (request.method === 'POST') {
    const result = tryOtp(request.form.get('two_step_code') ?? '', visit, context);
    if (result === 'logged_in') return enter(context, 'index.php');
    return guestPage('两步验证失败', refusals[result](context));
  }
  return guestPage(
    '两步验证',
    markup`<h1>两步验证</h1><form method="post" action="twofactor.php" id="two-step">
<p>请输入身份验证器应用中显示的6位动态验证码。</p>
<input type="text" name="two_step_code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" placeholder="6位验证码">
<input type="submit" value="验证" class="btn"></form>`,
  );
}

/** `logout.php`. */
export function logOut(request: SiteRequest, context: SiteContext): Reply {
  const { account, effects, visits } = context;
  effects.count('logouts');
  effects.record('logout', account.username);
  visits.logOut(request.cookies.get(account.cookieName));
  return redirect('login.php', {
    'set-cookie': [`${account.cookieName}=; path=/; max-age=0`, 'c_secure_uid=; path=/; max-age=0'],
  });
}

/** Cookies of a login, as a browser would send them. */
export function loginCookies(token: string, context: SiteContext): readonly string[] {
  const uid = Buffer.from(String(context.account.uid)).toString('base64url');
  return [`c_secure_uid=${uid}`, `${context.account.cookieName}=${token}`, 'c_secure_ssl=bm9wZQ'];
}

/** `image.php`: the picture of a captcha. */
export function captchaImage(request: SiteRequest, context: SiteContext, png: (digits: string) => Buffer): Reply {
  const digits = context.visits.captchaDigitsOf(request.query.get('imagehash') ?? '');
  if (digits === undefined) return page(notice('错误', '验证码已过期。'), 404);
  return { status: 200, headers: { 'content-type': 'image/png', 'cache-control': 'no-store' }, body: png(digits) };
}

const refusals: Readonly<
  Record<'wrong_password' | 'wrong_captcha' | 'wrong_code' | 'locked', (context: SiteContext) => Markup>
> = {
  wrong_password: (context) =>
    notice(
      '登录失败！',
      markup`用户名或密码不正确！你还有 <b>[${attemptsLeft(context)}]</b> 次尝试机会。<a href="recover.php"><b>忘记密码？</b></a>`,
    ),
  wrong_captcha: () => notice('登录失败！', markup`图片代码无效！请返回并<a href="login.php">重试</a>。`),
  wrong_code: () => notice('验证失败！', '两步验证码不正确。'),
  locked: () => notice('登录失败！', '登录已锁定：连续失败的次数过多，你的IP地址已被禁止登录。'),
};

function enter(context: SiteContext, to: string): Reply {
  const cookies = loginCookies(context.visits.logIn('login'), context);
  return redirect(to === '' ? 'index.php' : to, {
    'set-cookie': cookies.map((cookie) => `${cookie}; path=/; max-age=31536000`),
  });
}

function withVisit(visit: Visit, reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, 'set-cookie': `${visitCookie}=${visit.id}; path=/; HttpOnly` } };
}

/** A return address only when it stays on this site. */
function localPath(path: string | null): string {
  return path !== null && /^\/?[a-z0-9_-]+\.php(\?[^\\]*)?$/i.test(path) ? path : '';
}
