import { Buffer } from 'node:buffer';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import type { DocumentAnswer, DocumentRequest, PageSource, StoredCookie } from './page-source.ts';

const maxRedirects = 20;
const maxBytes = 64 * 1024 * 1024;

/** An answer whose body may still be on its way. */
interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Promise<{ readonly bytes: Buffer; readonly cut: boolean }>;
  /** Goes on whatever becomes of the load that asked: files do. */
  readonly keep: () => void;
}

/**
 * Pages of a real site: fetched over plain HTTP with cookies a profile, redirects followed, forms posted, attachments as
 * files. Loopback only; any other host does not resolve.
 */
export class HttpPages implements PageSource {
  readonly #jars = new Map<string, StoredCookie[]>();

  async load(request: DocumentRequest): Promise<DocumentAnswer> {
    let url = new URL(request.url);
    let { method, form } = request;
    const seen: string[] = [];
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const refused = refuse(url);
      if (refused !== null) return { kind: 'failure', url: url.href, reason: refused };
      const answer = await this.#fetch(url, { ...request, method, form }).catch((error: unknown) => failureOf(error));
      if (typeof answer === 'string') return { kind: 'failure', url: url.href, reason: answer };
      this.#keepCookies(request.userId, url, answer.headers['set-cookie']);
      const location = answer.headers['location'];
      if (answer.status >= 300 && answer.status < 400 && typeof location === 'string') {
        const next = new URL(location, url);
        if (!/^https?:$/.test(next.protocol)) return { kind: 'failure', url: request.url, reason: 'blocked-redirect' };
        // Browsers go on to 20 hops; what comes by a third time will not end.
        seen.push(next.href);
        if (seen.filter((one) => one === next.href).length > 2) break;
        if (next.hash === '') next.hash = url.hash;
        url = next;
        if (answer.status !== 307 && answer.status !== 308) [method, form] = ['GET', null];
        continue;
      }
      return await answerOf(url, answer);
    }
    return { kind: 'failure', url: request.url, reason: 'redirect-loop' };
  }

  cookies(userId: string, url: string): string {
    return this.#matching(userId, new URL(url))
      .filter(({ httpOnly }) => !httpOnly)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  forget(userId: string): void {
    this.#jars.delete(userId);
  }

  addCookies(userId: string, cookies: readonly StoredCookie[]): void {
    for (const cookie of cookies) this.#store(userId, cookie);
  }

  stored(userId: string): readonly StoredCookie[] {
    return this.#jars.get(userId) ?? [];
  }

  #fetch(url: URL, { method, form, userId, signal }: DocumentRequest): Promise<Response> {
    const body = form === null ? null : form.toString();
    const cookie = this.#matching(userId, url)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const credentials =
      url.username === '' ? null : `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return new Promise((done, failed) => {
      const sent = httpRequest(url, {
        method,
        agent: false,
        headers: {
          'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
          accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
          'accept-language': 'en-US,en;q=0.5',
          ...(cookie === '' ? {} : { cookie }),
          ...(credentials === null ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
          ...(body === null
            ? {}
            : {
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': String(Buffer.byteLength(body)),
              }),
        },
      });
      const abort = () => sent.destroy();
      const keep = () => signal.removeEventListener('abort', abort);
      signal.addEventListener('abort', abort, { once: true });
      sent.on('error', failed);
      sent.on('response', (response) => {
        done({ status: response.statusCode ?? 0, headers: response.headers, body: bodyOf(response), keep });
      });
      sent.end(body ?? undefined);
    });
  }

  #matching(userId: string, url: URL): StoredCookie[] {
    return this.stored(userId).filter(
      ({ domain, path }) =>
        (url.hostname === domain || (domain.startsWith('.') && `.${url.hostname}`.endsWith(domain))) &&
        (url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`)),
    );
  }

  #keepCookies(userId: string, url: URL, lines: string | string[] | undefined): void {
    for (const line of typeof lines === 'string' ? [lines] : (lines ?? [])) {
      const cookie = readCookie(line, url);
      if (cookie !== null) this.#store(userId, cookie);
    }
  }

  #store(userId: string, cookie: StoredCookie): void {
    const jar = (this.#jars.get(userId) ?? []).filter(
      (old) => old.name !== cookie.name || old.domain !== cookie.domain || old.path !== cookie.path,
    );
    this.#jars.set(userId, cookie.value === '' ? jar : [...jar, cookie]);
  }
}

/** A `Set-Cookie` line, or what a script writes to `document.cookie`. Expired ones come with an empty value. */
export function readCookie(line: string, url: URL): StoredCookie | null {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const at = pair.indexOf('=');
  if (at < 1) return null;
  const facts = new Map(
    attributes.map((part) => [part.split('=')[0]?.toLowerCase() ?? '', part.split('=').slice(1).join('=')]),
  );
  const maxAge = facts.get('max-age');
  const expires = facts.get('expires');
  const over = maxAge === undefined ? expires !== undefined && Date.parse(expires) < Date.now() : Number(maxAge) <= 0;
  const domain = facts.get('domain');
  return {
    name: pair.slice(0, at),
    value: over ? '' : pair.slice(at + 1),
    domain: domain === undefined || domain === '' ? url.hostname : `.${domain.replace(/^\./, '')}`,
    path: facts.get('path') ?? '/',
    httpOnly: facts.has('httponly'),
  };
}

/** Hosts that this source reaches. */
function refuse(url: URL) {
  if (!/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname)) return 'unknown-host';
  if (url.protocol === 'https:') return 'certificate';
  return url.port === '1' ? 'refused' : null;
}

function failureOf(error: unknown): 'refused' | 'reset' {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED' ? 'refused' : 'reset';
}

/** Reads a body to its end. `cut`: the connection broke off before. */
function bodyOf(response: IncomingMessage): Promise<{ readonly bytes: Buffer; readonly cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((done) => {
    const end = (cut: boolean) => done({ bytes: Buffer.concat(chunks), cut });
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) response.destroy();
    });
    response.on('end', () => end(!response.complete));
    response.on('error', () => end(true));
    response.on('close', () => end(!response.complete));
  });
}

async function answerOf(url: URL, answer: Response): Promise<DocumentAnswer> {
  const type = header(answer, 'content-type') || 'text/html';
  const disposition = header(answer, 'content-disposition');
  const shown = /^(text\/|application\/(json|xhtml\+xml|xml|pdf)|image\/)/.test(type);
  if (answer.status === 204) return { kind: 'nothing', url: url.href };
  if (/^attachment/i.test(disposition) || !shown) {
    answer.keep();
    const filename = filenameOf(disposition) ?? decodeURIComponent(url.pathname.split('/').pop() ?? '');
    const arrival = answer.body.then(({ bytes, cut }) => ({ bytes, failure: cut ? 'canceled' : null }));
    return { kind: 'file', url: url.href, filename, arrival };
  }
  const { bytes, cut } = await answer.body;
  if (cut) return { kind: 'failure', url: url.href, reason: 'reset' };
  const html = /html|xml/.test(type) ? bytes.toString('utf8') : plainPage(type, bytes);
  return { kind: 'page', url: url.href, status: answer.status, page: { html, status: answer.status } };
}

function plainPage(type: string, body: Buffer): string {
  if (type.startsWith('image/')) return '';
  return `<pre>${body.toString('utf8').replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;
}

function header(answer: Response, name: string): string {
  const value = answer.headers[name];
  return typeof value === 'string' ? value : '';
}

function filenameOf(disposition: string): string | null {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  const plain = /filename="((?:[^"\\]|\\.)*)"|filename=([^;\s]+)/i.exec(disposition);
  return plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2] ?? null;
}
