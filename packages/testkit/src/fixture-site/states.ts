import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { page, redirect, type Reply, type SiteRequest } from './http.ts';
import { markup } from './markup.ts';
import type { FamilyPages, SiteContext } from './site-context.ts';
import { isIn, type PageKind } from './switches.ts';

const clearanceCookie = 'cf_clearance';
const verifyPath = '/cdn-cgi/challenge-platform/verify';

/** The answer that a broken state gives instead of the site's own, or `null` when the site answers itself. */
export async function brokenAnswer(
  request: SiteRequest,
  context: SiteContext,
  site: { pages: FamilyPages; clearances: Set<string> },
): Promise<Reply | null> {
  if (request.path === verifyPath && request.method === 'POST') return passChallenge(request, context, site.clearances);
  const switches = context.switches();
  const where = { kind: site.pages.kindOf(request.path), path: request.path };
  if (!isIn(switches, switches.state, where)) return null;
  switch (switches.state) {
    case 'healthy':
    case 'logged_out':
    case 'structure_changed':
      return null;
    case 'moved':
      // The new place is this server under another name: only what is asked of the old name moves.
      return request.url.hostname === '127.0.0.1'
        ? redirect(`${context.movedOrigin()}${request.path}${request.url.search}`)
        : null;
    case 'challenge':
      return site.clearances.has(request.cookies.get(clearanceCookie) ?? '')
        ? null
        : challenge(request, switches.challengeStatus);
    case 'banned':
    case 'unavailable':
    case 'maintenance':
      return site.pages.notice(switches.state, context);
    case 'slow':
      if (switches.delayMs === 'forever') return { status: 0, headers: {}, body: () => undefined };
      await sleep(switches.delayMs);
      return null;
    case 'reset':
      break;
  }
  return { status: 0, headers: {}, body: (response) => response.socket?.resetAndDestroy() };
}

/** Whether this page is shown in other markup. The login form only when it is named: a redesign rarely touches it. */
export function isRestructured(context: SiteContext, where: { kind: PageKind | null; path: string }): boolean {
  const switches = context.switches();
  if (!isIn(switches, 'structure_changed', where)) return false;
  return where.kind !== 'login' || switches.only.length > 0;
}

/** A bot check in the manner of Cloudflare's: its title, header, script names and widget markup, without its code. */
function challenge(request: SiteRequest, status: 403 | 503): Reply {
  const ray = randomBytes(8).toString('hex');
  const host = request.url.host;
  return page(
    markup`<html lang="en-US"><head><title>Just a moment...</title><meta name="robots" content="noindex,nofollow"></head><body class="no-js">
<div class="main-wrapper" role="main"><div class="main-content"><h1 class="zone-name-title h1">${host}</h1>
<h2 class="h2" id="challenge-running">Checking your browser before accessing ${host}</h2>
<form id="challenge-form" method="POST" action="${verifyPath}"><input type="hidden" name="returnto" value="${request.path}${request.url.search}">
<div class="cf-turnstile" data-sitekey="0x4AAAAAAAfixture"><input type="hidden" name="cf-turnstile-response" value=""><button type="submit" id="challenge-stage">Verify you are human</button></div></form>
<div id="challenge-body-text" class="core-msg">${host} needs to review the security of your connection before proceeding.</div></div></div>
<script>window._cf_chl_opt = { cvId: '3', cType: 'managed', cRay: '${ray}' };</script>
<div class="footer">Ray ID: <code>${ray}</code></div></body></html>`,
    status,
    { server: 'cloudflare', 'cf-mitigated': 'challenge', 'cf-ray': `${ray}-FRA` },
  );
}

function passChallenge(request: SiteRequest, context: SiteContext, clearances: Set<string>): Reply {
  const clearance = randomBytes(24).toString('base64url');
  clearances.add(clearance);
  context.effects.count('challengesPassed');
  context.effects.record('challenge', request.url.hostname);
  const to = request.form.get('returnto') ?? '/';
  const isLocal = /^\/(?![/\\])/.test(to);
  return redirect(isLocal ? to : '/', { 'set-cookie': `${clearanceCookie}=${clearance}; path=/; HttpOnly` });
}
