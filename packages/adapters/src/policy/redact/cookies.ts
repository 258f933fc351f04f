import { classifyKey } from './classify-key.ts';
import { isBlank } from './characters.ts';
import { isPlaceholder } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { isMeasure } from './shapes.ts';
import { mark, type Sheet } from './sheet.ts';

const cookieRule = ruleIndex('cookie');

/** Attributes of `Set-Cookie` (RFC 6265 section 4.1) and cookies that only remember how a page is shown. */
const shown = new Set(
  `expires max-age maxage path domain samesite version priority comment secure httponly partitioned lang language locale
   theme style skin view layout tz timezone sort order page cookieconsent consent country currency size hide`.split(
    /\s+/,
  ),
);

/**
 * Masks the values of `name=value; name=value` between `from` and `to`.
 *
 * Trackers name their session cookies as they like, so a value stays only when it is a small number, a short word or
 * the cookie is known to be about display.
 */
export function maskCookies(sheet: Sheet, from: number, to: number): void {
  const { text } = sheet;
  let at = from;
  while (at < to) {
    while (at < to && (isBlank(text.charCodeAt(at)) || text.charCodeAt(at) === 59)) at++;
    let equals = at;
    while (equals < to && text.charCodeAt(equals) !== 61 && text.charCodeAt(equals) !== 59) equals++;
    if (equals >= to || text.charCodeAt(equals) === 59) {
      at = equals + 1;
      continue;
    }
    let end = equals + 1;
    while (end < to && text.charCodeAt(end) !== 59) end++;
    const next = end + 1;
    while (end > equals + 1 && isBlank(text.charCodeAt(end - 1))) end--;
    let start = equals + 1;
    if (text.charCodeAt(start) === 34 && text.charCodeAt(end - 1) === 34 && end - start > 1) {
      start++;
      end--;
    }
    if (!isHarmless(text.slice(at, equals), text.slice(start, end))) mark(sheet, cookieRule, start, end);
    at = next;
  }
}

/** Whether a cookie says nothing about who is logged in. */
export function isHarmlessCookie(name: string, value: string): boolean {
  return isHarmless(name, value);
}

function isHarmless(name: string, value: string): boolean {
  if (value === '' || isPlaceholder(value)) return true;
  const plainName = name.trim().toLowerCase();
  if (shown.has(plainName)) return value.length < 64;
  const kind = classifyKey(plainName);
  if (kind === 'password' || kind === 'secret' || kind === 'pass' || plainName.startsWith('c_secure')) return false;
  return /^\d{1,6}$/.test(value) || /^[a-z]{1,8}(?:[-_][A-Za-z]{2,4})?$/.test(value) || isMeasure(value);
}
