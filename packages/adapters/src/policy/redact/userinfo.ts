import { isAlnum, isSpace } from './characters.ts';
import { percentAt } from './escapes.ts';
import { isPlaceholder } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { mark, partOf, type Sheet } from './sheet.ts';

const userinfoRule = ruleIndex('url-userinfo');
const bareRule = ruleIndex('bare-userinfo');

/** Longest user name and password before an `@`. */
const longest = 300;

/** Masks what stands between `//` and `@`, plain or percent-encoded, and `name:password@host` without a scheme. */
export function scanUserinfo(sheet: Sheet): void {
  const part = partOf(sheet);
  for (let at = part.indexOf('@'); at >= 0; at = part.indexOf('@', at + 1)) onAt(sheet, sheet.from + at);
  if (!part.includes('%')) return;
  for (let at = part.indexOf('40'); at >= 0; at = part.indexOf('40', at + 2)) {
    const start = escapeStart(part, at);
    const escape = start < 0 ? undefined : percentAt(part, start);
    if (escape?.end === at + 2) onEncodedAt(sheet, sheet.from + start, escape.level);
  }
}

/** The percent sign of the escape whose last two digits are at `at`: `%40`, `%2540`. -1 when there is none. */
function escapeStart(part: string, at: number): number {
  let i = at - 1;
  while (part.charCodeAt(i) === 53 && part.charCodeAt(i - 1) === 50) i -= 2;
  return part.charCodeAt(i) === 37 ? i : -1;
}

function onAt(sheet: Sheet, at: number): void {
  const { text } = sheet;
  if (!isHostStart(text, at + 1)) return;
  const lowest = Math.max(sheet.from, at - longest);
  let start = at;
  let signs = 0;
  while (start > lowest) {
    const c = text.charCodeAt(start - 1);
    // A password may hold a raw `@`, but not many.
    if (c === 64 && ++signs > 4) return;
    if (
      isSpace(c) ||
      c === 47 ||
      c === 34 ||
      c === 39 ||
      c === 60 ||
      c === 62 ||
      c === 96 ||
      c === 92 ||
      c === 63 ||
      c === 35
    )
      break;
    start--;
  }
  if (start === at) return;
  const written = text.slice(start, at);
  if (isPlaceholder(written)) return;
  const before = text.charCodeAt(start - 1);
  const isAuthority =
    before === 47 &&
    (text.charCodeAt(start - 2) === 47 || (text.charCodeAt(start - 2) === 92 && text.charCodeAt(start - 3) === 47));
  if (isAuthority) {
    // `https://host/x//y@z` has its slashes in the path: an authority begins the address.
    const c = text.charCodeAt(start - 3);
    const isBeginning =
      !(isAlnum(c) || c === 45 || c === 95 || c === 46 || c === 47) || text.charCodeAt(start - 2) === 92;
    if (isBeginning) mark(sheet, userinfoRule, start, at);
    return;
  }
  if (before === 47) return;
  const sign = /^(?:.*[\s=([{,;|&])?([\w.+-]{1,64}):([^:]{4,})$/.exec(written);
  const name = sign?.[1] ?? '';
  const secret = sign?.[2] ?? '';
  if (secret === '' || /^(?:mailto|acct|sips?|xmpp|sha\d*|image|tel|im)$/i.test(name) || isPlaceholder(secret)) return;
  if (/^[a-z]+$/.test(secret) || !/\d/.test(secret)) return;
  mark(sheet, bareRule, at - secret.length, at);
}

/** A host name, an address or a bracket follows. */
function isHostStart(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  return isAlnum(c) || c === 91 || c > 127;
}

/** `http%3A%2F%2Fuser%3Apassword%40host`. */
function onEncodedAt(sheet: Sheet, at: number, level: number): void {
  const { text } = sheet;
  const lowest = Math.max(sheet.from, at - longest);
  for (let i = at - 1; i > lowest; i--) {
    const c = text.charCodeAt(i);
    if (isSpace(c) || c === 38 || c === 34 || c === 39 || c === 60 || c === 62) return;
    if (c !== 37) continue;
    const escape = percentAt(text, i);
    if (escape?.code !== 47 || escape.level !== level) continue;
    const width = escape.end - i;
    if (percentAt(text, i - width)?.code === 47 && !isPlaceholder(text.slice(escape.end, at))) {
      mark(sheet, userinfoRule, escape.end, at);
    }
    return;
  }
}
