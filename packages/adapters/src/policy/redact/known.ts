import { isAlnum } from './characters.ts';
import { formsOf, type SecretForm, shortestSecret } from './known-forms.ts';
import { ruleIndex } from './rules.ts';
import { mark, type Sheet } from './sheet.ts';
import { readingsAt } from './written.ts';

const knownRule = ruleIndex('known-secret');

/** A place in a secret: the code point at `index` of `points`. */
interface Spot {
  readonly points: readonly number[];
  readonly index: number;
  readonly whole: boolean;
}

/**
 * Secrets whose values are known, since the resolver gave them out: they go wherever they stand, whatever stands beside
 * them. Plain or with any of their characters escaped (percent up to five times, HTML, JSON), squeezed blanks, base64
 * and base64url at every offset, hex.
 *
 * Keeps the values in memory as long as it lives and shows them to nobody: neither printers nor JSON find them.
 */
export class KnownSecrets {
  readonly #values = new Set<string>();
  /** Forms by the hash of their first four characters. */
  readonly #buckets = new Map<number, SecretForm[]>();
  readonly #first = new Uint8Array(0x10000);
  /** Where each code point occurs, to begin at an escape of it. */
  readonly #spots = new Map<number, Spot[]>();

  /**
   * Adds a value. False when it is too short to be searched for (under 4 characters); values under 8 are found only
   * as whole words. Surrounding blanks are dropped.
   */
  learn(value: string): boolean {
    const secret = value.trim();
    if (secret.length < shortestSecret) return false;
    if (this.#values.has(secret)) return true;
    this.#values.add(secret);
    const forms = formsOf(secret);
    for (const form of forms) {
      const key = hashAt(form.text);
      append(this.#buckets, key, form);
      this.#first[key] = 1;
    }
    // Escapes are looked for in the value itself and in its base64, whose `+`, `/` and `=` get escaped in addresses.
    for (const form of forms) {
      const points = Array.from(form.text, (c) => c.codePointAt(0) ?? 0);
      for (const [index, point] of points.entries()) append(this.#spots, point, { points, index, whole: form.whole });
    }
    return true;
  }

  /** How many values are known. */
  get size(): number {
    return this.#values.size;
  }

  /** Marks every form of every value in the sheet, in one pass. */
  scan(sheet: Sheet): void {
    const { text, to } = sheet;
    if (this.#values.size === 0) return;
    let window = 0;
    for (let i = sheet.from; i < to; i++) {
      const c = text.charCodeAt(i);
      window = ((window << 4) ^ (c & 31)) & 0xffff;
      if (this.#first[window] === 1 && i >= sheet.from + 3) {
        const end = this.#longestAt(sheet, i - 3, window);
        if (end > 0) mark(sheet, knownRule, i - 3, end);
      }
      if (c === 37 || c === 38 || c === 92) this.#atEscape(sheet, i);
    }
  }

  #longestAt(sheet: Sheet, at: number, key: number): number {
    let longest = 0;
    for (const form of this.#buckets.get(key) ?? []) {
      const end = at + form.text.length;
      if (end <= sheet.to && end > longest && stands(sheet.text, at, form) && isFree(sheet, at, end, form.whole))
        longest = end;
    }
    return longest;
  }

  /** Marks the secrets of which the escape at `at` may be the first escaped character. */
  #atEscape(sheet: Sheet, at: number): void {
    for (const first of readingsAt(sheet.text, at)) {
      if (first.end === at + 1) continue;
      for (const spot of this.#spots.get(first.point) ?? []) {
        const start = plainBefore(sheet, at, spot);
        if (start < 0) continue;
        const end = writtenOn(sheet, first.end, spot.points, spot.index + 1);
        if (end > 0 && isFree(sheet, start, end, spot.whole)) mark(sheet, knownRule, start, end);
      }
    }
  }
}

/** Runs the search for known secrets over a sheet. */
export function scanKnown(sheet: Sheet, known: KnownSecrets): void {
  known.scan(sheet);
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** First four characters by their low bits; must agree with the window of `scan`, whose oldest bits shift out. */
function hashAt(text: string): number {
  let window = 0;
  for (let i = 0; i < 4; i++) window = ((window << 4) ^ (text.charCodeAt(i) & 31)) & 0xffff;
  return window;
}

function stands(text: string, at: number, form: SecretForm): boolean {
  for (let i = 0; i < form.text.length; i++) {
    const c = text.charCodeAt(at + i);
    const f = form.text.charCodeAt(i);
    if (c !== f && !(form.anyCase && (c ^ f) === 32 && (f | 32) >= 97 && (f | 32) <= 122)) return false;
  }
  return true;
}

/** Start of the secret when its characters before `spot` stand unescaped before `at`; -1 when they do not. */
function plainBefore(sheet: Sheet, at: number, { points, index }: Spot): number {
  let i = at;
  for (let k = index - 1; k >= 0; k--) {
    const point = points[k] ?? 0;
    i -= point > 0xffff ? 2 : 1;
    if (i < sheet.from || !isSame(sheet.text.codePointAt(i) ?? 0, point)) return -1;
  }
  return i;
}

/** End of the secret when its characters from `index` follow from `at` on, escaped or not; -1 when they do not. */
function writtenOn(sheet: Sheet, at: number, points: readonly number[], index: number): number {
  let i = at;
  for (let k = index; k < points.length; k++) {
    if (i >= sheet.to) return -1;
    const wanted = points[k] ?? 0;
    const fitting = readingsAt(sheet.text, i).filter((reading) => isSame(reading.point, wanted));
    const [only, ...others] = fitting;
    if (only === undefined) return -1;
    for (const other of others) {
      const end = writtenOn(sheet, other.end, points, k + 1);
      if (end > 0) return end;
    }
    i = only.end;
  }
  return i;
}

/** Equal, or both some kind of blank: forms write `+`, pages write no-break spaces. */
function isSame(point: number, wanted: number): boolean {
  return point === wanted || (wanted === 32 && (point === 43 || point === 160 || point === 9 || point === 10));
}

function isFree(sheet: Sheet, start: number, end: number, whole: boolean): boolean {
  return !whole || (!isWordAt(sheet, start - 1) && !isWordAt(sheet, end));
}

function isWordAt(sheet: Sheet, at: number): boolean {
  return at >= sheet.from && at < sheet.to && isAlnum(sheet.text.charCodeAt(at));
}
