import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { BrowserError } from '@wheelhouse/contracts';
import type { Markup } from './markup.ts';

/** One request, read to its end. */
export interface SiteRequest {
  readonly method: string;
  /** Absolute, with the host name that the visitor used. */
  readonly url: URL;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly cookies: ReadonlyMap<string, string>;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came; at most 1 MiB. */
  readonly body: string;
  /** The body as a form; empty for any other content type. */
  readonly form: URLSearchParams;
}

/** One answer. A function as body writes to the connection itself: slow, broken and endless answers. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer | ((response: ServerResponse) => void);
}

const largestBody = 1024 * 1024;

/** Reads a request to its end. Fails with `invalid_request` when the body is larger than 1 MiB. */
export async function readRequest(incoming: IncomingMessage): Promise<SiteRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > largestBody) throw new BrowserError('invalid_request', 'The body is larger than 1 MiB.');
    chunks.push(bytes);
  }
  const body = Buffer.concat(chunks).toString('utf8');
  const url = new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? '127.0.0.1'}`);
  const isForm = (incoming.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  return {
    method: incoming.method ?? 'GET',
    url,
    path: url.pathname,
    query: url.searchParams,
    cookies: parseCookies(incoming.headers.cookie ?? ''),
    headers: incoming.headers,
    body,
    form: new URLSearchParams(isForm ? body : ''),
  };
}

/** Cookies by name, values as they were sent. */
function parseCookies(header: string): ReadonlyMap<string, string> {
  const pairs = header.split(';').map((pair) => pair.trim());
  return new Map(
    pairs.flatMap((pair) => {
      const equals = pair.indexOf('=');
      return equals > 0 ? [[pair.slice(0, equals), pair.slice(equals + 1)] as const] : [];
    }),
  );
}

/** A page as the site's own server sends it. */
export function page(content: Markup, status = 200, headers: OutgoingHttpHeaders = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: `<!DOCTYPE html>\n${content.html}`,
  };
}

/** A redirect with status 302, as PHP's and Laravel's are. */
export function redirect(location: string, headers: OutgoingHttpHeaders = {}): Reply {
  return { status: 302, headers: { location, ...headers }, body: '' };
}

/** A JSON answer. */
export function json(value: unknown, status = 200): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(value),
  };
}

/** A file that a browser saves. Names outside ASCII go into `filename*` (RFC 6266). */
export function attachment(bytes: Buffer, fileName: string, contentType: string): Reply {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\]/g, '_');
  return {
    status: 200,
    headers: {
      'content-type': contentType,
      'content-length': bytes.length,
      'content-disposition': `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
    },
    body: bytes,
  };
}

/** Puts an answer on the wire. */
export function send(reply: Reply, response: ServerResponse): void {
  if (response.destroyed) return;
  if (typeof reply.body === 'function') {
    reply.body(response);
    return;
  }
  response.writeHead(reply.status, reply.headers);
  response.end(reply.body);
}
