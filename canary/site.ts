import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type FixtureSite, startFixtureSite } from '@wheelhouse/testkit';
import type { Canaries } from './canaries.ts';
import { encodedForms } from './encodings.ts';

/** A tracker that shows its visitors' secrets wherever it can. */
export interface CanarySite extends AsyncDisposable {
  readonly origin: string;
  readonly username: string;
  /** Cardigann YAML of it. */
  readonly definition: string;
  /** Details page of an entry whose file can be captured. */
  readonly details: string;
  readonly page: (path: string) => string;
}

/**
 * The fixture site behind a proxy that plants canaries: in titles, cookies, headers, file names and files, and on pages
 * of its own under `/canary/`. Its login takes the canary for the password.
 */
export async function startCanarySite(canaries: Canaries): Promise<CanarySite> {
  const site = await startFixtureSite({ seed: canaries.path });
  const server = createServer((incoming, response) => {
    void answer(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const ours = (text: string) => text.replaceAll(site.origin, origin);

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', origin);
    const headers = { 'set-cookie': `tlx=${canaries.cookie}; Path=/`, 'x-api-key': canaries.header };
    const own = ownPage(url, canaries);
    if (own !== null) {
      response.writeHead(own.location === undefined ? 200 : 302, {
        ...headers,
        ...(own.location === undefined ? { 'content-type': 'text/html; charset=utf-8' } : { location: own.location }),
      });
      response.end(own.html);
      return;
    }
    const form = (await buffer(incoming)).toString('utf8');
    const answered = await fetch(site.origin + url.pathname + url.search, {
      method: incoming.method ?? 'GET',
      redirect: 'manual',
      headers: {
        ...(incoming.headers.cookie === undefined ? {} : { cookie: incoming.headers.cookie }),
        ...(incoming.headers['content-type'] === undefined ? {} : { 'content-type': incoming.headers['content-type'] }),
      },
      ...(form === '' ? {} : { body: withRealPassword(form, canaries, site) }),
    });
    const type = answered.headers.get('content-type') ?? 'text/html';
    const bytes = Buffer.from(await answered.arrayBuffer());
    const location = answered.headers.get('location');
    const isFile = type.startsWith('application/x-bittorrent');
    response.writeHead(answered.status, {
      ...headers,
      'set-cookie': [...answered.headers.getSetCookie(), headers['set-cookie']],
      'content-type': type,
      ...(location === null ? {} : { location: ours(location) }),
      ...(isFile ? { 'content-disposition': `attachment; filename="[${canaries['file name']}].Quiet.torrent"` } : {}),
    });
    response.end(isFile ? withBody(bytes, canaries, site) : planted(ours(bytes.toString('utf8')), type, canaries));
  }

  return {
    origin,
    username: site.account.username,
    definition: ours(site.definition()),
    details: `${origin}/details.php?id=${site.torrents[1]?.id}`,
    page: (path) => `${origin}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await site.close();
    },
  };
}

function withRealPassword(form: string, canaries: Canaries, site: FixtureSite): string {
  const fields = new URLSearchParams(form);
  if (fields.get('password') === canaries.password) fields.set('password', site.account.password);
  return fields.toString();
}

/** The file with the canary for the passkey; both are 32 hex digits, so its lengths stay right. */
function withBody(bytes: Buffer, canaries: Canaries, site: FixtureSite): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(site.account.passkey, canaries['download body']), 'latin1');
}

function planted(html: string, type: string, canaries: Canaries): string {
  return type.startsWith('text/html') ? html.replace('</title>', ` - passkey=${canaries.title}</title>`) : html;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Pages of this site alone. */
function ownPage(url: URL, canaries: Canaries): { readonly html: string; readonly location?: string } | null {
  if (url.pathname === '/canary/go') {
    return { html: '', location: `/canary/landing?id=7&passkey=${canaries.query}#sid=${canaries.query}` };
  }
  if (!url.pathname.startsWith('/canary/')) return null;
  const forms = encodedForms(canaries.password).map(({ bytes }) => `<li>${escaped(bytes.toString('utf8'))}</li>`);
  return {
    html: `<!DOCTYPE html><html><head><title>Profile - passkey=${canaries.title}</title></head><body>
<h1>Profile</h1>
<form method="post" action="/canary/form"><label>User <input name="username" value="harborfox"></label>
<label>Password <input type="password" name="password" value="${escaped(canaries.password)}"></label>
<button type="submit">Save</button></form>
<table><tr><td>Passkey</td><td>${canaries['table cell']}</td></tr><tr><td>Class</td><td>Power User</td></tr></table>
<p>Request: Cookie: tlx=${canaries.cookie}; lang=en</p>
<p>Request: X-Api-Key: ${canaries.header}</p>
<p><a href="/download.php?id=7&amp;passkey=${canaries.query}">Download</a>
<a href="/rss/${canaries.path}/feed">Feed</a> <a href="/canary/go?next=%2Fdl%3Fpasskey%3D${canaries.query}">Next</a></p>
${url.pathname === '/canary/page' ? '' : `<ul>${forms.join('\n')}</ul>`}</body></html>`,
  };
}
