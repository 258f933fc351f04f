import { maskEncoded } from './base64.ts';
import { bencodeEnd } from './bencode.ts';
import { isAlnum } from './characters.ts';
import { classifyKey } from './classify-key.ts';
import { escapeEnd, indexWithin } from './escapes.ts';
import { assetFile, assetSegments, credentialSegments, feedSegments } from './path-words.ts';
import { ruleIndex } from './rules.ts';
import { isCamel, isDigestHex, isKeyHex, isMixedHex, isUlid, looksRandom, type Shape, shapeOf } from './shapes.ts';
import { mark, settledMarks, type Sheet } from './sheet.ts';
import {
  hasPublicLabel,
  isChecksumLine,
  isHyphenGroup,
  isPublicParameter,
  parameterBefore,
  type PathPlace,
  pathPlace,
} from './token-context.ts';

const queryRule = ruleIndex('query-token');
const announceRule = ruleIndex('announce-key');
const feedRule = ruleIndex('feed-key');
const pathRule = ruleIndex('path-token');
const linkRule = ruleIndex('one-time-link');
const bareRule = ruleIndex('bare-token');

/** Shortest run of letters and digits that is looked at without a name beside it. */
const shortest = 16;

/**
 * Finds runs of at least 16 letters and digits and judges them by shape and place.
 *
 * Looks at one character in sixteen: a run that long covers one of them.
 */
export function scanTokens(sheet: Sheet): void {
  const { text, from, to } = sheet;
  // What the names led to is settled; these marks are passed on the way.
  const settled = settledMarks(sheet).slice();
  let passed = 0;
  let last = from - 1;
  for (let i = from + shortest - 1; i < to;) {
    if (!isAlnum(text.charCodeAt(i))) {
      last = i;
      i += shortest;
      continue;
    }
    let start = i;
    while (start > last + 1 && isAlnum(text.charCodeAt(start - 1))) start--;
    let end = i + 1;
    while (end < to && isAlnum(text.charCodeAt(end))) end++;
    if (end - start >= shortest) {
      while (passed < settled.length && (settled[passed + 1] ?? 0) <= start) passed += 3;
      const isSettled = passed < settled.length && (settled[passed] ?? 0) <= start;
      if (!isSettled) end = Math.max(end, onRun(sheet, start, end));
    }
    last = end;
    i = end + shortest;
  }
}

/** Judges one run; where the scan goes on. */
function onRun(sheet: Sheet, from: number, to: number): number {
  const start = from > sheet.from ? escapeEnd(sheet.text, from) : from;
  if (to - start < shortest) return to;
  const shape = shapeOf(sheet.text, start, to);
  if (shape.digits === shape.length) return to;
  if (shape.digits === 0 && (shape.lowers === 0 || shape.uppers === 0) && shape.length < 24) return to;
  const settled = maskEncoded(sheet, start, to);
  if (settled === 0) judge(sheet, start, to, shape);
  return Math.max(settled, to);
}

function judge(sheet: Sheet, start: number, end: number, shape: Shape): void {
  const random = looksRandom(shape);
  const keyHex = isKeyHex(shape);
  const hex = shape.hex && isMixedHex(shape);
  if (!random && !hex) return;
  const { text } = sheet;
  const parameter = parameterBefore(sheet, start);
  if (parameter !== undefined) {
    if (isDigestHex(shape) || isPublicParameter(parameter)) return;
    if (keyHex || random) mark(sheet, queryRule, start, joinedEnd(sheet, end));
    return;
  }
  if (hasPublicLabel(sheet, start)) return;
  // A host name: what it is called is public.
  if (text.charCodeAt(start - 1) === 47 && text.charCodeAt(start - 2) === 47 && text.charCodeAt(end) === 46) return;
  // ed2k links keep their digest between bars.
  if (text.charCodeAt(start - 1) === 124 && text.charCodeAt(end) === 124) return;
  // The tail of a cookie's name: `wordpress_logged_in_<hash>=…`.
  if (text.charCodeAt(start - 1) === 95 && text.charCodeAt(end) === 61) return;
  const place = pathPlace(sheet, start, end);
  if (place !== undefined) {
    const rule = pathVerdict(place, shape, random || keyHex);
    if (rule >= 0) mark(sheet, rule, start, bencodeEnd(sheet, start, joinedEnd(sheet, end)));
    return;
  }
  if (isDigestHex(shape) || isChecksumLine(sheet, start, end) || isHyphenGroup(sheet, start, end)) return;
  if (keyHex || (random && !shape.hex && end - start >= 20 && !isPublicWord(text.slice(start, end)))) {
    mark(sheet, bareRule, start, joinedEnd(sheet, end));
  }
}

/** Time-ordered ids, and long names of functions. */
function isPublicWord(value: string): boolean {
  return isUlid(value) || isCamel(value);
}

/** The rule that takes a token at this place of a path, or -1. */
export function pathVerdict(place: PathPlace, shape: Shape, tokenish: boolean): number {
  const near = place.before[0] ?? '';
  const beside = credentialSegments.has(near) ? near : credentialSegments.has(place.after) ? place.after : '';
  const farther = credentialSegments.has(place.before[1] ?? '');
  if (/^(?:announce|scrape|tracker)/.test(beside) || /^(?:announce|scrape)/.test(place.after)) return announceRule;
  if (beside !== '' || farther) return tokenish || isDigestHex(shape) ? linkRule : -1;
  if (isDigestHex(shape)) return /^(?:rss|feed|feeds|getrss|api|torznab)$/.test(near) ? feedRule : -1;
  if (!tokenish) return -1;
  if (assetFile.test(place.tail) || place.before.some((segment) => assetSegments.has(segment))) return -1;
  return place.before.some((segment) => feedSegments.has(segment)) ? feedRule : pathRule;
}

/** A token may go on behind `-` or `_`, as base64url does: the mark follows while the next piece looks like more of it. */
function joinedEnd(sheet: Sheet, from: number): number {
  const { text, to } = sheet;
  let end = from;
  for (let pieces = 0; pieces < 16; pieces++) {
    const c = text.charCodeAt(end);
    if (c !== 45 && c !== 95) break;
    let next = end + 1;
    while (next < to && isAlnum(text.charCodeAt(next))) next++;
    const shape = shapeOf(text, end + 1, next);
    if (next - end < 2 || !(looksRandom(shape) || (shape.length <= 6 && shape.uppers > 0 && shape.lowers > 0))) break;
    end = next;
  }
  return end;
}

/** Shape tests for a token that stands near a word for credentials, where less is enough. */
export function isNearToken(sheet: Sheet, start: number, end: number): boolean {
  const shape = shapeOf(sheet.text, start, end);
  if (isDigestHex(shape) || shape.digits === shape.length) return false;
  const value = sheet.text.slice(start, end);
  if (/^(?:s\d+)?(?:e\d+)+$|^\d{2,5}x\d{2,5}$/i.test(value)) return false;
  if (isCamel(value) || classifyKey(value) !== null) return false;
  const hex = shape.hex && shape.length >= 12 && isMixedHex(shape);
  const mixed = shape.lowers > 0 && shape.uppers > 0;
  const random =
    looksRandom(shape) &&
    (shape.digits > 0 ? shape.length >= (mixed ? 8 : 12) : shape.length >= 10 && shape.turns * 2 >= shape.length - 1);
  if (!hex && !random) return false;
  const place = pathPlace(sheet, start, end);
  if (place !== undefined && pathVerdict(place, shape, true) < 0) return false;
  return !hasPublicLabel(sheet, start) && !isHyphenGroup(sheet, start, end) && !isChecksumLine(sheet, start, end);
}

/** Whether `.` or a call, sign or colon follows, as behind identifiers of code and in titles. */
export function isCodeName(sheet: Sheet, start: number, end: number): boolean {
  const c = sheet.text.charCodeAt(end);
  const before = sheet.text.charCodeAt(start - 1);
  const dotted = before === 46 || (c === 46 && isAlnum(sheet.text.charCodeAt(end + 1)));
  return dotted || c === 40 || c === 61 || (c === 58 && indexWithin(sheet.text, 58, end, end + 2) === end);
}
