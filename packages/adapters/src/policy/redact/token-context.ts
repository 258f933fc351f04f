import { isAlnum, isBlank, isDigit, isSpace } from './characters.ts';
import { classifyKey } from './classify-key.ts';
import { percentAt } from './escapes.ts';
import type { Sheet } from './sheet.ts';

/** Last words of labels behind which a digest or an id stands. */
const publicWords: ReadonlySet<string> = new Set(
  `md4 md5 sha sha1 sha224 sha256 sha384 sha512 hash hashes infohash btih btmh etag crc crc32 ed2k checksum digest commit
   revision rev integrity fingerprint traceparent trace span blake2 blake2b blake2s blake3 xxh xxh3 xxh64 tth thumbprint
   root id uid uuid guid nonce build version kid acoustid`.split(/\s+/),
);
const publicWide = /(?:散列值?|哈希值?|校验和?|特征码|hash[码值])$/i;
const publicCamel = /[a-z](?:Hash|Id|Uuid|Etag|Sha\d{0,3}|Md5|Digest)$/;

/** How far back a label is looked for. */
const labelReach = 24;

/** True when the words right before `start` say that a digest or an id follows. */
export function hasPublicLabel(sheet: Sheet, start: number): boolean {
  const { text } = sheet;
  if (text.charCodeAt(start) === 48 && (text.charCodeAt(start + 1) | 32) === 120) return true;
  if (text.charCodeAt(start - 1) === 64) return true;
  const end = labelEnd(sheet, start);
  if (endsPublic(sheet, end)) return true;
  return isEtag(sheet, start);
}

/** A weak entity tag, `W/"5f3-…"`: base64 in quotes, of which a slash or plus may have cut off what stands before `start`. */
function isEtag(sheet: Sheet, start: number): boolean {
  const { text } = sheet;
  const c = text.charCodeAt(start - 1);
  if (c !== 45 && c !== 47 && c !== 43) return false;
  let from = start - 1;
  const lowest = Math.max(sheet.from, start - 48);
  while (from > lowest && (isAlnum(text.charCodeAt(from - 1)) || isBase64Sign(text.charCodeAt(from - 1)))) from--;
  if (text.charCodeAt(from - 1) !== 34) return false;
  let quote = from - 1;
  while (quote > lowest && text.charCodeAt(quote - 1) === 92) quote--;
  if (text.charCodeAt(quote - 1) === 47 && text.charCodeAt(quote - 2) === 87) return true;
  return endsPublic(sheet, labelEnd(sheet, quote));
}

function isBase64Sign(c: number): boolean {
  return c === 43 || c === 45 || c === 47 || c === 95;
}

/** Where the label in front of `start` ends: blanks, quotes, signs and brackets are skipped, and one line end with its `- cell`. */
function labelEnd(sheet: Sheet, start: number): number {
  const { text } = sheet;
  const lowest = Math.max(sheet.from, start - labelReach);
  let at = start;
  let lines = 0;
  while (at > lowest) {
    const c = text.charCodeAt(at - 1);
    if (c === 10 && lines++ > 0) break;
    if (c === 10 || c === 13 || isLabelGap(c)) at--;
    else if (lines === 0 && isRoleStart(sheet, at)) at = lineBreakBefore(sheet, at);
    else break;
  }
  return at;
}

function isLabelGap(c: number): boolean {
  return (
    isBlank(c) ||
    c === 34 ||
    c === 39 ||
    c === 96 ||
    c === 92 ||
    c === 58 ||
    c === 0xff1a ||
    c === 61 ||
    c === 40 ||
    c === 42 ||
    c === 47 ||
    c === 44 ||
    c === 93 ||
    c === 41
  );
}

/** The word that ends at `at` is the role of a snapshot's line: `- cell "…`. */
function isRoleStart(sheet: Sheet, at: number): boolean {
  return lineBreakBefore(sheet, at) !== at;
}

function lineBreakBefore(sheet: Sheet, at: number): number {
  const { text } = sheet;
  let i = at;
  while (i > sheet.from && at - i < 10 && text.charCodeAt(i - 1) >= 97 && text.charCodeAt(i - 1) <= 122) i--;
  if (i === at || text.charCodeAt(i - 1) !== 32 || text.charCodeAt(i - 2) !== 45) return at;
  i -= 2;
  while (i > sheet.from && at - i < 40 && isBlank(text.charCodeAt(i - 1))) i--;
  return text.charCodeAt(i - 1) === 10 ? i : at;
}

function endsPublic(sheet: Sheet, end: number): boolean {
  const { text } = sheet;
  let from = end;
  while (from > sheet.from && end - from < 16 && isAlnum(text.charCodeAt(from - 1))) from--;
  // SHA-1, CRC-32: the digits belong to the word before.
  if (text.charCodeAt(from - 1) === 45 && isDigit(text.charCodeAt(from))) {
    from--;
    while (from > sheet.from && end - from < 16 && isAlnum(text.charCodeAt(from - 1))) from--;
  }
  const word = text.slice(from, end);
  if (publicWords.has(word.toLowerCase().replace('-', '')) || publicCamel.test(word)) return true;
  return text.charCodeAt(end - 1) > 127 && publicWide.test(text.slice(Math.max(sheet.from, end - 6), end));
}

const checksumTail = /^ {1,4}\*?[^\r\n"<>]{1,200}\.[A-Za-z0-9]{2,5}(?=[\s"]|$)/;

/** `<digest> *file.mkv`, as md5sum prints it. */
export function isChecksumLine(sheet: Sheet, start: number, end: number): boolean {
  const c = sheet.text.charCodeAt(start - 1);
  const first = start === sheet.from || isSpace(c) || c === 34;
  return first && checksumTail.test(sheet.text.slice(end, Math.min(sheet.to, end + 220)));
}

/** A position inside an address or path: its segment and what stands before it. */
export interface PathPlace {
  /** Segments before the one with the token, nearest first, lower case. At most four. */
  readonly before: readonly string[];
  /** Segment after it, lower case, or empty. */
  readonly after: string;
  /** Rest of the token's own segment behind the token. */
  readonly tail: string;
  /** What stands before the token in its own segment. */
  readonly head: string;
}

/** How far a path is read in either direction. */
const pathReach = 200;

/** The place of a token in a path with at least one slash before it; undefined for a token elsewhere. */
export function pathPlace(sheet: Sheet, start: number, end: number): PathPlace | undefined {
  const { text } = sheet;
  const lowest = Math.max(sheet.from, start - pathReach);
  const segments: string[] = [];
  let segmentEnd = start;
  let head = '';
  let at = start;
  while (at > lowest && segments.length < 4) {
    const slash = slashBefore(text, at);
    if (slash >= 0) {
      const segment = text.slice(at, segmentEnd);
      if (segmentEnd === start) head = segment;
      else segments.push(segment.toLowerCase());
      at = slash;
      segmentEnd = at;
      if (segments.length === 0 && head === '' && text.charCodeAt(at - 1) === 47) break;
      continue;
    }
    const c = text.charCodeAt(at - 1);
    if (isPathStop(c)) break;
    at--;
  }
  if (segmentEnd === start) return undefined;
  if (segments.length < 4 && at < segmentEnd) segments.push(text.slice(at, segmentEnd).toLowerCase());
  const highest = Math.min(sheet.to, end + pathReach);
  let tailEnd = end;
  while (tailEnd < highest && !isPathStop(text.charCodeAt(tailEnd)) && slashAt(text, tailEnd) < 0) tailEnd++;
  let after = '';
  const next = slashAt(text, tailEnd);
  if (next >= 0) {
    let i = next;
    while (i < highest && !isPathStop(text.charCodeAt(i)) && slashAt(text, i) < 0) i++;
    after = text.slice(next, i).toLowerCase();
  }
  return {
    before: segments.map((segment) => segment.replace(/[?#].*$/, '')),
    after,
    tail: text.slice(end, tailEnd),
    head,
  };
}

function isPathStop(c: number): boolean {
  return (
    isSpace(c) ||
    c === 34 ||
    c === 39 ||
    c === 60 ||
    c === 62 ||
    c === 96 ||
    c === 63 ||
    c === 38 ||
    c === 35 ||
    c === 61 ||
    c === 40 ||
    c === 44 ||
    Number.isNaN(c)
  );
}

/** Start of the slash (`/`, `\/`, `%2F` of any level) that ends before `at`, or -1. */
function slashBefore(text: string, at: number): number {
  const c = text.charCodeAt(at - 1);
  if (c === 47) return text.charCodeAt(at - 2) === 92 ? at - 2 : at - 1;
  if (c !== 70 && c !== 102) return -1;
  if (text.charCodeAt(at - 2) !== 50) return -1;
  let i = at - 3;
  while (text.charCodeAt(i) === 53 && text.charCodeAt(i - 1) === 50) i -= 2;
  return text.charCodeAt(i) === 37 ? i : -1;
}

/** End of the slash at `at`, or -1. */
function slashAt(text: string, at: number): number {
  const c = text.charCodeAt(at);
  if (c === 47) return at + 1;
  if (c === 92 && text.charCodeAt(at + 1) === 47) return at + 2;
  const escape = c === 37 ? percentAt(text, at) : undefined;
  return escape?.code === 47 ? escape.end : -1;
}

/** Name of the parameter whose value holds `start` directly behind its sign, or undefined. */
export function parameterBefore(sheet: Sheet, start: number): string | undefined {
  const { text } = sheet;
  let at = start - 1;
  if (text.charCodeAt(at) === 34 || text.charCodeAt(at) === 39) at--;
  const sign = signBefore(text, at);
  if (sign < 0) return undefined;
  let from = sign;
  while (from > sheet.from && sign - from < 48) {
    const c = text.charCodeAt(from - 1);
    if (!isAlnum(c) && c !== 95 && c !== 45 && c !== 46) break;
    from--;
  }
  return text.slice(from, sign).toLowerCase();
}

/** Start of the `=` (or `%3D` of any level) that ends at `at`, or -1. */
function signBefore(text: string, at: number): number {
  const c = text.charCodeAt(at);
  if (c === 61) return at;
  if ((c !== 68 && c !== 100) || text.charCodeAt(at - 1) !== 51) return -1;
  let i = at - 2;
  while (text.charCodeAt(i) === 53 && text.charCodeAt(i - 1) === 50) i -= 2;
  return text.charCodeAt(i) === 37 ? i : -1;
}

/** Parameters whose values are ids, names, digests and texts. */
const publicParameter =
  /^(?:.*(?:hash(?:es)?|md5|sha\d*|etag|digest|checksum|uuid|guid|_?id|ids|name|title|rev|version|file|q|query|search|thumb|image|img|icon|src|cover|poster|v|ver|commit|integrity|fingerprint|range|boundary)|dn|xt|cat|kt|mt|t|ts)$/;

/** Whether the value of this parameter may look random without being a credential. */
export function isPublicParameter(name: string): boolean {
  return publicParameter.test(name) && classifyKey(name) === null;
}

/** One piece of a UUID, or of a trace parent: hex groups joined by hyphens. */
export function isHyphenGroup(sheet: Sheet, start: number, end: number): boolean {
  const { text } = sheet;
  const left = text.charCodeAt(start - 1) === 45 && isHexGroup(text, start - 5, start - 1);
  const right = text.charCodeAt(end) === 45 && isHexGroup(text, end + 1, end + 5);
  const trace = text.charCodeAt(start - 1) === 45 && isDigit(text.charCodeAt(start - 2)) && text.charCodeAt(end) === 45;
  return left || right || trace;
}

function isHexGroup(text: string, start: number, end: number): boolean {
  return /^[0-9a-f]{4}$/i.test(text.slice(start, end));
}
