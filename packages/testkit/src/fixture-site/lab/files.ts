import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { attachment, page, type Reply, type SiteRequest } from '../http.ts';
import { markup } from '../markup.ts';
import type { SiteContext } from '../site-context.ts';
import { bounded, labPage } from './layout.ts';

/** Size of `/lab/download/large`: 25 MiB. */
export const largeFileBytes = 25 * 1024 * 1024;
const blockBytes = 64 * 1024;

/** SHA-256 (hex) of the first `bytes` bytes that every generated download is made of. */
export function generatedSha256(bytes: number): string {
  const hash = createHash('sha256');
  for (const part of blocks(bytes)) hash.update(part);
  return hash.digest('hex');
}

/** `/lab/downloads`: links to every kind of file that a capture has to cope with. */
export function downloadsPage(context: SiteContext): Reply {
  return labPage(
    'Downloads',
    markup`<ul>${Object.keys(files).map((name) => markup`<li><a href="/lab/download/${name}">${name}</a></li>`)}
<li><a href="/lab/download/attribute" download="named-by-link.bin">named by the link</a></li>
<li><a href="${context.movedOrigin()}/lab/download/small">from another host</a></li></ul>`,
  );
}

/** `/lab/download/NAME`, counted as `lab:NAME`. */
export function downloadFile(request: SiteRequest, context: SiteContext): Reply {
  const name = request.path.slice('/lab/download/'.length);
  const file = files[name];
  if (file === undefined) return page(markup`<title>Not Found</title><p>No such file.</p>`, 404);
  context.effects.tally('downloads', `lab:${name}`);
  context.effects.record('download', `lab:${name}`);
  return file(request);
}

const files: Readonly<Record<string, (request: SiteRequest) => Reply>> = {
  small: () => attachment(Buffer.from('fixture\n'), 'small.txt', 'text/plain'),
  empty: () => attachment(Buffer.alloc(0), 'empty.torrent', 'application/x-bittorrent'),
  large: () => stream('large.bin', largeFileBytes, { 'content-length': largeFileBytes }),
  /** `bytes` (default 64 KiB) spread over `ms` (default 5 s), without a length. */
  slow: ({ query }) =>
    stream(
      'slow.bin',
      bounded(query, 'bytes', { fallback: blockBytes, max: largeFileBytes }),
      {},
      bounded(query, 'ms', { fallback: 5_000, max: 120_000 }),
    ),
  /** Promises 1 MiB and breaks the connection after 64 KiB. */
  cut: () => ({
    status: 200,
    headers: {},
    body: (response) => {
      response.writeHead(200, { ...fileHeaders('cut.bin'), 'content-length': 1024 * 1024 });
      response.write(block(0, blockBytes), () => response.socket?.resetAndDestroy());
    },
  }),
  /** A page that the browser shows itself instead of saving it. */
  'inline.pdf': () => ({
    status: 200,
    headers: { 'content-type': 'application/pdf', 'content-disposition': 'inline; filename="inline.pdf"' },
    body: pdf(),
  }),
  /** No name, no disposition: only the type makes it a download. */
  nameless: () => ({ status: 200, headers: { 'content-type': 'application/octet-stream' }, body: block(0, 1_000) }),
  attribute: () => ({ status: 200, headers: { 'content-type': 'application/octet-stream' }, body: block(0, 2_000) }),
  /** What trackers send instead of a file when a limit is reached: a page with status 200. */
  'page.torrent': () =>
    page(markup`<html lang="en"><title>Error</title><h2>You have reached your daily download limit.</h2></html>`),
  /** A name that tries to leave the download folder. */
  traversal: () => attachment(Buffer.from('fixture\n'), '../../../etc/evil\u202etxt.exe', 'application/octet-stream'),
};

function stream(fileName: string, bytes: number, headers: Record<string, number>, ms = 0): Reply {
  const body = (response: ServerResponse) => {
    response.writeHead(200, { ...fileHeaders(fileName), ...headers });
    // A visitor may leave in the middle; that is no failure of the site.
    pipeline(Readable.from(ms === 0 ? blocks(bytes) : slowly(bytes, ms)), response).catch(() => undefined);
  };
  return { status: 200, headers: {}, body };
}

function fileHeaders(fileName: string) {
  return { 'content-type': 'application/octet-stream', 'content-disposition': `attachment; filename="${fileName}"` };
}

function* blocks(bytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes; at += blockBytes) yield block(at, Math.min(blockBytes, bytes - at));
}

async function* slowly(bytes: number, ms: number): AsyncGenerator<Buffer> {
  const parts = 20;
  const part = Math.ceil(bytes / parts);
  for (let at = 0; at < bytes; at += part) {
    yield block(at, Math.min(part, bytes - at));
    await sleep(ms / parts);
  }
}

/** Bytes that name their own place: a repeated or missing block changes the checksum. */
function block(at: number, length: number): Buffer {
  const text = `${String(at).padStart(15, '0')}\n`;
  return Buffer.alloc(length, text);
}

function pdf(): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${text}xref\n0 4\n0000000000 65535 f \n${table}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}
