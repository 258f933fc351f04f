import { isAlnum } from './characters.ts';
import { mark, type Sheet } from './sheet.ts';
import { ruleIndex } from './rules.ts';
import { findsSecret } from './rescan.ts';

const base64Rule = ruleIndex('base64');
const jwtRule = ruleIndex('jwt');

/** Longest encoded text that is decoded, characters. */
const longest = 65_536;

/** First characters of pictures, fonts and archives in base64. */
const media =
  /^(?:iVBORw0KGgo|R0lGOD|\/9j\/|d09GM|d09GMg|UklGR|AAABAA|Qk0|PHN2Zy|JVBERi|H4sI|UEsDB|AAEAAAA|T1RUTw|SUkq|TU0AK|GkXfo|T2dnUw|SUQz)/;

const mediaType = /data:(?:image|font|audio|video)\/[\w.+-]{1,20};base64,$/;

/** The letters of both base64 alphabets. */
function isBase64(c: number): boolean {
  return isAlnum(c) || c === 43 || c === 47 || c === 45 || c === 95;
}

/**
 * Masks the run around `start`..`end` when it is a JSON web token, or base64 of something with a secret in it.
 *
 * Returns where the run is over when that settles it, also for pictures and for plain words in base64; 0 when its
 * shape remains to be judged.
 */
export function maskEncoded(sheet: Sheet, start: number, end: number): number {
  const { text } = sheet;
  if (end - start < 20 || /sha\d{3}-$/.test(text.slice(Math.max(sheet.from, start - 7), start))) return 0;
  const jwtEnd = text.startsWith('eyJ', start) ? maskJwt(sheet, start) : 0;
  if (jwtEnd > 0) return jwtEnd;
  let from = start;
  const lowest = Math.max(sheet.from, start - 8);
  while (from > lowest && isBase64(text.charCodeAt(from - 1))) from--;
  if (from === lowest && from > sheet.from) from = start;
  // A slash may be part of the code or of a path: both readings are tried.
  for (const at of from === start ? [start] : [from, start]) {
    if (isMedia(sheet, at)) return codeEnd(sheet, at, end);
    if (!beginsWritten(text, at, Math.min(sheet.to, at + 32))) continue;
    const to = codeEnd(sheet, at, end);
    const written = decode(text.slice(at, to));
    if (written === undefined) continue;
    if (findsSecret(sheet, written)) mark(sheet, base64Rule, at, to);
    return to;
  }
  return 0;
}

/** A picture or font: by its first bytes, or by the data address around it. */
function isMedia({ text, from }: Sheet, at: number): boolean {
  return (
    media.test(text.slice(at, at + 16)) ||
    (text.charCodeAt(at - 1) === 44 && mediaType.test(text.slice(Math.max(from, at - 48), at)))
  );
}

/** End of the base64 that begins at `at`, its padding included. */
function codeEnd(sheet: Sheet, at: number, end: number): number {
  let to = end;
  const limit = Math.min(sheet.to, at + longest);
  while (to < limit && isBase64(sheet.text.charCodeAt(to))) to++;
  for (let padding = 0; padding < 2 && to < limit && sheet.text.charCodeAt(to) === 61; padding++) to++;
  return to;
}

/** End of the token that begins at `start`, masked; 0 when it is none. */
function maskJwt(sheet: Sheet, start: number): number {
  const { text } = sheet;
  let end = start;
  let dots = 0;
  while (end < sheet.to && (isBase64(text.charCodeAt(end)) || (text.charCodeAt(end) === 46 && dots < 4))) {
    if (text.charCodeAt(end) === 46) {
      if (!isAlnum(text.charCodeAt(end + 1))) break;
      dots++;
    }
    end++;
  }
  while (
    end < sheet.to &&
    (text.charCodeAt(end) === 61 || text.startsWith('%3D', end) || text.startsWith('%3d', end))
  ) {
    end += text.charCodeAt(end) === 61 ? 1 : 3;
  }
  const head = decode(text.slice(start, Math.min(start + 120, end)).replace(/[.=%].*$/, ''));
  if (head === undefined || !/"(?:alg|typ|iv|enc|kid|mac|jti|sub|exp)"/.test(head)) return 0;
  mark(sheet, jwtRule, start, end);
  return end;
}

/** Text behind a base64 or base64url code, or undefined when it is none. Bytes become characters one by one. */
export function decode(code: string): string | undefined {
  const standard = code.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  const usable = standard.length % 4 === 1 ? standard.slice(0, -1) : standard;
  try {
    return atob(usable);
  } catch {
    return undefined;
  }
}

/** Value of each base64 letter of both alphabets, by code unit; 255 for others. */
const sextets = new Uint8Array(128).fill(255);
for (const [value, letter] of Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries()) {
  sextets[letter.charCodeAt(0)] = value;
}
sextets[45] = 62;
sextets[95] = 63;

/** Whether the bytes behind the code at `from` begin as writing does: printable ASCII and line ends, at most one exception. */
function beginsWritten(text: string, from: number, to: number): boolean {
  let bits = 0;
  let held = 0;
  let strange = 0;
  let more = 0;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    const sextet = c < 128 ? (sextets[c] ?? 255) : 255;
    // The code may end within the head.
    if (sextet === 255) return i - from >= 20;
    bits = ((bits << 6) | sextet) & 0x3fff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    const byte = (bits >> held) & 0xff;
    if (more > 0 && byte >> 6 === 2) more--;
    else if (byte >= 0xc2 && byte < 0xf5 && more === 0) more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    else if ((byte < 32 && byte !== 10 && byte !== 13 && byte !== 9) || byte > 126 || more > 0) {
      more = 0;
      if (++strange > 1) return false;
    }
  }
  return to - from >= 8;
}
