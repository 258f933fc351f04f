import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { page, stillPages, synthetic } from './still-pages.ts';

const bigFile = Buffer.alloc(25_000_000, 65);
const two = (id: string) => id.padStart(2, '0');
const torrent = (id: string) =>
  Buffer.from(
    `d8:announce25:http://127.0.0.1/announce4:infod6:lengthi1e4:name6:file${two(id)}12:piece lengthi16384eee`,
  );

/** The site of the recordings, on loopback. */
export interface RecordedSite extends AsyncDisposable {
  readonly port: number;
  /** How often something was requested. */
  readonly hits: ReadonlyMap<string, number>;
  /** Starts counting anew. */
  forget(): void;
}

interface Visit {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly port: number;
  readonly hit: (key: string) => void;
  readonly seen: (key: string) => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** Starts it. `scale` times every delay. */
export async function startRecordedSite(scale: number): Promise<RecordedSite> {
  const hits = new Map<string, number>();
  const hit = (key: string) => hits.set(key, (hits.get(key) ?? 0) + 1);
  const seen = (key: string) => hits.get(key) ?? 0;
  const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms * scale));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const port = request.socket.localPort ?? 0;
    const visit = { path: url.pathname, query: url.searchParams, request, response, port, hit, seen, wait };
    answer(visit).catch(() => request.socket.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    hits,
    forget: () => hits.clear(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function answer(visit: Visit): Promise<void> {
  const { path, request, response } = visit;
  const html = (body: string, status = 200) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
    response.end(body);
  };
  const still = stillPages(visit)[path];
  if (still !== undefined && !(path === '/login' && request.method === 'POST')) return html(still);
  if (path.startsWith('/status/')) {
    const status = path.slice(8);
    return html(page(`Status ${status}`, `<h1>Status ${status}</h1><a href="/">home</a>`), Number(status));
  }
  const moving = movingPages[path];
  if (moving === undefined) return html(page('Not found', '<h1>Not found</h1>'), 404);
  const made = await moving(visit);
  if (typeof made === 'string') html(made);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

type Moving = (visit: Visit) => Promise<string | null> | string | null;

function attachment({ response }: Visit, bytes: Buffer, disposition: string): null {
  response.writeHead(200, {
    'content-type': 'application/x-bittorrent',
    'content-length': bytes.length,
    'content-disposition': disposition,
  });
  response.end(bytes);
  return null;
}

function plain({ response }: Visit, type: string, body: string | Buffer, status = 200): null {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
  return null;
}

function redirect({ response }: Visit, location: string): null {
  response.writeHead(302, { location });
  response.end();
  return null;
}

/** Pages that wait, count, break off or are no pages. */
const movingPages: Readonly<Record<string, Moving>> = {
  '/count': (visit) => {
    visit.hit(visit.query.get('k') ?? 'x');
    return plain(visit, 'text/plain', '', 204);
  },
  '/login': async (visit) => {
    const fields = new URLSearchParams(await bodyOf(visit.request));
    visit.hit('login-post');
    if (fields.get('password') !== synthetic.password)
      return plain(visit, 'text/html', page('Sign in failed', '<h1>Wrong password</h1>'), 403);
    visit.response.setHeader('set-cookie', [
      'sid=synthetic-sid-1; Path=/; HttpOnly',
      'pref=dark; Path=/; Max-Age=86400',
    ]);
    return redirect(visit, '/account');
  },
  '/download.php': (visit) => {
    const id = visit.query.get('id') ?? '';
    return attachment(visit, torrent(id), `attachment; filename="[site] file ${id}.torrent"`);
  },
  '/attachment-nav': (visit) => attachment(visit, torrent('3'), 'attachment; filename="nav.torrent"'),
  '/download-post': (visit) => {
    visit.hit('dl-post');
    return attachment(visit, torrent('9'), "attachment; filename*=UTF-8''na%C3%AFve%20%2F..%2Ffile.torrent");
  },
  '/download-big': (visit) => attachment(visit, bigFile, 'attachment; filename="big.bin"'),
  '/download-slow': async ({ response, query, wait }) => {
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': 1000,
      'content-disposition': 'attachment; filename="slow.bin"',
    });
    for (let i = 0; i < 10; i += 1) {
      await wait(Number(query.get('step') ?? 500));
      response.write(Buffer.alloc(100, 66));
    }
    response.end();
    return null;
  },
  '/download-cut': ({ request, response }) => {
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': 100_000,
      'content-disposition': 'attachment; filename="cut.bin"',
    });
    response.write(Buffer.alloc(5000, 67), () => setImmediate(() => request.socket.destroy()));
    return null;
  },
  '/text.nfo': (visit) => plain(visit, 'text/plain', 'nfo text'),
  '/slow': async ({ query, wait }) => {
    await wait(Number(query.get('ms') ?? 3000));
    return page('Slow', '<h1>Slow done</h1>');
  },
  '/slow-body': async ({ query, wait, response }) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<!doctype html><title>Slow body</title><h1>first</h1>');
    await wait(Number(query.get('ms') ?? 3000));
    response.end('<p>last</p>');
    return null;
  },
  '/never': () => null,
  '/reset': ({ request }) => {
    request.socket.destroy();
    return null;
  },
  '/redirect-host': (visit) => redirect(visit, `http://localhost:${visit.port}/landed?from=redirect`),
  '/redirect-loop': (visit) => redirect(visit, '/redirect-loop'),
  '/redirect-file': (visit) => redirect(visit, 'file:///etc/hostname'),
  '/form-post': async ({ request, query, hit, wait }) => {
    const body = await bodyOf(request);
    hit('form-post');
    await wait(Number(query.get('ms') ?? 0));
    return page('Posted', `<h1>Posted</h1><p>${body.replace(/[<&]/g, '_')}</p>`);
  },
  '/paged': async ({ query, hit, wait }) => {
    const at = Number(query.get('n') ?? 0);
    const ms = Number(query.get('ms') ?? 0);
    hit(`paged-${at}`);
    if (at > 0) await wait(ms);
    return page(`Page ${at}`, `<h1>Page ${at}</h1><a href="/paged?n=${at + 1}&ms=${ms}">Next</a>`);
  },
  '/wizard': async ({ request, query, hit, seen, wait }) => {
    const ms = Number(query.get('ms') ?? 0);
    if (request.method === 'POST') {
      await bodyOf(request);
      hit('wizard-post');
      await wait(ms);
    }
    const form = `<form method="post" action="/wizard?ms=${ms}"><input name="a" aria-label="A"><button>Continue</button></form>`;
    return page('Wizard', `<h1>Step ${seen('wizard-post')}</h1>${form}`);
  },
  '/pixel.png': (visit) => plain(visit, 'image/png', Buffer.from('89504e470d0a1a0a', 'hex')),
  '/doc.pdf': (visit) => plain(visit, 'application/pdf', '%PDF-1.4'),
  '/json': (visit) => plain(visit, 'application/json', '{"a":1}'),
  '/plain': (visit) => plain(visit, 'text/plain', 'plain text body'),
  '/no-content': (visit) => plain(visit, 'text/plain', '', 204),
  '/basic': (visit) => {
    if (visit.request.headers.authorization !== undefined) return page('Basic', '<h1>in</h1>');
    visit.response.setHeader('www-authenticate', 'Basic realm="x"');
    return plain(visit, 'text/html', '<h1>401 auth</h1>', 401);
  },
};
