import { spelled } from './spelled.ts';
import { cookieGate, storedStateGate } from './auth.ts';
import { type Handler, ok, refuse } from './call.ts';
import type { StoredCookie } from './page-source.ts';
import { UpstreamError } from './upstream-error.ts';

const maxCookies = 500;

/** POST /sessions/:userId/cookies. Makes the session when there is none, and writes the profile. */
export const importCookies: Handler = (call, browser) => {
  const refused = cookieGate(call, browser.settings);
  if (refused !== null) return refused;
  const userId = call.params['userId'] ?? '';
  if (call.body === undefined || !('cookies' in call.body))
    return refuse(400, 'Missing "cookies" field in request body');
  const cookies: unknown = call.body['cookies'];
  if (!Array.isArray(cookies)) return refuse(400, 'cookies must be an array');
  if (cookies.length > maxCookies) return refuse(400, 'Too many cookies. Maximum 500 per request.');
  const invalid = cookies.map(problemOf).filter((problem) => problem !== null);
  if (invalid.length > 0)
    return {
      status: 400,
      json: { error: 'Invalid cookie objects: each cookie must include name, value, and domain', invalid },
    };
  try {
    const session = browser.session(userId);
    if (browser.isZombie(session))
      throw new UpstreamError('browserContext.addCookies: Target page, context or browser has been closed');
    browser.pages.addCookies(userId, cookies.map(storedOf));
    browser.checkpoint(userId);
    return ok({ ok: true, userId, count: cookies.length });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return refuse(500, browser.settings.production ? 'Internal server error' : error.message);
  }
};

function problemOf(cookie: unknown, index: number) {
  if (typeof cookie !== 'object' || cookie === null) return { index, error: 'cookie must be an object' };
  const fields = new Map(Object.entries(cookie));
  const missing = ['name', 'value', 'domain'].filter((field) => {
    const value: unknown = fields.get(field);
    return typeof value !== 'string' || (field !== 'value' && value === '');
  });
  return missing.length > 0 ? { index, missing } : null;
}

/** @throws UpstreamError as Playwright refuses cookies without a path or with an unknown `sameSite` */
function storedOf(cookie: unknown): StoredCookie {
  const fields = new Map<string, unknown>(Object.entries(cookie ?? {}));
  const path = fields.get('path');
  const sameSite = fields.get('sameSite');
  if (typeof path !== 'string')
    throw new UpstreamError('browserContext.addCookies: Cookie should have a url or a domain/path pair');
  if (sameSite !== undefined && !/^(Strict|Lax|None)$/.test(spelled(sameSite)))
    throw new UpstreamError('browserContext.addCookies: cookies[0].sameSite: expected one of (Strict|Lax|None)');
  return {
    name: spelled(fields.get('name')),
    value: spelled(fields.get('value')),
    domain: spelled(fields.get('domain')),
    path,
    httpOnly: fields.get('httpOnly') === true,
  };
}

/** GET /sessions/:userId/traces: none are made here. */
export const traces: Handler = (call, browser) => storedStateGate(call, browser.settings) ?? ok({ traces: [] });

/** DELETE /sessions/:userId/storage_state. */
export const resetState: Handler = (call, browser) => {
  const refused = storedStateGate(call, browser.settings);
  if (refused !== null) return refused;
  const userId = call.params['userId'] ?? '';
  const removedPersisted = browser.pages.stored(userId).length > 0;
  const clearedLive = browser.sessions.has(userId);
  browser.pages.forget(userId);
  browser.checkpoint(userId);
  return ok({ ok: true, userId, clearedLive, removedPersisted });
};
