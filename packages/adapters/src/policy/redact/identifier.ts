import { classifyKey, type KeyKind } from './classify-key.ts';
import { foldOf, invisible, isAlnum, isBlank, isIdeographic, isWideLetter, plainText } from './characters.ts';
import { escapeEnd, lastWithin } from './escapes.ts';
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
  // Of a path or title with dots only the last two parts count.
  const last = lastWithin(text, 46, end - 1, start);
  const dotted = last >= 0;
  const telling = dotted ? Math.max(start, lastWithin(text, 46, last - 1, start) + 1) : start;
  const own = classifyKey(text.slice(telling, end));
  const kind = isOpen(own) ? (phraseKind(sheet, start, end) ?? own) : own;
  if (kind === null) return { end: to };
  const further = kind === 'weak' ? phraseEnd(sheet, start, end) : 0;
  if (further > 0) return { start, end: further, kind: 'secret', dotted: false, option: false };
  return { start, end, kind, dotted, option: text.charCodeAt(start - 1) === 45 && text.charCodeAt(start - 2) === 45 };
}

/** A word that says little by itself: the words before it may tell more. */
function isOpen(kind: KeyKind | null): boolean {
  return kind === null || kind === 'weak' || kind === 'pass' || kind === 'hash';
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

/** End of the word that makes a secret of a weak one before it: `clave API`, `clé RSS`. 0 when none follows. */
function phraseEnd(sheet: Sheet, start: number, end: number): number {
  if (!isBlank(sheet.text.charCodeAt(end))) return 0;
  let to = end + 1;
  while (to < sheet.to && to - end < 14 && isWordPart(sheet.text.charCodeAt(to))) to++;
  return phraseKinds.get(plainText(sheet.text.slice(start, to)).toLowerCase()) === 'secret' ? to : 0;
}

function isWordPart(c: number): boolean {
  return isAlnum(c) || c === 45 || (c > 127 && isWideLetter(c) && !isIdeographic(c));
}
