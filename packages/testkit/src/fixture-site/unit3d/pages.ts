import { attachment, redirect, type Reply, type SiteRequest } from '../http.ts';
import { markup } from '../markup.ts';
import { isLoggedIn, type FamilyPages, type PageMode, type SiteContext } from '../site-context.ts';
import type { PageKind } from '../switches.ts';
import type { FixtureTorrent } from '../torrents.ts';
import { csrfOf } from '../visits.ts';
import { categories } from '../works.ts';
import { guestPage, memberPage, statusPage, type Viewer } from './layout.ts';
import { age, listPage, promotionIcon, size } from './list.ts';
import { captchaImage, logOut, loginPage, takeBasicLogin, takeLogin, twoFactorPage } from './login.ts';

const kinds: readonly (readonly [RegExp, PageKind])[] = [
  [/^\/$/, 'landing'],
  [/^\/(login(\/basic)?|two-factor-challenge|captcha\/.*)$/, 'login'],
  [/^\/torrents$/, 'list'],
  [/^\/torrents?\/download\//, 'download'],
  [/^\/torrents\/\d+$/, 'details'],
  [/^\/users\//, 'account'],
];

/** UNIT3D as English trackers run it: Laravel routes, absolute links, anti-forgery tokens, messages after a redirect. */
export const unit3dPages: FamilyPages = {
  kindOf: (path) => kinds.find(([pattern]) => pattern.test(path))?.[1] ?? null,
  handle(request, context, mode) {
    const cookie = request.cookies.get(context.account.cookieName) ?? '';
    const viewer = { context, base: request.url.origin, cookie };
    const byFeedKey = /^\/torrent\/download\/(\d+)\.([0-9a-f]+)$/.exec(request.path);
    if (byFeedKey !== null) {
      const isRight = mode.logins === 'normal' && byFeedKey[2] === context.account.rssKey;
      return isRight ? download(byFeedKey[1] ?? '', context) : statusPage(403, 'Forbidden');
    }
    if (isLoggedIn(request, context, mode)) return memberRoute(request, viewer, mode);
    return guestRoute(request, context, mode);
  },
  notice(kind, context) {
    const viewer = { context, base: context.origin(), cookie: '' };
    if (kind === 'unavailable') return statusPage(503, 'Service Unavailable');
    const [title, text] =
      kind === 'banned'
        ? [
            'Account is Banned',
            'You have been banned from using this site. If you think this is a mistake, write to staff.',
          ]
        : ['Be right back', 'FixtureU is currently undergoing maintenance. We will be back shortly.'];
    return guestPage(
      title,
      markup`<section class="panelV2"><h2 class="panel__heading">${title}</h2><div class="panel__body">${text}</div></section>`,
      viewer,
    );
  },
};

function guestRoute(request: SiteRequest, context: SiteContext, mode: PageMode): Reply {
  const posts = request.method === 'POST';
  if (request.path === '/login') return posts ? takeLogin(request, context) : loginPage(request, context, mode);
  if (request.path === '/login/basic' && posts) return takeBasicLogin(request, context);
  if (request.path === '/two-factor-challenge') return twoFactorPage(request, context);
  if (request.path.startsWith('/captcha/')) return captchaImage(request, context);
  return redirect(`${request.url.origin}/login`);
}

function memberRoute(request: SiteRequest, viewer: Viewer, mode: PageMode): Reply {
  const { context } = viewer;
  const posts = request.method === 'POST';
  const [, section = '', second = '', third = ''] = request.path.split('/');
  if (request.path === '/') return landing(viewer);
  if (request.path === '/login') return redirect(`${viewer.base}/`);
  if (request.path === '/logout') return posts ? logOut(request, viewer) : statusPage(405, 'Method Not Allowed');
  if (section === 'users' && second === context.account.username) return profile(third, viewer);
  if (section !== 'torrents') return statusPage(404, 'Not Found');
  if (second === '') return listPage(request, viewer, mode);
  if (second === 'download') return download(third, context);
  const torrent = context.catalogue.find(second);
  if (torrent === undefined) return statusPage(404, 'Not Found');
  if (third === 'thanks' && posts) return thank(torrent, request, viewer);
  return third === '' ? details(torrent, viewer, mode) : statusPage(404, 'Not Found');
}

function landing(viewer: Viewer): Reply {
  const { torrents } = viewer.context.catalogue;
  return memberPage(
    'Home',
    markup`<section class="panelV2"><h2 class="panel__heading">News</h2><div class="panel__body"><p>Autumn seeding weeks have begun: double upload on documentaries.</p><p>Please enable two factor authentication before the end of the year.</p></div></section>
<section class="panelV2"><h2 class="panel__heading">Newest torrents</h2><ul>${torrents.slice(0, 5).map(({ id, name }) => markup`<li><a href="${viewer.base}/torrents/${id}">${name}</a></li>`)}</ul></section>`,
    viewer,
  );
}

function details(torrent: FixtureTorrent, viewer: Viewer, mode: PageMode): Reply {
  const { base, cookie } = viewer;
  const { id, name, infoHashV1, uploader, seeders, leechers, grabs } = torrent;
  return memberPage(
    name,
    markup`<h1 class="torrent__name">${name} ${promotionIcon(torrent)}</h1>
<ul class="torrent__tags"><li class="torrent__category"><a href="${base}/torrents?categories%5B0%5D=${categories[torrent.category].unitId}">${categories[torrent.category].en}</a></li><li class="torrent__size">${size(torrent.sizeBytes)}</li><li>${age(torrent.publishedAt)}</li><li>Uploaded by ${uploader}</li><li class="torrent__seeders">${seeders} seeders</li><li>${leechers} leechers</li><li>${grabs} times completed</li></ul>
<menu class="torrent__buttons"><li>${
      mode.restructured
        ? markup`<button type="button" class="get-file" data-file="${id}">Get file</button>`
        : markup`<a class="form__button form__button--filled" href="${base}/torrents/download/${id}" download>Download</a>`
    }</li><li><form method="POST" action="${base}/torrents/${id}/thanks"><input type="hidden" name="_token" value="${csrfOf(cookie)}"><button class="form__button">Thank</button></form></li><li><button class="form__button" type="button">Bookmark</button></li></menu>
<section class="panelV2"><h2 class="panel__heading">Info hash</h2><div class="panel__body"><code>${infoHashV1}</code></div></section>
<section class="panelV2"><h2 class="panel__heading">Description</h2><div class="panel__body"><p>${name.replaceAll('.', ' ')}</p><p>Please keep seeding for at least three days.</p></div></section>`,
    viewer,
  );
}

function profile(tab: string, viewer: Viewer): Reply {
  const { account } = viewer.context;
  const keys = markup`<section class="panelV2"><h2 class="panel__heading">Passkey</h2><div class="panel__body"><code class="user__passkey">${account.passkey}</code></div></section>
<section class="panelV2"><h2 class="panel__heading">RSS key</h2><div class="panel__body"><code class="user__rsskey">${account.rssKey}</code> <a href="${viewer.base}/rss/${account.uid}.${account.rssKey}">Feed</a></div></section>`;
  return memberPage(
    account.username,
    markup`<h1>${account.username}</h1><dl class="key-value"><dt>E-mail</dt><dd>${account.email}</dd><dt>Group</dt><dd>Extreme User</dd><dt>Joined</dt><dd><time datetime="2019-04-17 13:05:44">2019-04-17</time></dd><dt>Ratio</dt><dd>3.28</dd></dl>
${(tab === '' || tab === 'settings') && keys}`,
    viewer,
  );
}

function thank(torrent: FixtureTorrent, request: SiteRequest, viewer: Viewer): Reply {
  if (request.form.get('_token') !== csrfOf(viewer.cookie)) return statusPage(419, 'Page Expired');
  viewer.context.effects.tally('presses', `thanks:${torrent.id}`);
  viewer.context.effects.record('press', `thanks:${torrent.id}`);
  return redirect(`${viewer.base}/torrents/${torrent.id}`);
}

function download(id: string, context: SiteContext): Reply {
  const torrent = context.catalogue.find(id);
  if (torrent === undefined) return statusPage(404, 'Not Found');
  context.effects.tally('downloads', id);
  context.effects.record('download', id);
  return attachment(context.catalogue.bytes(torrent.id), torrent.fileName, 'application/x-bittorrent');
}
