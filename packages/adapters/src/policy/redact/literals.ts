import { classifyKey, type KeyKind } from './classify-key.ts';
import { maskCookies } from './cookies.ts';
import { isAlnum, isBlank, isQuote, isSpace } from './characters.ts';
import { indexWithin } from './escapes.ts';
import type { Name } from './identifier.ts';
import { maskFields, maskParams, siblingsOf } from './objects.ts';
import { isPlaceholder } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { mark, type Sheet } from './sheet.ts';
import { type Value, valueAt } from './value.ts';
import { isSecretValue } from './verdict.ts';

const listRule = ruleIndex('list-value');
const callRule = ruleIndex('call-argument');

/** What may stand before a literal that names something. */
const leads = ':=([,';

/** Longest literal that counts as a name. */
const longest = 60;

interface Literal {
  /** First character before its opening quote that is no blank; -1 at the beginning. */
  readonly before: number;
  /** First character behind its closing quote that is no blank. */
  readonly after: number;
  readonly text: string;
}

/** The quoted literal around a name, with what stands on both sides of it. */
function literalAround(sheet: Sheet, name: Name): Literal | undefined {
  const { text } = sheet;
  const lowest = Math.max(sheet.from, name.start - longest);
  let open = name.start - 1;
  while (open >= lowest && !isQuote(text.charCodeAt(open)) && text.charCodeAt(open) !== 10) open--;
  const quote = text.charCodeAt(open);
  if (open < lowest || !isQuote(quote)) return undefined;
  let before = open - 1;
  while (before >= sheet.from && (text.charCodeAt(before) === 92 || isBlank(text.charCodeAt(before)))) before--;
  if (before >= sheet.from && !leads.includes(text[before] ?? '')) return undefined;
  const close = indexWithin(text, quote, name.end, Math.min(sheet.to, name.end + longest));
  if (close < 0) return undefined;
  let after = close + 1;
  while (after < sheet.to && isSpace(text.charCodeAt(after)) && after < close + 8) after++;
  const slash = text.charCodeAt(close - 1) === 92 ? close - 1 : close;
  return { before, after, text: text.slice(open + 1, slash) };
}

const labelKeys =
  /^(?:name|key|label|type|id|field|fieldname|selector|title|header|param|parameter|property|prop|autocomplete|placeholder|setting|option|cookie|path|loc|column|target|locator|kind)$/i;

/** Masks what belongs to a name that is itself a JSON or program literal: `"name":"password","value":"…"`, `["cookie","…"]`, `fill("#password", "…")`. */
export function maskLiteral(sheet: Sheet, name: Name): boolean {
  const literal = literalAround(sheet, name);
  if (literal === undefined) return false;
  const { text } = sheet;
  const previous = literal.before >= sheet.from ? text.charCodeAt(literal.before) : 0;
  const next = text.charCodeAt(literal.after);
  if (previous === 58 || previous === 61) {
    const key = keyBefore(sheet, literal.before);
    if (!labelKeys.test(key)) return false;
    return maskFields(sheet, siblingsOf(sheet, name.start, name.end), name.kind);
  }
  if (previous === 40 && next === 44) return maskArgument(sheet, name.kind, literal.after + 1);
  if (previous === 40 && next === 41) return maskChained(sheet, name.kind, literal.after + 1);
  if (previous !== 91 && previous !== 44) return false;
  const listKey = previous === 91 ? keyBefore(sheet, skipBack(sheet, literal.before - 1)) : '';
  if (/^(?:path|loc|field|name)$/i.test(listKey)) {
    return maskFields(sheet, siblingsOf(sheet, name.start, name.end), name.kind);
  }
  return next === 44 ? maskElement(sheet, name.kind, literal.after + 1) : false;
}

function skipBack(sheet: Sheet, from: number): number {
  let at = from;
  while (at >= sheet.from && isSpace(sheet.text.charCodeAt(at))) at--;
  return at;
}

/** The key in front of the colon at `colon`, without its quotes. */
function keyBefore(sheet: Sheet, colon: number): string {
  const { text } = sheet;
  const lowest = Math.max(sheet.from, colon - 40);
  let end = colon + 1;
  while (end > lowest && !isAlnum(text.charCodeAt(end - 1)) && text.charCodeAt(end - 1) !== 95) end--;
  let start = end;
  while (start > lowest && (isAlnum(text.charCodeAt(start - 1)) || isJoint(text.charCodeAt(start - 1)))) start--;
  return text.slice(start, end);
}

function isJoint(c: number): boolean {
  return c === 95 || c === 45;
}

/** The value of a name in a list: the next string, at most two elements on. */
function maskElement(sheet: Sheet, kind: KeyKind, from: number): boolean {
  const { text } = sheet;
  let at = from;
  for (let elements = 0; elements < 2; elements++) {
    while (at < sheet.to && isSpace(text.charCodeAt(at))) at++;
    const value = valueAt(sheet, at, { level: 0, hash: false });
    if (value === undefined) return false;
    if (value.quoted) return maskString(sheet, kind, value);
    if (!/^[\d.]+$/.test(text.slice(value.start, value.end)) || text.charCodeAt(value.end) !== 44) return false;
    at = value.end + 1;
  }
  return false;
}

function maskString(sheet: Sheet, kind: KeyKind, value: Value): boolean {
  const written = sheet.text.slice(value.start, Math.min(value.end, value.start + 256));
  if (kind === 'cookie') {
    maskCookies(sheet, value.start, value.end);
    return true;
  }
  if (isPlaceholder(written)) return true;
  // Lists of names look the same: `["username", "password", "email"]`.
  if (
    /^[A-Za-z_-]+$/.test(written) &&
    (written.length < 8 || classifyKey(written) !== null || /^[a-z_-]+$/.test(written))
  )
    return false;
  if (!isSecretValue(kind, written, { tight: true, parameter: false })) return false;
  mark(sheet, listRule, value.start, value.end);
  return true;
}

/** The argument behind the name of a field: `fill("#password", "…")`, `setItem('token', '…')`. */
function maskArgument(sheet: Sheet, kind: KeyKind, from: number): boolean {
  let at = from;
  while (at < sheet.to && isSpace(sheet.text.charCodeAt(at))) at++;
  const value = valueAt(sheet, at, { level: 0, hash: false });
  if (value?.quoted !== true) return false;
  const written = sheet.text.slice(value.start, value.end);
  if (isPlaceholder(written)) return true;
  if (!isSecretValue(kind, written, { tight: true, parameter: false })) return false;
  mark(sheet, callRule, value.start, value.end);
  return true;
}

const chained =
  /\s{0,20}\.\s{0,20}(?:fill|type|pressSequentially|setValue|val|sendKeys|send_keys|set|selectOption|press)\s{0,4}\(\s{0,20}/y;

/** The argument of the call that follows: `getByLabel('Password').fill('…')`. */
function maskChained(sheet: Sheet, kind: KeyKind, from: number): boolean {
  chained.lastIndex = from;
  const match = chained.exec(sheet.text);
  return match === null || chained.lastIndex > sheet.to ? false : maskArgument(sheet, kind, chained.lastIndex);
}

function isLiteralStart(c: number): boolean {
  return isQuote(c) || c === 92 || c === 38;
}

const flags = /^(?:secret|sensitive|masked|password|is_?secret|is_?password|is_?sensitive)$/i;

/** `{"text":"…","secret":true}`: the flag speaks of its neighbours. */
export function maskFlagged(sheet: Sheet, name: Name): void {
  if (!flags.test(sheet.text.slice(name.start, name.end))) return;
  maskFields(sheet, siblingsOf(sheet, name.start, name.end), 'password');
}

const call = /\s{0,4}\(\s{0,20}/y;

/** What logs in: `auth.login("…")`, `"method":"login","params":["…"]`. Returns where the scan goes on. */
export function onLogin(sheet: Sheet, start: number, end: number): number {
  call.lastIndex = end;
  if (call.exec(sheet.text) !== null && call.lastIndex < sheet.to) {
    let at = call.lastIndex;
    for (let count = 0; count < 4 && isLiteralStart(sheet.text.charCodeAt(at)); count++) {
      const value = valueAt(sheet, at, { level: 0, hash: false });
      if (value?.quoted !== true) break;
      const written = sheet.text.slice(value.start, value.end);
      if (isSecretValue('secret', written, { tight: true, parameter: false }))
        mark(sheet, callRule, value.start, value.end);
      at = value.end + 1;
      while (at < sheet.to && (isSpace(sheet.text.charCodeAt(at)) || sheet.text.charCodeAt(at) === 44)) at++;
    }
    return end;
  }
  const literal = literalAround(sheet, { start, end, kind: 'weak', dotted: false, option: false });
  if (
    literal !== undefined &&
    literal.text.length <= 32 &&
    /^[:=]$/.test(sheet.text[literal.before] ?? '') &&
    /^(?:method|action|op)$/i.test(keyBefore(sheet, literal.before))
  ) {
    maskParams(sheet, siblingsOf(sheet, start, end), true);
  }
  return end;
}
