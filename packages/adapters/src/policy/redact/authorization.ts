import { isSpace } from './characters.ts';
import { isPlaceholder } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { mark, type Sheet } from './sheet.ts';
import { longestValue } from './value.ts';

const authorizationRule = ruleIndex('authorization');
const bearerRule = ruleIndex('bearer');

const schemes =
  /(?:bearer|basic|token|digest|negotiate|ntlm|hawk|oauth|apikey|api-key|bot|mediabrowser|emby|aws4-hmac-sha256|mac|dpop|jwt|passkey|key)(?=[ \t]+[^\s=])[ \t]+/iy;
const parameter = /([\w-]{1,40})[ \t]*=[ \t]*(?:\\*"([^"\\\r\n]{0,2000})|([^\s,"']{1,2000}))/gy;
const publicParameters =
  /^(?:realm|uri|qop|algorithm|nc|username|charset|client|device|version|signedheaders|scope|error|error_description)$/i;

/**
 * Masks the credentials of an `Authorization` value that begins at `start` (RFC 9110 section 11.6.2): one scheme, then a
 * token or `name="value"` pairs. The scheme stays, and so does what describes the realm.
 */
export function maskAuthorization(sheet: Sheet, start: number, to: number): void {
  const { text } = sheet;
  // `Authorization: ["Bearer …"]`, as settings write it.
  let from = start;
  while (from < to && /[[{"'\s]/.test(text[from] ?? '')) from++;
  schemes.lastIndex = from;
  const scheme = schemes.exec(text);
  const at = scheme === null ? from : schemes.lastIndex;
  if (maskParameters(sheet, at, to)) return;
  let end = at;
  const limit = Math.min(to, at + longestValue);
  while (end < limit && !isSpace(text.charCodeAt(end)) && !isTokenEnd(text.charCodeAt(end))) end++;
  if (!isPlaceholder(text.slice(at, end)) && text.charCodeAt(at) !== 40) mark(sheet, authorizationRule, at, end);
}

/** Comma, quotes, backslash: none of them is in a token. */
function isTokenEnd(c: number): boolean {
  return c === 44 || c === 34 || c === 39 || c === 92;
}

function maskParameters(sheet: Sheet, from: number, to: number): boolean {
  const { text } = sheet;
  let at = from;
  let found = false;
  for (let count = 0; count < 24 && at < to; count++) {
    parameter.lastIndex = at;
    const match = parameter.exec(text);
    if (
      match === null ||
      parameter.lastIndex > to ||
      (count === 0 && match[2] === undefined && !/^\w+=\S+,\s*\w+=/.test(text.slice(at, Math.min(to, at + 200))))
    )
      break;
    found = true;
    const value = match[2] ?? match[3] ?? '';
    const end = parameter.lastIndex;
    if (!publicParameters.test(match[1] ?? '') && !isPlaceholder(value))
      mark(sheet, authorizationRule, end - value.length, end);
    at = end;
    while (at < to && /["',\s\\]/.test(text[at] ?? '')) at++;
  }
  return found;
}

const bearerValue = /[ \t]+(?:\\*["'])?([A-Za-z0-9._~+/|=%-]{12,4096})/y;

/** `Bearer …` and `Basic …` wherever they stand: in messages, code, JSON values. */
export function onScheme(sheet: Sheet, end: number): number {
  bearerValue.lastIndex = end;
  const match = bearerValue.exec(sheet.text);
  if (match === null || bearerValue.lastIndex > sheet.to) return end;
  const value = match[1] ?? '';
  const looks = /\d/.test(value) && /[A-Za-z]/.test(value) ? !/^[a-z]+[.-]?\d+$/i.test(value) : value.length >= 20;
  if (!looks || isPlaceholder(value) || value.includes('..') || /^\d{4}[.-]/.test(value)) return end;
  mark(sheet, bearerRule, bearerValue.lastIndex - value.length, bearerValue.lastIndex);
  return bearerValue.lastIndex;
}
