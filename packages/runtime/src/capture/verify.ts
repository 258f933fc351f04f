import { fileTypeFromBuffer } from 'file-type';
import type { TorrentFacts } from '../ingest/sink.ts';
import { parsePage } from '../sites/page.ts';
import { judgeTorrent, maxTorrentBytes, type TorrentProblem } from './torrent.ts';

/** A file that has arrived. */
export interface ArrivedFile {
  /** Sanitised. */
  readonly filename: string;
  readonly sizeBytes: number;
  /** Size that the browser service claimed; `null` when it did not. */
  readonly claimedBytes: number | null;
  /** The first bytes, at most 4,100. */
  readonly head: Uint8Array;
  /** All of it; asked for only when it is small enough to be judged whole. */
  readonly bytes: () => Promise<Uint8Array>;
}

/** What a file turned out to be. */
export type Verified =
  | {
      readonly valid: true;
      /** By its bytes, not by its name or the server's word. */
      readonly mimeType: string;
      /** `secret` for all that may hold a passkey or a name; `blob` for pictures, sound, video and archives. */
      readonly kind: 'blob' | 'secret';
      readonly torrent: TorrentFacts | null;
    }
  | {
      readonly valid: false;
      readonly problem: TorrentProblem | 'size' | 'type';
      /** One sentence. Raw: it may quote the page that came instead. */
      readonly because: string;
    };

/** Types that hold nothing but media. */
const opaque =
  /^(?:image|audio|video|font)\/(?!svg)|^application\/(?:zip|gzip|x-(?:7z|rar|xz|bzip2|tar)|zstd|vnd\.rar)/;

/** Endings whose files are of one type; a file with such an ending and other bytes is not what was asked for. */
const promised: Readonly<Record<string, RegExp>> = {
  zip: /^application\/(?:zip|vnd\.)|^application\/java-archive/,
  rar: /rar/,
  '7z': /7z/,
  gz: /gzip/,
  pdf: /^application\/pdf/,
  png: /^image\/png/,
  jpg: /^image\/jpeg/,
  jpeg: /^image\/jpeg/,
  gif: /^image\/gif/,
};

/**
 * Judges a file by its bytes: its size against the claim, its type against its name, and a torrent as a whole. An error
 * page that is called `x.torrent` is told with what the page says.
 */
export async function verifyFile(file: ArrivedFile): Promise<Verified> {
  const wrong = (problem: Extract<Verified, { valid: false }>['problem'], because: string): Verified => ({
    valid: false,
    problem,
    because,
  });
  if (file.claimedBytes !== null && file.claimedBytes !== file.sizeBytes) {
    return wrong('size', `the file has ${file.sizeBytes} bytes, the browser service said ${file.claimedBytes}`);
  }
  const ending = /\.([a-z0-9]{1,8})$/i.exec(file.filename)?.[1]?.toLowerCase() ?? '';
  const start = Buffer.from(file.head).toString('latin1');
  if (ending === 'torrent' || /^d\d+:(?:announce|comment|created|creation|encoding|info)/.test(start)) {
    return judged(file, wrong);
  }
  const isPage = /^\s*(?:<!doctype html|<html)/i.test(start);
  const sniffed = (await fileTypeFromBuffer(file.head))?.mime;
  const type = sniffed ?? (isPage ? 'text/html' : isText(file.head) ? 'text/plain' : 'application/octet-stream');
  if (isPage && ending !== 'html' && ending !== 'htm' && ending !== '') {
    return wrong('html', `a page came instead of ${ending}${quoted(await pageText(file))}`);
  }
  const kept = promised[ending];
  if (kept !== undefined && !kept.test(type)) return wrong('type', `a file of type ${type} came instead of ${ending}`);
  return { valid: true, mimeType: type, kind: opaque.test(type) ? 'blob' : 'secret', torrent: null };
}

async function judged(
  file: ArrivedFile,
  wrong: (problem: TorrentProblem, because: string) => Verified,
): Promise<Verified> {
  if (file.sizeBytes > maxTorrentBytes) return wrong('too-large', `no torrent has ${file.sizeBytes} bytes`);
  const torrent = judgeTorrent(await file.bytes());
  if (torrent.valid) {
    return { valid: true, mimeType: 'application/x-bittorrent', kind: 'secret', torrent: torrent.facts };
  }
  const { problem } = torrent;
  if (problem === 'html') return wrong(problem, `a page came instead of a torrent${quoted(await pageText(file))}`);
  if (problem === 'json') {
    return wrong(
      problem,
      `an answer of the site came instead of a torrent${quoted(Buffer.from(file.head).toString())}`,
    );
  }
  return wrong(problem, `the file is no sound torrent (${problem})`);
}

/** What a page says, as far as its first bytes go. */
async function pageText(file: ArrivedFile): Promise<string> {
  const { title, text } = parsePage('about:blank', Buffer.from(file.head).toString('utf8'));
  return [title, text].filter((part) => part !== '').join(': ');
}

function quoted(text: string): string {
  const folded = text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
  return folded === '' ? '' : `: ${folded}`;
}

function isText(head: Uint8Array): boolean {
  return !head.includes(0) && head.length > 0;
}
