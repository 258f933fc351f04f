import { isAlnum } from './characters.ts';
import { escapeEnd, lastWithin } from './escapes.ts';
import type { Name } from './identifier.ts';
import { ruleIndex } from './rules.ts';
import { mark, type Sheet } from './sheet.ts';
import { isCodeName, isNearToken } from './tokens.ts';

const nearRule = ruleIndex('near-name');

const reachBack = 110;
const reachOn = 170;

/**
 * Masks what looks like a key on the same line as a word for credentials: `typed "…" into e2 (Password)`,
 * `<b>…</b> ist dein Passkey`, `Login failed with password …`.
 */
export function maskNear(sheet: Sheet, name: Name): void {
  if (name.kind === 'weak' || name.kind === 'hash' || name.kind === 'session' || name.kind === 'pass') return;
  const { text } = sheet;
  const lowest = Math.max(sheet.from, name.start - reachBack);
  const from = Math.max(lowest, lastWithin(text, 10, name.start - 1, lowest) + 1, sheet.nearDone);
  const to = Math.min(sheet.to, name.end + reachOn);
  let at = from;
  // A run that begins before the window is not judged by its tail.
  if (at === lowest && at > sheet.from) while (at < name.start && isAlnum(text.charCodeAt(at))) at++;
  while (at < to) {
    const c = text.charCodeAt(at);
    if (c === 10 && at >= name.end) break;
    if (!isAlnum(c)) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < sheet.to && end < at + 256 && isAlnum(text.charCodeAt(end))) end++;
    const start = at > sheet.from ? escapeEnd(text, at) : at;
    const isOther = start >= name.end || end <= name.start;
    if (end - start >= 8 && isOther && !isCodeName(sheet, start, end) && isNearToken(sheet, start, end)) {
      mark(sheet, nearRule, start, end);
    }
    at = end;
  }
  sheet.nearDone = Math.max(sheet.nearDone, at);
}
