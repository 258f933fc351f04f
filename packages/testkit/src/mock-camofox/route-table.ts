import { act } from './acting.ts';
import type { Handler } from './call.ts';
import { click } from './clicking.ts';
import { downloads, evaluateRoute, extract, images, links, scroll, viewport } from './content.ts';
import { legacySnapshot, screenshot, snapshot, wait } from './looking.ts';
import { legacyNavigate, moveInHistory, navigate } from './navigation.ts';
import { importCookies, resetState, traces } from './sessions.ts';
import { create, list, open, remove, removeGroup, removeSession, stats } from './tabs.ts';
import { pressRoute, select, type } from './typing.ts';

/** One route. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly handler: Handler;
}

const since15 = new Set(['/tabs/:tabId/select']);

/** The routes of tabs and sessions. First fit wins, as with Express. Not there: upload, fetch-current-resource, youtube, pressure, VNC. */
const table: readonly Route[] = [
  { method: 'POST', path: '/tabs', handler: create },
  { method: 'GET', path: '/tabs', handler: list },
  { method: 'POST', path: '/tabs/open', handler: open },
  { method: 'DELETE', path: '/tabs/:tabId', handler: remove },
  { method: 'DELETE', path: '/tabs/group/:sessionKey', handler: removeGroup },
  { method: 'POST', path: '/tabs/:tabId/navigate', handler: navigate },
  { method: 'GET', path: '/tabs/:tabId/snapshot', handler: snapshot },
  { method: 'POST', path: '/tabs/:tabId/wait', handler: wait },
  { method: 'POST', path: '/tabs/:tabId/click', handler: click },
  { method: 'POST', path: '/tabs/:tabId/type', handler: type },
  { method: 'POST', path: '/tabs/:tabId/press', handler: pressRoute },
  { method: 'POST', path: '/tabs/:tabId/select', handler: select },
  { method: 'POST', path: '/tabs/:tabId/scroll', handler: scroll },
  { method: 'POST', path: '/tabs/:tabId/viewport', handler: viewport },
  { method: 'POST', path: '/tabs/:tabId/back', handler: moveInHistory('back') },
  { method: 'POST', path: '/tabs/:tabId/forward', handler: moveInHistory('forward') },
  { method: 'POST', path: '/tabs/:tabId/refresh', handler: moveInHistory('refresh') },
  { method: 'POST', path: '/tabs/:tabId/evaluate', handler: evaluateRoute },
  { method: 'POST', path: '/tabs/:tabId/extract', handler: extract },
  { method: 'GET', path: '/tabs/:tabId/links', handler: links },
  { method: 'GET', path: '/tabs/:tabId/images', handler: images },
  { method: 'GET', path: '/tabs/:tabId/downloads', handler: downloads },
  { method: 'GET', path: '/tabs/:tabId/screenshot', handler: screenshot },
  { method: 'GET', path: '/tabs/:tabId/stats', handler: stats },
  { method: 'POST', path: '/sessions/:userId/cookies', handler: importCookies },
  { method: 'GET', path: '/sessions/:userId/traces', handler: traces },
  { method: 'DELETE', path: '/sessions/:userId/storage_state', handler: resetState },
  { method: 'DELETE', path: '/sessions/:userId', handler: removeSession },
  { method: 'POST', path: '/act', handler: act },
  { method: 'POST', path: '/navigate', handler: legacyNavigate },
  { method: 'GET', path: '/snapshot', handler: legacySnapshot },
];

/** The routes that a release has. */
export function tabRoutes(version: '1.14' | '1.17'): readonly Route[] {
  return version === '1.14' ? table.filter(({ path }) => !since15.has(path)) : table;
}
