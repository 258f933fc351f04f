import { isHex, isLetter } from './characters.ts';

/**
 * Where an escape that ends just before `at` begins, or `at` when none does: `%26`, `%2526`, `\u0026`, `\x26`, `\n`.
 * Keeps the `26` of an escaped `&` from being taken for the first letters of a word.
 */
export function escapeEnd(text: string, start: number): number {
  const before = text.charCodeAt(start - 1);
  if (before === 37) {
    let i = start;
    while (text.charCodeAt(i) === 50 && text.charCodeAt(i + 1) === 53 && isHex(text.charCodeAt(i + 2))) i += 2;
    return isHex(text.charCodeAt(i)) && isHex(text.charCodeAt(i + 1)) ? i + 2 : start;
  }
  if (before === 92) {
    const c = text.charCodeAt(start);
    if (c === 117 && isHexRun(text, start + 1, 4)) return start + 5;
    if (c === 120 && isHexRun(text, start + 1, 2)) return start + 3;
    if (c === 110 || c === 114 || c === 116 || c === 98 || c === 102) return start + 1;
  }
  if (before === 91 && text.charCodeAt(start - 2) === 27) {
    let i = start;
    while (i < start + 12 && text.charCodeAt(i) >= 48 && text.charCodeAt(i) <= 59) i++;
    return isLetter(text.charCodeAt(i)) ? i + 1 : start;
  }
  return start;
}

function isHexRun(text: string, start: number, length: number): boolean {
  for (let i = start; i < start + length; i++) if (!isHex(text.charCodeAt(i))) return false;
  return true;
}

/** A percent escape: what it stands for after all levels, how many levels, and where it ends. */
export interface PercentEscape {
  readonly code: number;
  readonly level: number;
  readonly end: number;
}

/** The percent escape at `at`, of any depth up to 5: `%3D`, `%253D`, `%25253D`. */
export function percentAt(text: string, at: number): PercentEscape | undefined {
  if (text.charCodeAt(at) !== 37) return undefined;
  let i = at + 1;
  let level = 1;
  while (level < 5 && text.charCodeAt(i) === 50 && text.charCodeAt(i + 1) === 53 && isHexRun(text, i + 2, 2)) {
    i += 2;
    level++;
  }
  if (!isHexRun(text, i, 2)) return undefined;
  return { code: Number.parseInt(text.slice(i, i + 2), 16), level, end: i + 2 };
}

/** A character written as an HTML entity or a JavaScript escape. */
export interface WrittenCharacter {
  readonly code: number;
  readonly end: number;
}

const entities: Readonly<Record<string, number>> = {
  amp: 38,
  quot: 34,
  apos: 39,
  lt: 60,
  gt: 62,
  equals: 61,
  colon: 58,
  nbsp: 32,
  num: 35,
  semi: 59,
  comma: 44,
  sol: 47,
  commat: 64,
};

/** The entity at `at` (`&amp;`, `&#61;`, `&#x3D;`), when its semicolon is there. */
export function entityAt(text: string, at: number): WrittenCharacter | undefined {
  if (text.charCodeAt(at) !== 38) return undefined;
  let end = at + 1;
  while (end < at + 10 && text.charCodeAt(end) !== 59) end++;
  if (end >= at + 10) return undefined;
  const body = text.slice(at + 1, end);
  if (body.charCodeAt(0) === 35) {
    const hex = body.charCodeAt(1) === 120 || body.charCodeAt(1) === 88;
    const code = Number.parseInt(body.slice(hex ? 2 : 1), hex ? 16 : 10);
    return Number.isNaN(code) ? undefined : { code, end: end + 1 };
  }
  const code = entities[body.toLowerCase()];
  return code === undefined ? undefined : { code, end: end + 1 };
}

/** The JavaScript escape at `at` (`\u003d`, `\x3d`), with any number of backslashes before it. */
export function scriptEscapeAt(text: string, at: number): WrittenCharacter | undefined {
  let i = at;
  while (text.charCodeAt(i) === 92 && i < at + 8) i++;
  if (i === at) return undefined;
  const c = text.charCodeAt(i);
  const length = c === 117 ? 4 : c === 120 ? 2 : 0;
  if (length === 0 || !isHexRun(text, i + 1, length)) return undefined;
  return { code: Number.parseInt(text.slice(i + 1, i + 1 + length), 16), end: i + 1 + length };
}

/** Skips terminal colour sequences (`ESC [ 32 m`) from `at` on. */
export function skipAnsi(text: string, at: number): number {
  let i = at;
  while (text.charCodeAt(i) === 27 && text.charCodeAt(i + 1) === 91) {
    const end = escapeEnd(text, i + 2);
    if (end === i + 2) return i;
    i = end;
  }
  return i;
}

/** Where `code` stands first from `from` on, or -1 when it does not before `limit`. Unlike `indexOf`, it never reads on. */
export function indexWithin(text: string, code: number, from: number, limit: number): number {
  for (let i = from; i < limit; i++) if (text.charCodeAt(i) === code) return i;
  return -1;
}

/** Where `code` stands last at or before `from`, or -1 when it does not down to `lowest`. */
export function lastWithin(text: string, code: number, from: number, lowest: number): number {
  for (let i = from; i >= lowest; i--) if (text.charCodeAt(i) === code) return i;
  return -1;
}
