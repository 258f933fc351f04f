import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BrowserError } from '@wheelhouse/contracts';
import { createAccount, type Account } from './account.ts';
import { controlAnswer } from './control.ts';
import { siteDefinition, type DefinitionOptions } from './definition.ts';
import { createEffectRecorder, type Effects } from './effects.ts';
import { json, readRequest, send, type Reply, type SiteRequest } from './http.ts';
import { labAnswer } from './lab/pages.ts';
import { loginCookies } from './nexusphp/login.ts';
import { nexusphpPages } from './nexusphp/pages.ts';
import type { SiteContext } from './site-context.ts';
import { brokenAnswer, isRestructured } from './states.ts';
import { applySwitches, defaultSwitches, isIn, type Family, type Switches, type SwitchesPatch } from './switches.ts';
import { createCatalogue, type FixtureTorrent } from './torrents.ts';
import { totp } from './totp.ts';
import { unit3dPages } from './unit3d/pages.ts';
import { createVisits } from './visits.ts';

/** How a site starts. */
export interface FixtureSiteOptions {
  /** Default `nexusphp`. */
  readonly family?: Family;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The account's secrets follow from it; default `fixture`. Give different ones to sites that must not share secrets. */
  readonly seed?: string;
  /** Switches that differ from a healthy site with a plain login; `reset()` comes back to them. */
  readonly switches?: SwitchesPatch;
  /** Now, as far as the ages of torrents are concerned; default the real time. */
  readonly now?: Date;
}

/** A running imitation of a private tracker. Everything it counts really arrived. */
export interface FixtureSite extends AsyncDisposable {
  readonly family: Family;
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly origin: string;
  /** `http://localhost:PORT`: the same site under the name that it moves to. */
  readonly movedOrigin: string;
  readonly account: Account;
  /** For `authorization: Bearer` on the control endpoints. */
  readonly controlToken: string;
  readonly torrents: readonly FixtureTorrent[];
  /** Cardigann YAML for this site; its `links` are `origin`. Default login method: `form`. */
  definition: (options?: DefinitionOptions) => string;
  /** Changes switches at once. Fails with a `ZodError` for unknown ones. */
  set: (change: SwitchesPatch) => void;
  switches: () => Switches;
  /** Switches as at the start; effects, attempts, captchas and clearances forgotten. Logins stay. */
  reset: () => void;
  effects: () => Effects;
  /** Fails with `invalid_request` for an id that is not listed. */
  torrent: (id: number) => FixtureTorrent;
  /** Bytes as they are downloaded; fails like `torrent`. */
  torrentBytes: (id: number) => Buffer;
  /** Answer of the newest captcha, or of the newest for a visitor cookie or an image hash. Fails with `invalid_request` if there is none. */
  captchaAnswer: (key?: string) => string;
  /** The code that the second factor accepts now. */
  otpCode: () => string;
  /** A new login, as a `cookie` header: what a person copies from a browser into the `cookie` setting. */
  issueCookie: () => string;
  /** Ends every connection, waiting ones too. */
  close: () => Promise<void>;
}

/** Starts a site on 127.0.0.1. Fails with Node's own error when the port is taken. Any number can run side by side. */
export async function startFixtureSite(options: FixtureSiteOptions = {}): Promise<FixtureSite> {
  const family = options.family ?? 'nexusphp';
  const pages = family === 'nexusphp' ? nexusphpPages : unit3dPages;
  const account = createAccount(family, options.seed ?? 'fixture');
  const catalogue = createCatalogue({ family, passkey: account.passkey, now: options.now ?? new Date() });
  const visits = createVisits(family === 'nexusphp' ? plainCookie : laravelCookie);
  const effects = createEffectRecorder();
  const attempts = { failed: 0 };
  const clearances = new Set<string>();
  const controlToken = randomBytes(18).toString('base64url');
  const initial = applySwitches(defaultSwitches, options.switches ?? {});
  let switches = initial;

  const server = createServer((incoming, response) => void serve(incoming, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: options.port ?? 0 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port.');
  const { port } = address;
  const origin = `http://127.0.0.1:${port}`;
  const movedOrigin = `http://localhost:${port}`;
  const context: SiteContext = {
    family,
    account,
    catalogue,
    visits,
    effects,
    attempts,
    switches: () => switches,
    origin: () => origin,
    movedOrigin: () => movedOrigin,
  };

  const site: FixtureSite = {
    family,
    origin,
    movedOrigin,
    account,
    controlToken,
    torrents: catalogue.torrents,
    definition: (definitionOptions) => siteDefinition(family, origin, definitionOptions),
    set(change) {
      const next = applySwitches(switches, change);
      if (next.state === 'logged_out' && change.state !== undefined) visits.expireLogins();
      switches = next;
    },
    switches: () => switches,
    reset() {
      switches = initial;
      attempts.failed = 0;
      effects.reset();
      visits.reset();
      clearances.clear();
    },
    effects: effects.read,
    torrent(id) {
      const torrent = catalogue.find(String(id));
      if (torrent === undefined) throw new BrowserError('invalid_request', `There is no torrent ${id} on this site.`);
      return torrent;
    },
    torrentBytes: catalogue.bytes,
    captchaAnswer(key) {
      const digits = visits.captchaAnswer(key);
      if (digits === undefined) throw new BrowserError('invalid_request', 'The site has shown no such captcha.');
      return digits;
    },
    otpCode: () => totp(account.otpSecret, Date.now()),
    issueCookie() {
      const token = visits.logIn('issued');
      return family === 'nexusphp' ? loginCookies(token, context).join('; ') : `${account.cookieName}=${token}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    [Symbol.asyncDispose]: () => site.close(),
  };
  const control = {
    token: controlToken,
    set: site.set,
    reset: site.reset,
    switches: site.switches,
    effects: site.effects,
    answers: () => ({ captcha: visits.captchaAnswer() ?? null, otp: site.otpCode(), cookie: site.issueCookie() }),
  };
  return site;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      send(await answer(await readRequest(incoming)), response);
    } catch (error) {
      // Only what a client sent wrong is answered with its reason; the connection of an aborted request is gone.
      if (BrowserError.is(error)) send(json({ error: error.message }, 400), response);
      else response.destroy();
    }
  }

  async function answer(request: SiteRequest): Promise<Reply> {
    const controlled = controlAnswer(request, control);
    if (controlled !== null) return controlled;
    if (request.method === 'GET') effects.tally('pageHits', request.path);
    const asset = assets[request.path] ?? (request.path.startsWith('/pic/') ? assets['/pic/'] : undefined);
    const broken = await brokenAnswer(request, context, { pages, clearances });
    if (broken !== null) return broken;
    if (asset !== undefined) return asset;
    const lab = labAnswer(request, context);
    if (lab !== null) return lab;
    const where = { kind: pages.kindOf(request.path), path: request.path };
    const logins = isIn(switches, 'logged_out', where) ? 'logged_out' : 'normal';
    return pages.handle(request, context, { logins, restructured: isRestructured(context, where) });
  }
}

const assets: Readonly<Record<string, Reply>> = {
  '/favicon.ico': { status: 204, headers: {}, body: '' },
  '/robots.txt': { status: 200, headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /\n' },
  '/styles/fixture.css': {
    status: 200,
    headers: { 'content-type': 'text/css' },
    body: 'body{font:13px/1.5 sans-serif;margin:12px;color:#222}table{border-collapse:collapse}td,th{padding:4px 6px;vertical-align:top}.torrents>tbody>tr,.data-table tr{border-bottom:1px solid #ddd}nav ul,menu{display:flex;gap:14px;list-style:none;padding:0}.logo{font-size:22px;font-weight:bold}.colhead{background:#356;color:#fff}',
  },
  '/pic/': {
    status: 200,
    headers: { 'content-type': 'image/gif', 'cache-control': 'max-age=3600' },
    body: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  },
};

function plainCookie(): string {
  return randomBytes(16).toString('hex');
}

/** Laravel's cookies are percent-encoded base64, which copying tools like to break. */
function laravelCookie(): string {
  return `eyJpdiI6${randomBytes(60).toString('base64url')}%3D`;
}
