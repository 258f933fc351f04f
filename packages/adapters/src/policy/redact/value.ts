import { isAlnum, isInvisible, isQuote, isSpace } from './characters.ts';
import { entityAt, indexWithin, percentAt, scriptEscapeAt } from './escapes.ts';
import type { Sheet } from './sheet.ts';

/** A value as it stands in the text, without its quotes. */
export interface Value {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

/** Longest value that is read; a mark that reaches it is drawn on to the next delimiter. */
export const longestValue = 4096;

/** How a bare value ends. `level`: how often its separators are percent-encoded; `hash`: whether `#` ends it; `spaces`: whether blanks belong to it. */
export interface BareEnd {
  readonly level: number;
  readonly hash: boolean;
  readonly spaces?: boolean;
}

/** Reads the value that begins at `at`: quoted in any of the usual ways, or bare up to a delimiter. */
export function valueAt(sheet: Sheet, at: number, bare: BareEnd): Value | undefined {
  const { text } = sheet;
  const limit = Math.min(sheet.to, at + longestValue);
  if (at >= limit) return undefined;
  const c = text.charCodeAt(at);
  const opening = isAlnum(c) ? undefined : openingAt(text, at, bare.level);
  if (opening !== undefined) return quotedValue(text, opening, limit);
  if (c === 40) {
    // SQL: Key (passkey)=(…)
    const close = indexWithin(text, 41, at + 1, limit);
    return close < 0 ? undefined : { start: at + 1, end: close, quoted: true };
  }
  const end = bareEnd(sheet, at, limit, bare);
  return end === at ? undefined : { start: at, end, quoted: false };
}

interface Opening {
  readonly start: number;
  /** The text that closes it, or the code of the character whose entity or escape does. */
  readonly closer: string | number;
  readonly slashes: number;
}

function openingAt(text: string, at: number, level: number): Opening | undefined {
  let i = at;
  while (text.charCodeAt(i) === 92) i++;
  const c = text.charCodeAt(i);
  if (isQuote(c)) return { start: i + 1, closer: text[i] ?? '', slashes: i - at };
  if (i > at) return undefined;
  const written = c === 38 ? entityAt(text, at) : c === 37 && level > 0 ? percentAt(text, at) : undefined;
  return written !== undefined && (written.code === 34 || written.code === 39)
    ? { start: written.end, closer: written.code, slashes: 0 }
    : undefined;
}

function quotedValue(text: string, opening: Opening, limit: number): Value {
  const { start, closer, slashes } = opening;
  let i = start;
  for (; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 10) break;
    if (typeof closer === 'number') {
      const written = c === 38 ? entityAt(text, i) : c === 37 ? percentAt(text, i) : undefined;
      if (written?.code === closer || c === 34) break;
    } else if (c === 92) {
      let j = i;
      while (text.charCodeAt(j) === 92) j++;
      if (text[j] === closer && j - i === slashes && slashes > 0) break;
      // A quote behind more backslashes belongs to the value; one behind fewer ends the literal around it.
      i = text[j] === closer && j - i > slashes ? j : j - 1;
    } else if (text[i] === closer) break;
  }
  return { start, end: Math.min(i, limit), quoted: true };
}

/** Where a bare value ends. Asked again for a place inside the value read last, it knows. */
function bareEnd(sheet: Sheet, from: number, limit: number, bare: BareEnd): number {
  const how = bare.level * 4 + (bare.hash ? 2 : 0) + (bare.spaces === true ? 1 : 0);
  if (sheet.bareFrom <= from && from < sheet.bareTo && sheet.bareHow === how) return sheet.bareTo;
  const end = readBare(sheet.text, from, limit, bare);
  sheet.bareFrom = from;
  sheet.bareTo = end;
  sheet.bareHow = how;
  return end;
}

/** Delimiters of a bare value: `&`, `;`, quotes, angle brackets, line ends, blanks, and their encoded forms up to the level of the separator. */
function readBare(text: string, from: number, limit: number, { level, hash, spaces = false }: BareEnd): number {
  let i = from;
  for (; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c > 127) {
      if (isWideDelimiter(c) && !isInvisible(c)) break;
      continue;
    }
    if (c <= 32) {
      if (!spaces || c === 10 || c === 13) break;
    } else if (c === 38 || c === 59 || c === 34 || c === 39 || c === 60 || c === 62 || c === 96 || c === 27) break;
    else if (c === 35) {
      if (hash) break;
    } else if (c === 37) {
      const escape = level > 0 ? percentAt(text, i) : undefined;
      if (escape !== undefined && escape.level <= level && isDelimiter(escape.code)) break;
    } else if (c === 92) {
      const next = text.charCodeAt(i + 1);
      if (next === 34 || next === 39 || next === 92 || next === 110 || next === 114 || next === 116) break;
      const written = scriptEscapeAt(text, i);
      if (written !== undefined && isDelimiter(written.code)) break;
    } else if (c === 44 || c === 41 || c === 93 || c === 125) {
      if (endsHere(text, i, limit)) break;
    }
  }
  return i;
}

function isDelimiter(code: number): boolean {
  return code === 38 || code === 59 || code === 34 || code === 35 || code === 60 || code === 62 || code <= 32;
}

/** Punctuation of Chinese and Japanese text, typographic quotes, no-break and other wide spaces. */
function isWideDelimiter(c: number): boolean {
  return (
    isSpace(c) ||
    (c >= 0x3001 && c <= 0x3011) ||
    c === 0xff0c ||
    c === 0xff1b ||
    c === 0xff09 ||
    c === 0xff08 ||
    c === 0x201d ||
    c === 0x201c ||
    c === 0x2019
  );
}

/** A comma or closing bracket ends a bare value only where more structure, or nothing, follows; passwords contain them too. */
function endsHere(text: string, at: number, limit: number): boolean {
  let i = at + 1;
  while (i < limit && (text.charCodeAt(i) === 41 || text.charCodeAt(i) === 93 || text.charCodeAt(i) === 125)) i++;
  if (i >= limit) return true;
  const c = text.charCodeAt(i);
  if (isSpace(c) || c === 44 || c === 59 || c === 34 || c === 39 || c === 58 || c === 46 || c === 38) return true;
  if (text.charCodeAt(at) !== 44) return false;
  let j = i;
  while (j < i + 40 && j < limit && /[\w.-]/.test(text[j] ?? '')) j++;
  return j > i && (text.charCodeAt(j) === 61 || text.charCodeAt(j) === 58);
}
