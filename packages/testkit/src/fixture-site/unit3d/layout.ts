import { page, type Reply } from '../http.ts';
import { markup, type Markup } from '../markup.ts';
import type { SiteContext } from '../site-context.ts';
import { csrfOf } from '../visits.ts';

/** Name of the site in its titles. */
const siteName = 'FixtureU';

/** What a page needs to know of its visitor. */
export interface Viewer {
  readonly context: SiteContext;
  /** Beginning of every link: this software writes absolute ones, with the host that was asked. */
  readonly base: string;
  /** Value of the session cookie, which the forms' tokens belong to. */
  readonly cookie: string;
}

/** A page for a logged-in member: top navigation, statistics, content. */
export function memberPage(title: string, content: Markup, viewer: Viewer): Reply {
  const { base, cookie } = viewer;
  const { username, rssKey, uid } = viewer.context.account;
  return page(
    frame(
      title,
      markup`<header><nav class="top-nav"><a class="top-nav__branding" href="${base}/">${siteName}</a>
<ul class="top-nav__main-menus"><li><a href="${base}/torrents">Torrents</a></li><li><a href="${base}/requests">Requests</a></li><li><a href="${base}/forums">Forums</a></li><li><a href="${base}/rss/${uid}.${rssKey}">RSS</a></li></ul>
<ul class="top-nav__ratio-bar"><li title="Upload"><a href="${base}/users/${username}">8.20 TiB</a></li><li title="Download">2.50 TiB</li><li title="Seeding"><a href="${base}/users/${username}/torrents">41</a></li><li title="Leeching">1</li><li title="Ratio">3.28</li><li title="My bonus points"><a href="${base}/users/${username}/earnings">18 402</a></li></ul>
<div class="top-nav__profile"><a class="top-nav__username" href="${base}/users/${username}"><span>${username}</span></a>
<form action="${base}/logout" method="POST" role="form"><input type="hidden" name="_token" value="${csrfOf(cookie)}" autocomplete="off"><button type="submit" title="Logout"><i class="fas fa-sign-out"></i> Logout</button></form></div>
</nav></header><main class="page__main"><article>${content}</article></main>`,
      cookie,
    ),
  );
}

/** A page for a visitor without a login; sets the session cookie that the page's tokens belong to. */
export function guestPage(title: string, content: Markup, viewer: Viewer): Reply {
  const headers = viewer.cookie === '' ? {} : { 'set-cookie': sessionCookie(viewer.context, viewer.cookie) };
  return page(frame(title, markup`<main class="auth">${content}</main>`, viewer.cookie), 200, headers);
}

/** The cookie that holds visit and login, as this software sets it. */
export function sessionCookie(context: SiteContext, value: string): string {
  return `${context.account.cookieName}=${value}; path=/; httponly; samesite=lax; max-age=7200`;
}

/** The page of a status, as Laravel prints it. */
export function statusPage(status: number, text: string): Reply {
  return page(
    markup`<html lang="en"><head><meta charset="utf-8"><title>${text}</title></head><body><div class="flex-center"><div class="code">${status}</div><div class="message">${text}</div></div></body></html>`,
    status,
  );
}

function frame(title: string, content: Markup, cookie: string): Markup {
  return markup`<html lang="en"><head><meta charset="UTF-8"><meta name="csrf-token" content="${csrfOf(cookie)}">
<title>${title} - ${siteName}</title><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/styles/fixture.css"></head><body>
${content}
<footer class="footer"><p>Powered by UNIT3D</p></footer></body></html>`;
}
