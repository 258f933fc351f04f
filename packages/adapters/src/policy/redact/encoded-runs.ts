import { classifyKey } from './classify-key.ts';
import { entityAt, percentAt, scriptEscapeAt } from './escapes.ts';
import { onName } from './names.ts';
import { findsSecret } from './rescan.ts';
import { ruleIndex } from './rules.ts';
import { mark, partOf, type Sheet } from './sheet.ts';

const encodedRule = ruleIndex('encoded-text');

const runs =
  /(?:%(?:25){0,3}[2-7][0-9a-f]){3,}|(?:\\{1,4}u00[2-7][0-9a-f]){3,}|(?:&#(?:x[2-7][0-9a-f]|\d{2,3});){3,}/gi;

/** Escapes of letters begin so. Looked for first, since most texts have none. */
const percents = ['%6', '%7', '%256', '%257', '%25256', '%25257', '%4', '%5'];

/** Longest run that is decoded, characters. */
const longest = 16_384;

/**
 * Text of which every character is escaped, names included: `%70%61%73%73%6b%65%79%3d…`. Masks the run when a secret
 * shows in it, and treats it as a name when it spells one.
 */
export function scanEncodedRuns(sheet: Sheet): void {
  const part = partOf(sheet);
  const isEscaped = part.includes('%') && percents.some((head) => part.includes(head));
  if (!isEscaped && !part.includes('\\u00') && !part.includes('&#')) return;
  for (const match of part.matchAll(runs)) {
    const start = sheet.from + match.index;
    onRun(sheet, start, start + Math.min(longest, match[0].length));
  }
}

function onRun(sheet: Sheet, start: number, end: number): void {
  let written = '';
  for (let at = start; at < end;) {
    const character = percentAt(sheet.text, at) ?? entityAt(sheet.text, at) ?? scriptEscapeAt(sheet.text, at);
    if (character === undefined) break;
    written += String.fromCharCode(character.code);
    at = character.end;
  }
  if (written.length >= 8 && findsSecret(sheet, written)) {
    mark(sheet, encodedRule, start, end);
    return;
  }
  const kind = /^[\w.-]{3,40}$/.test(written) ? classifyKey(written) : null;
  if (kind !== null) onName(sheet, { start, end, kind, dotted: true, option: false });
}
