import { isAlnum, isBlank, isInvisible, isSpace } from './characters.ts';
import { entityAt, indexWithin, percentAt, scriptEscapeAt, skipAnsi } from './escapes.ts';
import type { Sheet } from './sheet.ts';

/**
 * What stands between a name and its value.
 *
 * `assign`: `=`, `=>`; `colon`; `element`: `<name>value`; `markup`: tags only, as between two table cells; `cell`: the bar
 * of a text table; `list`: a comma after a quoted name; `bracket`: `name[value]`, `(name)=(value)`; `tab`; `space`:
 * nothing but blanks; `is`: the word "is" in some language.
 */
export interface Gap {
  readonly kind: 'assign' | 'colon' | 'element' | 'markup' | 'cell' | 'list' | 'bracket' | 'tab' | 'space' | 'is';
  /** Where the value begins, its opening quote included. */
  readonly at: number;
  /** How many times the sign was percent-encoded. */
  readonly level: number;
  /** Name and value touch, or the name was quoted as in JSON. */
  readonly tight: boolean;
  /** The name was a quoted literal. */
  readonly quoted: boolean;
}

/** Longest stretch of tags, blanks and signs that still joins a name and a value. */
const reach = 240;

const isWords = /(?:is|was|are|lautet|ist|est|es|era|jest|est[aá]|to|:)(?=[\s:：])/iy;

/** The gap after the name that ends at `end`, or undefined when the name is followed by something else. */
export function gapAfter(sheet: Sheet, end: number): Gap | undefined {
  const { text } = sheet;
  const limit = Math.min(sheet.to, end + reach);
  // Most names stand in an address: `name=value`, nothing between.
  if (end + 1 < limit && text.charCodeAt(end) === 61 && isAlnum(text.charCodeAt(end + 1))) {
    return { kind: 'assign', at: end + 1, level: 0, tight: true, quoted: false };
  }
  let at = skipIndex(text, end, limit);
  const closers = skipClosers(text, at, limit);
  at = closers.at;
  const { quoted } = closers;
  const blanksFrom = at;
  at = skipBlanks(text, at, limit);
  if (text.charCodeAt(at) === 40 && !quoted && at > blanksFrom) at = skipAside(text, at, limit);
  if (at >= limit) return undefined;
  const spaced = at > blanksFrom;
  const sign = signAt(text, at);
  if (sign !== undefined) {
    let after = sign.end;
    while (signAt(text, after)?.kind === 'assign' && after < sign.end + 4) after++;
    const closing = skipBlanks(text, after, limit);
    if (text.charCodeAt(closing) === 60 && text.charCodeAt(closing + 1) === 47) return markupGap(text, closing, limit);
    const valueAt = skipOpening(text, after, limit);
    const tight = quoted || (!spaced && (valueAt === after || text.charCodeAt(after) === 27));
    return { kind: sign.kind, at: valueAt, level: sign.level, tight, quoted };
  }
  const c = text.charCodeAt(at);
  if (c === 44 && quoted) return { kind: 'list', at: skipBlanks(text, at + 1, limit), level: 0, tight: true, quoted };
  if (c === 60) return markupGap(text, at, limit);
  if (c === 62 && !quoted) return { kind: 'element', at: skipCdata(text, at + 1), level: 0, tight: true, quoted };
  if (c === 124 && spaced) return { kind: 'cell', at: skipBlanks(text, at + 1, limit), level: 0, tight: false, quoted };
  if (c === 91 && !spaced && !quoted && isAlnum(text.charCodeAt(at + 1))) {
    return { kind: 'bracket', at: at + 1, level: 0, tight: true, quoted };
  }
  if (spaced && !quoted) {
    isWords.lastIndex = at;
    const word = isWords.exec(text);
    if (word !== null && isWords.lastIndex < limit) {
      const after = text.charCodeAt(isWords.lastIndex);
      const next = after === 58 || after === 0xff1a ? isWords.lastIndex + 1 : isWords.lastIndex;
      return { kind: 'is', at: skipBlanks(text, next, limit), level: 0, tight: false, quoted };
    }
    const told = afterWords(text, at, limit);
    if (told > 0 && text.charCodeAt(told) === 60) return markupGap(text, told, limit);
    if (told > 0) return { kind: 'is', at: skipBlanks(text, told, limit), level: 0, tight: false, quoted };
    const tab = text.charCodeAt(blanksFrom) === 9 && at === blanksFrom + 1;
    return { kind: tab ? 'tab' : 'space', at, level: 0, tight: false, quoted };
  }
  return undefined;
}

const furtherWords = /[\p{L}]{1,14}(?: [\p{L}]{1,14}){0,2} ?(?::(?=\s|<\/)|：|(?=<\/))/uy;

/** End of the colon some words on (`Password for the site: …`), or of the words before a closing tag. 0 when there is none. */
function afterWords(text: string, at: number, limit: number): number {
  furtherWords.lastIndex = at;
  return furtherWords.exec(text) !== null && furtherWords.lastIndex < limit ? furtherWords.lastIndex : 0;
}

/** `[]`, `[0]`, `%5B0%5D` after a parameter name. */
function skipIndex(text: string, from: number, limit: number): number {
  let at = from;
  for (let round = 0; round < 4 && at < limit; round++) {
    const escape = percentAt(text, at);
    const open = escape?.code === 91 ? escape.end : text.charCodeAt(at) === 91 ? at + 1 : -1;
    if (open < 0) return at;
    let i = open;
    while (i < open + 12 && isAlnum(text.charCodeAt(i))) i++;
    const close = percentAt(text, i);
    const end = close?.code === 93 ? close.end : text.charCodeAt(i) === 93 ? i + 1 : -1;
    if (end < 0 || (i - open > 3 && !signAt(text, end))) return at;
    at = end;
  }
  return at;
}

/** Quotes of all kinds, closing brackets and stars that end a name. */
function skipClosers(text: string, from: number, limit: number): { at: number; quoted: boolean } {
  let at = from;
  let quoted = false;
  while (at < limit) {
    const c = text.charCodeAt(at);
    if (c === 34 || c === 39 || c === 96) {
      quoted = true;
      at++;
    } else if (c === 41 || c === 42 || c === 93 || isInvisible(c)) at++;
    else if (c === 92) {
      let i = at;
      while (text.charCodeAt(i) === 92) i++;
      if (text.charCodeAt(i) !== 34 && text.charCodeAt(i) !== 39) break;
      quoted = true;
      at = i + 1;
    } else {
      const written = c === 38 ? entityAt(text, at) : c === 37 ? percentAt(text, at) : undefined;
      if (written === undefined || (written.code !== 34 && written.code !== 39)) break;
      quoted = true;
      at = written.end;
    }
    if (at - from > 24) break;
  }
  return { at, quoted };
}

function skipBlanks(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && (isBlank(text.charCodeAt(at)) || isInvisible(text.charCodeAt(at)))) at++;
  return at;
}

/** The element's text may be wrapped. */
function skipCdata(text: string, at: number): number {
  return text.startsWith('<![CDATA[', at) ? at + 9 : at;
}

/** `(RID)` between a label and its colon. Stays where it is when no sign follows. */
function skipAside(text: string, from: number, limit: number): number {
  const close = indexWithin(text, 41, from, Math.min(limit, from + 40));
  if (close < 0) return from;
  const at = skipBlanks(text, close + 1, limit);
  const isJoined = signAt(text, at) !== undefined || text.charCodeAt(at) === 60;
  return isJoined ? at : from;
}

interface Sign {
  readonly kind: 'assign' | 'colon';
  readonly level: number;
  readonly end: number;
}

function signAt(text: string, at: number): Sign | undefined {
  const c = text.charCodeAt(at);
  if (c === 61 || c === 0xff1d)
    return { kind: 'assign', level: 0, end: text.charCodeAt(at + 1) === 62 ? at + 2 : at + 1 };
  if (c === 58 || c === 0xff1a || c === 0xfe55) {
    return text.charCodeAt(at + 1) === 61
      ? { kind: 'assign', level: 0, end: at + 2 }
      : { kind: 'colon', level: 0, end: at + 1 };
  }
  if (c === 45 && text.charCodeAt(at + 1) === 62) return { kind: 'assign', level: 0, end: at + 2 };
  const escape = c === 37 ? percentAt(text, at) : undefined;
  const written = escape ?? (c === 38 ? entityAt(text, at) : c === 92 ? scriptEscapeAt(text, at) : undefined);
  if (written === undefined || (written.code !== 61 && written.code !== 58)) return undefined;
  return { kind: written.code === 61 ? 'assign' : 'colon', level: escape?.level ?? 0, end: written.end };
}

/** Blanks, colours and opening tags before a value. */
function skipOpening(text: string, from: number, limit: number): number {
  let at = skipAnsi(text, skipBlanks(text, from, limit));
  for (let round = 0; round < 6 && text.charCodeAt(at) === 60; round++) {
    const close = tagEnd(text, at, limit);
    if (close < 0) break;
    at = skipBlanks(text, close, limit);
  }
  return at;
}

/** `</th> <td class="x"> <code>` between a label and its value. An input's value counts as found at its tag. */
function markupGap(text: string, from: number, limit: number): Gap | undefined {
  let at = from;
  let tags = 0;
  while (at < limit && tags < 8) {
    if (text.charCodeAt(at) === 60) {
      const close = tagEnd(text, at, limit);
      if (close < 0) break;
      tags++;
      at = close;
    } else if (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === 58 || text.charCodeAt(at) === 0xff1a) at++;
    else break;
  }
  return tags === 0 ? undefined : { kind: 'markup', at: from, level: 0, tight: false, quoted: false };
}

/** End of the tag that opens at `at`, or -1. */
function tagEnd(text: string, at: number, limit: number): number {
  const c = text.charCodeAt(at + 1);
  if (c !== 47 && !(c >= 97 && c <= 122) && !(c >= 65 && c <= 90)) return -1;
  for (let i = at + 1; i < limit; i++) {
    if (text.charCodeAt(i) === 62) return i + 1;
    if (text.charCodeAt(i) === 60) return -1;
  }
  return -1;
}
