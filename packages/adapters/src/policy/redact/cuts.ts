import { lineEnd, readLine } from './a11y-lines.ts';
import { isAlnum, isSpace } from './characters.ts';
import { isPlaceholder } from './marker.ts';
import { credentialSegments, feedSegments } from './path-words.ts';
import { ruleIndex } from './rules.ts';
import { mark, partOf, type Sheet } from './sheet.ts';
import { pathPlace } from './token-context.ts';

const cutRule = ruleIndex('cut-window');

/** The line that camofox 1.17 puts between the head of a window and the tail of the page (lib/snapshot.js). */
const seam = /\n\[\.\.\. truncated at char \d+ of \d+\.[^\n]{0,200}\]\n/g;

/**
 * Masks what a window's cut left of a secret: the upstream serves a snapshot in pieces that begin and end within a
 * line, so that half a password stands there without its label.
 */
export function maskCuts(sheet: Sheet): void {
  if (sheet.atStart) maskHead(sheet, sheet.from);
  if (sheet.atEnd) maskTail(sheet, sheet.to);
  const part = partOf(sheet);
  if (!part.includes('\n[... truncated at')) return;
  for (const match of part.matchAll(seam)) {
    maskTail(sheet, sheet.from + match.index);
    maskHead(sheet, sheet.from + match.index + match[0].length);
  }
}

/** The first line, when it is no whole line: a value behind `: ` goes, and so does what comes before the first delimiter. */
function maskHead(sheet: Sheet, start: number): void {
  const { text } = sheet;
  const end = lineEnd(sheet, start);
  if (end >= sheet.to || end === start || readLine(sheet, start) !== undefined) return;
  const line = text.slice(start, end);
  if (isPlaceholder(line) || !/^\s*- /m.test(text.slice(end, Math.min(sheet.to, end + 200)))) return;
  const value = /"(?: \[[^\]]{0,40}\]){0,4}'?: (?=\S)/.exec(line);
  if (value !== null) {
    const from = start + value.index + value[0].length;
    if (!isPlaceholder(text.slice(from, end))) mark(sheet, cutRule, from, end);
  }
  // Without a quote the line is the rest of a value; with one, of a name or an address.
  const head = line.includes('"') ? (/^[^"&\s]*/.exec(line)?.[0] ?? '') : line;
  if (head === line || !/^[a-z]*$/i.test(head)) mark(sheet, cutRule, start, start + head.length);
}

/** The last word, when a path for keys leads to it and too little is left of it to be recognised. */
function maskTail(sheet: Sheet, end: number): void {
  let start = end;
  while (start > sheet.from && end - start < 64 && isAlnum(sheet.text.charCodeAt(start - 1))) start--;
  if (end - start < 3 || isSpace(sheet.text.charCodeAt(start - 1))) return;
  if (!/\d/.test(sheet.text.slice(start, end)) || /^\d{1,8}$/.test(sheet.text.slice(start, end))) return;
  const place = pathPlace(sheet, start, end);
  if (place === undefined) return;
  const before = place.before[0] ?? '';
  if (credentialSegments.has(before) || feedSegments.has(before)) mark(sheet, cutRule, start, end);
}
