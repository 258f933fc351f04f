import { classifyKey, type KeyKind } from './classify-key.ts';
import { foldOf, invisible, isAlnum, isBlank, isIdeographic, isWideLetter, plainText } from './characters.ts';
import { escapeEnd } from './escapes.ts';
import { phraseKinds } from './field-labels.ts';
import type { Sheet } from './sheet.ts';

/** A name found in the text: an identifier, or a label of one or more words. */
export interface Name {
  readonly start: number;
  readonly end: number;
  readonly kind: KeyKind;
  /** Dots inside: a property path or a title, which has no neighbours to look for. */
  readonly dotted: boolean;
  /** Written with leading dashes, as command line options are. */
  readonly option: boolean;
}

/** Longest identifier that is read in either direction. */
const longest = 64;

function isNamePart(c: number): boolean {
  if (c < 128) return isAlnum(c) || c === 95 || c === 45 || c === 46;
  if (isIdeographic(c)) return false;
  const fold = foldOf(c);
  return fold === invisible || (fold !== 0 && (isAlnum(fold) || fold === 95 || fold === 45));
}

/** Start and end of the identifier around `from`..`to`, without punctuation at its ends. */
export function identifierAround(sheet: Sheet, from: number, to: number): { start: number; end: number } {
  const { text } = sheet;
  let start = from;
  const lowest = Math.max(sheet.from, from - longest);
  while (start > lowest && isNamePart(text.charCodeAt(start - 1))) start--;
  start = escapeEnd(text, start);
  let end = to;
  const highest = Math.min(sheet.to, to + longest);
  while (end < highest && isNamePart(text.charCodeAt(end))) end++;
  while (end > to && isEdge(text.charCodeAt(end - 1))) end--;
  while (start < from && isEdge(text.charCodeAt(start))) start++;
  return { start, end };
}

function isEdge(c: number): boolean {
  return c === 45 || c === 46 || (c > 127 && foldOf(c) === invisible);
}

/** The name that the stem at `from`..`to` belongs to, if it names a credential; else where to go on looking. */
export function nameAt(sheet: Sheet, from: number, to: number): Name | { end: number } {
  const { text } = sheet;
  const { start, end } = identifierAround(sheet, from, to);
  // The stem begins in an escape: the `2F` of `%2Fannounce` is no `2fa`.
  if (start > from) return { end: to };
  const identifier = text.slice(start, end);
  const dot = identifier.lastIndexOf('.', identifier.lastIndexOf('.') - 1);
  const dotted = identifier.includes('.');
  const kind = strongest(
    classifyKey(dotted && dot >= 0 ? identifier.slice(dot + 1) : identifier),
    phraseKind(sheet, start, end),
  );
  if (kind === null) return { end: to };
  return { start, end, kind, dotted, option: text.charCodeAt(start - 1) === 45 && text.charCodeAt(start - 2) === 45 };
}

function strongest(one: KeyKind | null, phrase: KeyKind | null): KeyKind | null {
  if (phrase === null || one === 'password') return one;
  return one === null || one === 'weak' || one === 'pass' || one === 'hash' ? phrase : one;
}

/** Kind of a label of two or three words that ends with the word at `start`..`end`: "RSS key", "mot de passe". */
function phraseKind(sheet: Sheet, start: number, end: number): KeyKind | null {
  if (start <= sheet.from || !isBlank(sheet.text.charCodeAt(start - 1)) || end - start > 16) return null;
  let from = start;
  let phrase: KeyKind | null = null;
  for (let words = 0; words < 2; words++) {
    let at = from - 1;
    while (at > sheet.from && isWordPart(sheet.text.charCodeAt(at - 1)) && from - at < 20) at--;
    if (at === from - 1) break;
    from = at;
    phrase = phraseKinds.get(plainText(sheet.text.slice(from, end)).toLowerCase()) ?? phrase;
    if (from <= sheet.from || !isBlank(sheet.text.charCodeAt(from - 1))) break;
  }
  return phrase;
}

function isWordPart(c: number): boolean {
  return isAlnum(c) || c === 45 || (c > 127 && isWideLetter(c) && !isIdeographic(c));
}
