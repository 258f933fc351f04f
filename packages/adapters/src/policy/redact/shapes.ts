import { isAlnum, isDigit, isHex, isLower, isUpper } from './characters.ts';

/** What a run of letters and digits consists of. */
export interface Shape {
  readonly length: number;
  readonly digits: number;
  readonly lowers: number;
  readonly uppers: number;
  /** Only hexadecimal digits. */
  readonly hex: boolean;
  /** How often the class (digit, lower, upper) changes from one letter to the next. */
  readonly turns: number;
  /** Characters that are neither letter nor digit. */
  readonly others: number;
}

/** Longest part of a value that is measured; what follows cannot make it harmless. */
const measured = 200;

/** Counts what stands between `start` and `end`. */
export function shapeOf(text: string, start: number, end: number): Shape {
  let digits = 0;
  let lowers = 0;
  let uppers = 0;
  let others = 0;
  let turns = 0;
  let hex = true;
  let last = 0;
  const stop = Math.min(end, start + measured);
  for (let i = start; i < stop; i++) {
    const c = text.charCodeAt(i);
    let kind = 0;
    if (isDigit(c)) {
      digits++;
      kind = 1;
    } else if (isLower(c)) {
      lowers++;
      kind = 2;
    } else if (isUpper(c)) {
      uppers++;
      kind = 3;
    } else others++;
    if (hex && !isHex(c)) hex = false;
    if (kind !== 0 && last !== 0 && kind !== last) turns++;
    if (kind !== 0) last = kind;
  }
  return { length: end - start, digits, lowers, uppers, hex, turns, others };
}

/**
 * True when letters and digits alternate as chance would have it, and not as in words, titles and code.
 *
 * Random base62 changes class at 0.62 of its steps, base36 at 0.40; camel case stays under 0.38.
 */
export function looksRandom(shape: Shape): boolean {
  const steps = Math.min(shape.length, measured) - 1;
  if (steps < 5 || shape.digits === shape.length) return false;
  const ratio = shape.turns / steps;
  if (shape.lowers > 0 && shape.uppers > 0) return shape.digits > 0 ? ratio >= 0.28 : ratio >= 0.42;
  return shape.digits >= 2 && shape.turns >= 4 && ratio >= 0.14;
}

/** An identifier in camel case: capitals begin words of letters, three of them on average. */
export function isCamel(value: string): boolean {
  if (!/^[A-Za-z]?[a-z]*\d{0,2}(?:[A-Z][a-z]+\d{0,2})+$/.test(value)) return false;
  return value.length / (value.match(/[A-Z]/g)?.length ?? 1) >= 3;
}

/** Hex of a length that no public digest has (40 is SHA-1 and info-hash, 56 to 128 the SHA-2 family). MD5's 32 counts as a key. */
export function isKeyHex(shape: Shape): boolean {
  return shape.hex && shape.length >= 28 && shape.length < 48 && shape.length !== 40 && isMixedHex(shape);
}

/** Hex of the length of a SHA-1 or SHA-2 digest. */
export function isDigestHex(shape: Shape): boolean {
  const { length } = shape;
  return shape.hex && (length === 40 || length === 56 || length === 64 || length === 96 || length === 128);
}

/** Hex with digits and letters in it: neither a number nor a word. */
export function isMixedHex(shape: Shape): boolean {
  return shape.hex && shape.digits > 0 && shape.digits < shape.length && shape.turns >= 2;
}

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25,26}$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const clock =
  /^(?:\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?(?:[T ,]*\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?|\d{1,2}:\d{2}(?::\d{2})?)$/;
const measure = /^[+-]?[\d.,]+ ?(?:%|[a-zA-Z]{1,5}|×|x|[年月日天时分秒个次])?(?:\/s)?$/;
const scene =
  /^(?:(?:s\d{1,4})?(?:e\d{1,4})+|s\d{1,4}|\d{3,4}[ip]|\d{2,5}x\d{2,5}|[xh]\.?26[45]|v?\d+(?:\.\d+)+[a-z]*)$/i;

/** A time-ordered id (ULID): public by construction. */
export function isUlid(value: string): boolean {
  return ulid.test(value);
}

/** A UUID in its usual form. */
export function isUuid(value: string): boolean {
  return uuid.test(value);
}

/** A date, a time, an amount with its unit, an episode, a resolution or a version. */
export function isMeasure(value: string): boolean {
  if (value.length > 32 || (value.length > 16 && !/[-:.]/.test(value))) return false;
  return /^[\d+.,sexhv-]/i.test(value) && (clock.test(value) || measure.test(value) || scene.test(value));
}

/** Several short groups joined by hyphens or blanks, as recovery codes are printed: `9f21-77ab`, `7HK2 PPQ9 31ZX`. */
const grouped = /^[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){1,7}$/;

/** A one-time or recovery code: a few digits, or groups with digits in them. */
export function isCode(value: string): boolean {
  if (value.length < 4 || value.length > 64 || !/\d/.test(value)) return false;
  if (/^\d{4,10}$/.test(value) || /^\d{3}[- ]\d{3}$/.test(value)) return true;
  if (isUuid(value) || isMeasure(value)) return false;
  if (grouped.test(value)) {
    const groups = value.split(/[- ]/);
    const isEven = groups.every((group) => group.length === groups[0]?.length);
    return isEven || groups.filter((group) => /\d/.test(group)).length * 2 >= groups.length;
  }
  return /^[A-Za-z0-9]{6,16}$/.test(value) && /[A-Za-z]/.test(value);
}

/**
 * A value that could be a key rather than a word: no blanks, letters and digits (or irregular case), no date, no size.
 * `least` is the number of characters from which it counts.
 */
export function isTokenish(value: string, least: number): boolean {
  if (value.length < least || /\s/.test(value) || isMeasure(value)) return false;
  const shape = shapeOf(value, 0, value.length);
  if (shape.digits === 0) return value.length >= Math.max(8, least) && looksRandom(shape);
  if (shape.lowers + shape.uppers === 0) return false;
  return value.length < 12 || longestRun(value) >= 6 || shape.turns >= 4;
}

function longestRun(value: string): number {
  let best = 0;
  let run = 0;
  for (let i = 0; i < value.length; i++) {
    run = isAlnum(value.charCodeAt(i)) ? run + 1 : 0;
    if (run > best) best = run;
  }
  return best;
}
