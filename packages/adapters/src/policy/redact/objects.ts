import type { KeyKind } from './classify-key.ts';
import { maskCookies } from './cookies.ts';
import { isSpace } from './characters.ts';
import { isPlaceholder } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { shapeOf, isKeyHex, isUuid, looksRandom } from './shapes.ts';
import { mark, type Sheet } from './sheet.ts';
import { valueAt } from './value.ts';
import { isSecretValue } from './verdict.ts';

const siblingRule = ruleIndex('sibling-value');
const paramsRule = ruleIndex('call-params');

/** How far the ends of an object are looked for. */
const reach = 1200;

/** Where an object's text begins and ends. */
export interface Extent {
  readonly from: number;
  readonly to: number;
  /** Asked before: its fields are masked already. */
  readonly seen: boolean;
  /** Braces were found: without them only quoted keys count as fields, since prose has colons, too. */
  readonly braced: boolean;
}

/** The object around `start`..`end`, lists inside it stepped out of. A fragment without braces counts up to its ends. */
export function siblingsOf(sheet: Sheet, start: number, end: number): Extent {
  const { text } = sheet;
  if (sheet.objectFrom >= 0 && sheet.objectFrom <= start && end <= sheet.objectTo) {
    return { from: sheet.objectFrom, to: sheet.objectTo, seen: true, braced: true };
  }
  const lowest = Math.max(sheet.from, start - reach);
  let from = start;
  for (let depth = 0; from > lowest; from--) {
    const c = text.charCodeAt(from - 1);
    if (c === 125) depth++;
    else if (c === 123 && --depth < 0) break;
  }
  const highest = Math.min(sheet.to, end + reach);
  let to = end;
  for (let depth = 0; to < highest; to++) {
    const c = text.charCodeAt(to);
    if (c === 123) depth++;
    else if (c === 125 && --depth < 0) break;
  }
  const braced = text.charCodeAt(from - 1) === 123 && from > sheet.from;
  return { from, to, seen: false, braced };
}

const valueField =
  /(?<![\w-])["'`\\]*(?:value|val|text|content|received|input|data|default|defaultvalue|current|currentvalue|actual|answer|given|raw)["'`\\]*\s{0,3}[:=]\s{0,3}/gi;

/** Masks the fields of an object that hold what its name, type or label speaks of. */
export function maskFields(sheet: Sheet, extent: Extent, kind: KeyKind): boolean {
  if (extent.seen) return true;
  const part = sheet.text.slice(extent.from, extent.to);
  let found = false;
  valueField.lastIndex = 0;
  for (let match = valueField.exec(part); match !== null; match = valueField.exec(part)) {
    if (!extent.braced && !/^["'`\\]/.test(match[0])) continue;
    const value = valueAt(sheet, extent.from + valueField.lastIndex, { level: 0, hash: false });
    if (value === undefined || value.start > extent.to) continue;
    const written = sheet.text.slice(value.start, Math.min(value.end, value.start + 256));
    if (!value.quoted && /^[[{]/.test(written)) continue;
    if (isPlaceholder(written)) {
      found = true;
      continue;
    }
    if (kind === 'cookie' && written.includes('=')) maskCookies(sheet, value.start, value.end);
    else if (isSecretValue(kind === 'hash' ? 'weak' : kind, written, { tight: true, parameter: false })) {
      mark(sheet, siblingRule, value.start, value.end);
    } else continue;
    found = true;
  }
  if (found && (kind === 'password' || kind === 'secret')) {
    sheet.objectFrom = extent.from;
    sheet.objectTo = extent.to;
  }
  return found;
}

const paramsField = /["'`\\]*(?:params|args|arguments)["'`\\]*\s{0,3}[:=]\s{0,3}\[/gi;

/** Masks the strings in an object's `params`: all of them when the call logs in, else those that look like keys. */
export function maskParams(sheet: Sheet, extent: Extent, all: boolean): void {
  const part = sheet.text.slice(extent.from, extent.to);
  paramsField.lastIndex = 0;
  const match = paramsField.exec(part);
  if (match !== null && (extent.braced || /^["'`\\]/.test(match[0])))
    maskStrings(sheet, extent.from + paramsField.lastIndex, all);
}

/** Masks strings of the list whose first element begins at `from`. Returns where it stopped reading. */
export function maskStrings(sheet: Sheet, from: number, all: boolean): number {
  const { text } = sheet;
  let at = from;
  for (let count = 0; count < 32 && at < sheet.to; count++) {
    while (at < sheet.to && isSpace(text.charCodeAt(at))) at++;
    const value = valueAt(sheet, at, { level: 0, hash: false });
    if (value === undefined) return at;
    const written = text.slice(value.start, Math.min(value.end, value.start + 256));
    if (value.quoted && (all ? isSecretValue('secret', written, { tight: true, parameter: false }) : isKey(written))) {
      mark(sheet, paramsRule, value.start, value.end);
    }
    at = value.quoted ? value.end + 1 : value.end;
    while (at < sheet.to && (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === 92)) at++;
    if (text.charCodeAt(at) === 34) at++;
    if (text.charCodeAt(at) !== 44) return at;
    at++;
  }
  return at;
}

function isKey(written: string): boolean {
  const shape = shapeOf(written, 0, written.length);
  return isUuid(written) || isKeyHex(shape) || (written.length >= 16 && shape.others === 0 && looksRandom(shape));
}
