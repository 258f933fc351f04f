import { captchaPng } from '../captcha.ts';
import { attachment, page, redirect, type Reply, type SiteRequest } from '../http.ts';
import { markup } from '../markup.ts';
import { isLoggedIn, type FamilyPages, type PageMode, type SiteContext } from '../site-context.ts';
import type { PageKind } from '../switches.ts';
import { accountPage, profilePage } from './account-pages.ts';
import { detailsPage } from './details.ts';
import { guestPage, memberPage, notice } from './layout.ts';
import { listPage } from './list.ts';
import { captchaImage, logOut, loginPage, takeLogin, twoFactorPage } from './login.ts';

const kinds: Readonly<Record<string, PageKind>> = {
  '/': 'landing',
  '/index.php': 'landing',
  '/login.php': 'login',
  '/takelogin.php': 'login',
  '/twofactor.php': 'login',
  '/image.php': 'login',
  '/torrents.php': 'list',
  '/details.php': 'details',
  '/download.php': 'download',
  '/usercp.php': 'account',
  '/userdetails.php': 'account',
};

/** NexusPHP as Chinese trackers run it: flat scripts, tables in tables, refusals in `td.embedded`. */
export const nexusphpPages: FamilyPages = {
  kindOf: (path) => kinds[path] ?? null,
  handle(request, context, mode) {
    switch (request.path) {
      case '/login.php':
        return isLoggedIn(request, context, mode) ? redirect('index.php') : loginPage(request, context, mode);
      case '/takelogin.php':
        return request.method === 'POST' ? takeLogin(request, context) : redirect('login.php');
      case '/twofactor.php':
        return twoFactorPage(request, context);
      case '/image.php':
        return captchaImage(request, context, captchaPng);
      case '/download.php':
        return download(request, context, mode);
    }
    if (!isLoggedIn(request, context, mode)) {
      const from = `${request.path.slice(1)}${request.url.search}`;
      return redirect(from === '' ? 'login.php' : `login.php?returnto=${encodeURIComponent(from)}`);
    }
    return memberPages[request.path]?.(request, context, mode) ?? page(notice('404', '页面不存在。'), 404);
  },
  notice(kind) {
    if (kind === 'banned') return guestPage('错误', notice('访问被拒绝', '您的账号已被封禁。如有疑问，请联系管理组。'));
    if (kind === 'maintenance')
      return guestPage('网站维护中', notice('网站维护中', '我们正在升级数据库，请稍后再来。'));
    return page(
      markup`<html><head><title>503 Service Temporarily Unavailable</title></head><body><center><h1>503 Service Temporarily Unavailable</h1></center><hr><center>nginx</center></body></html>`,
      503,
      { 'retry-after': '120' },
    );
  },
};

const memberPages: Readonly<Record<string, (request: SiteRequest, context: SiteContext, mode: PageMode) => Reply>> = {
  '/': (_request, context) => landing(context),
  '/index.php': (_request, context) => landing(context),
  '/torrents.php': listPage,
  '/details.php': detailsPage,
  '/usercp.php': (_request, context) => accountPage(context),
  '/userdetails.php': (_request, context) => profilePage(context),
  '/logout.php': logOut,
  '/thanks.php': thanks,
};

function landing(context: SiteContext): Reply {
  return memberPage(
    '首页',
    markup`<h2>最近消息</h2><table width="100%" class="text"><tr><td class="text"><ul><li>2026.11.03 - 秋季做种活动开始，新种全部免费三天。</li><li>2026.10.12 - 请各位会员尽快启用两步验证。</li></ul></td></tr></table>
<h2>站点数据</h2><table width="100%" border="1" cellspacing="0" cellpadding="5"><tr><td class="rowhead">注册用户</td><td class="rowfollow">12,804 / 15,000</td><td class="rowhead">种子数</td><td class="rowfollow">${context.catalogue.torrents.length}</td></tr>
<tr><td class="rowhead">做种者</td><td class="rowfollow">${context.catalogue.torrents.reduce((sum, { seeders }) => sum + seeders, 0)}</td><td class="rowhead">下载者</td><td class="rowfollow">${context.catalogue.torrents.reduce((sum, { leechers }) => sum + leechers, 0)}</td></tr></table>`,
    context,
  );
}

/** A torrent file for a login or, as feeds fetch it, for the right passkey. */
function download(request: SiteRequest, context: SiteContext, mode: PageMode): Reply {
  const byPasskey = mode.logins === 'normal' && request.query.get('passkey') === context.account.passkey;
  if (!byPasskey && !isLoggedIn(request, context, mode)) return redirect('login.php');
  const torrent = context.catalogue.find(request.query.get('id') ?? '');
  if (torrent === undefined) return guestPage('错误', notice('下载失败', '没有该ID的种子。'));
  context.effects.tally('downloads', String(torrent.id));
  context.effects.record('download', String(torrent.id));
  return attachment(context.catalogue.bytes(torrent.id), torrent.fileName, 'application/x-bittorrent');
}

function thanks(request: SiteRequest, context: SiteContext): Reply {
  const id = `thanks:${request.form.get('id') ?? ''}`;
  context.effects.tally('presses', id);
  context.effects.record('press', id);
  return redirect(`details.php?id=${encodeURIComponent(request.form.get('id') ?? '')}&thanked=1`);
}
