import { spelled } from './spelled.ts';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { accessGate } from './auth.ts';
import type { MockBrowser } from './browser.ts';
import type { Answer, Call } from './call.ts';
import { countsAsNavigation } from './clicking.ts';
import { applies, type Fault, type Faults } from './faults.ts';
import type { Route } from './route-table.ts';
import { answerTo, isGoneAway, UpstreamError } from './upstream-error.ts';
import { pause } from './waiting.ts';

const bodyLimit = 100 * 1024;
const evaluateBodyLimit = 1024 * 1024;

/** One call that was answered, for tests to look at. */
export interface RecordedCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Of the answer; `null` when a fault swallowed it. */
  readonly status: number | null;
  readonly ms: number;
}

interface Parts {
  readonly browser: MockBrowser;
  readonly routes: readonly Route[];
  readonly faults: Faults;
  readonly record: (call: RecordedCall) => void;
}

/** The HTTP side: reads a request as Express does, lets faults happen, answers. */
export function httpServer(parts: Parts): Server {
  const find = router(parts.routes);
  return createServer((request, response) => {
    void serve(parts, find, request, response).catch(() => response.destroy());
  });
}

type Found = { readonly route: Route; readonly params: Readonly<Record<string, string>> };

function router(routes: readonly Route[]) {
  const compiled = routes.map((route) => ({ route, parts: route.path.split('/') }));
  return (method: string, path: string): Found | null => {
    const given = path.length > 1 && path.endsWith('/') ? path.slice(0, -1).split('/') : path.split('/');
    for (const { route, parts } of compiled) {
      if (route.method !== method || parts.length !== given.length) continue;
      const params: Record<string, string> = {};
      const fits = parts.every((part, at) => {
        const own = given[at] ?? '';
        if (!part.startsWith(':')) return part === own;
        params[part.slice(1)] = decode(own);
        return own !== '';
      });
      if (fits) return { route, params };
    }
    return null;
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function serve(
  parts: Parts,
  find: ReturnType<typeof router>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const began = performance.now();
  const { method = 'GET' } = request;
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
  const isEvaluate = method === 'POST' && /^\/tabs\/[^/]+\/evaluate$/.test(path);
  const read = await readBody(request, isEvaluate ? evaluateBodyLimit : bodyLimit);
  const query = new URLSearchParams(search);
  const found = find(method, path);
  const body = 'body' in read ? read.body : undefined;
  const call: Call = { method, path, params: found?.params ?? {}, query, body, headers: request.headers };
  const fault = parts.faults.take({ method, path, kind: body?.['kind'] });
  if (fault?.ms !== undefined) await pause(fault.ms);
  const answer = fault === null || applies(fault.kind) ? await answerOf(parts, call, found, read) : null;
  const status = fault === null || fault.kind === 'delay' ? (answer?.status ?? null) : null;
  parts.record({
    method,
    path,
    query: Object.fromEntries(query),
    body,
    status,
    ms: performance.now() - began,
  });
  if (fault === null || fault.kind === 'delay') send(response, answer ?? htmlPage(500, 'Error'));
  else misbehave(response, fault, answer);
}

type ReadBody = { readonly body: Readonly<Record<string, unknown>> | undefined } | { readonly broken: Answer };

async function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  if (request.method === 'GET') {
    request.resume();
    return { body: undefined };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= limit) chunks.push(bytes);
  }
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  if (!isJson || size === 0) return { body: undefined };
  if (size > limit) return { broken: htmlPage(413, 'PayloadTooLargeError: request entity too large') };
  try {
    const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof parsed !== 'object' || parsed === null) throw new SyntaxError('Unexpected token in JSON');
    return { body: Object.fromEntries(Object.entries(parsed)) };
  } catch (error) {
    return { broken: htmlPage(400, `SyntaxError: ${error instanceof Error ? error.message : ''}`) };
  }
}

async function answerOf({ browser }: Parts, call: Call, found: Found | null, read: ReadBody): Promise<Answer> {
  const { settings } = browser;
  if ('broken' in read) return settings.production ? plainPage(read.broken.status) : read.broken;
  const refused = accessGate(call, settings);
  if (refused !== null) return refused;
  if (found === null) return htmlPage(404, `Cannot ${call.method} ${call.path}`);
  try {
    return await found.route.handler(call, browser);
  } catch (error) {
    if (!(error instanceof UpstreamError)) return { status: 500, json: { error: messageOf(error), retryable: false } };
    const userId = call.body?.['userId'] ?? call.query.get('userId');
    if (userId && isGoneAway(error)) browser.destroySession(spelled(userId));
    if (userId && countsAsNavigation(error, call.path)) browser.countTimeout(spelled(userId));
    const { status, body } = answerTo(error, settings.production);
    return { status, json: body };
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : spelled(error));

const plainPage = (status: number) =>
  htmlPage(status, { 400: 'Bad Request', 413: 'Payload Too Large' }[status] ?? 'Error');

/** An error page of Express. */
function htmlPage(status: number, text: string): Answer {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const content = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>${safe}</pre>\n</body>\n</html>\n`;
  return { status, type: 'text/html; charset=utf-8', content };
}

function send(response: ServerResponse, answer: Answer): void {
  const { headers, bytes } = encoded(answer);
  response.writeHead(answer.status, headers);
  response.end(bytes);
}

function encoded(answer: Answer) {
  const bytes = 'json' in answer ? Buffer.from(JSON.stringify(answer.json)) : Buffer.from(answer.content);
  const headers = {
    'X-Powered-By': 'Express',
    'Content-Type': 'json' in answer ? 'application/json; charset=utf-8' : answer.type,
    'Content-Length': spelled(bytes.length),
    ...('json' in answer ? { ETag: etag(bytes), ...answer.headers } : {}),
  };
  return { headers, bytes };
}

function etag(bytes: Buffer): string {
  return `W/"${bytes.length.toString(16)}-${createHash('sha1').update(bytes).digest('base64').slice(0, 27)}"`;
}

function misbehave(response: ServerResponse, fault: Fault, answer: Answer | null): void {
  const { status, body } = fault;
  switch (fault.kind) {
    case 'reset-before-headers':
    case 'apply-then-reset':
      response.socket?.resetAndDestroy();
      return;
    case 'reset-after-headers':
    case 'half-body': {
      const { headers, bytes } = encoded(answer ?? htmlPage(500, 'Error'));
      response.writeHead(answer?.status ?? 500, headers);
      const cut = () => response.socket?.destroy();
      if (fault.kind === 'half-body') response.write(bytes.subarray(0, bytes.length >> 1), cut);
      else {
        response.flushHeaders();
        setImmediate(cut);
      }
      return;
    }
    case 'wrong-json':
      send(response, { status: status ?? 200, json: { unexpected: true, ...(isObject(body) ? body : {}) } });
      return;
    case 'html-error':
      send(response, { status: status ?? 502, type: 'text/html', content: '<html><h1>502 Bad Gateway</h1></html>' });
      return;
    case 'status':
      send(response, { status: status ?? 500, json: isObject(body) ? body : { error: 'injected' } });
      return;
    case 'delay':
    case 'stall':
    case 'apply-then-stall':
      // Held until the caller gives up.
      return;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
