import { isAlnum, isBlank, isDigit, isSpace } from './characters.ts';
import { classifyKey } from './classify-key.ts';
import { lastWithin, percentAt } from './escapes.ts';
import type { Sheet } from './sheet.ts';

/** Names before a token that make it a digest or an id. */
const publicLabel =
  /(?:\b(?:md[45]|sha-?\d{0,3}|info[-_ ]?hash(?:es)?|btih|btmh|etag|crc-?\d{0,2}|ed2k|checksum|digest|commit|revision|rev|integrity|fingerprint|traceparent|trace|span|blake\d?[sb]?|xxh\d*|tth|thumbprint|pieces root|unique id|u?uid|guid|media-?info|nonce|build|version|kid)|\bhash(?:es)?|[a-z](?:Hash|Id|Uuid|Etag|Sha\d*|Md5|Digest)|散列值?|哈希值?|校验和?|特征码|hash码|hash值)["'\\`\])]{0,4}\s{0,3}(?:[:=：|]|is|\s-|-)?["'\\`\s(*]{0,6}(?:w\/\\?"(?:[0-9a-f]{1,8}-)?|v\d:|sha\d+:)?$/iu;

/** How far back a label is looked for. */
const labelReach = 56;

/** True when the words right before `start` say that a digest or an id follows. */
export function hasPublicLabel(sheet: Sheet, start: number): boolean {
  const { text } = sheet;
  if (text.charCodeAt(start) === 48 && (text.charCodeAt(start + 1) | 32) === 120) return true;
  if (text.charCodeAt(start - 1) === 64) return true;
  let from = Math.max(sheet.from, start - labelReach);
  const line = lastWithin(text, 10, start - 1, from);
  if (line >= from) from = line + 1;
  const before = text.slice(from, start);
  if (publicLabel.test(before)) return true;
  // The neighbouring cell or line: `- cell "MD5"`, then `- cell "…"`.
  return (
    line >= 0 &&
    start - line <= 32 &&
    /^\s*- (?:\w+ )?["']?$/.test(before.replace(/: ["']?$/, ' ')) &&
    isPublicLine(sheet, line)
  );
}

function isPublicLine(sheet: Sheet, lineEnd: number): boolean {
  const lowest = Math.max(sheet.from, lineEnd - 80);
  const from = Math.max(lowest, lastWithin(sheet.text, 10, lineEnd - 1, lowest) + 1);
  const label = /(?:"|: )([^"]{2,24}?)["':：]{0,3}$/.exec(sheet.text.slice(from, lineEnd))?.[1];
  return label !== undefined && publicLabel.test(`${label}: `);
}

const checksumTail = /^(?: [ *]| {2,4})[^\s"'<>]{1,200}\.[A-Za-z0-9]{1,6}\b/;

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
    while (i < highest && (isAlnum(text.charCodeAt(i)) || text.charCodeAt(i) === 45 || text.charCodeAt(i) === 46)) i++;
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

/** Blanks before `at` are skipped; the position of the last character that is none. */
function lastSolid(text: string, at: number, lowest: number): number {
  let i = at - 1;
  while (i >= lowest && isBlank(text.charCodeAt(i))) i--;
  return i;
}
