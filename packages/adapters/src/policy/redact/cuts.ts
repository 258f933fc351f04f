import { type A11yLine, lineEnd, nextLine, readLine, shownText } from './a11y-lines.ts';
import { isAlnum } from './characters.ts';
import { classifyKey } from './classify-key.ts';
import { labelFacts } from './label-kind.ts';
import { isPlaceholder } from './marker.ts';
import { credentialSegments, feedSegments } from './path-words.ts';
import { ruleIndex } from './rules.ts';
import { isCode, isDigestHex, isTokenish, shapeOf } from './shapes.ts';
import { mark, partOf, type Sheet } from './sheet.ts';
import { isPublicParameter, parameterBefore, pathPlace } from './token-context.ts';

const cutRule = ruleIndex('cut-window');

/** The line that camofox 1.17 puts between the head of a window and the tail of the page (lib/snapshot.js). */
const seam = /\n\[\.\.\. truncated at char \d+ of \d+\.[^\n]{0,200}\]\n/g;

/**
 * Masks what a window's cut left of a secret: the upstream serves a snapshot in pieces that begin and end within a
 * line, so that half a password stands there without its label, or all of it in the first line of the next window.
 */
export function maskCuts(sheet: Sheet): void {
  if (sheet.atStart) maskHead(sheet, sheet.from);
  const part = partOf(sheet);
  if (sheet.atEnd && /\n *- /.test(part)) maskTail(sheet, sheet.to);
  if (!part.includes('\n[... truncated at')) return;
  for (const match of part.matchAll(seam)) {
    maskTail(sheet, sheet.from + match.index);
    maskHead(sheet, sheet.from + match.index + match[0].length);
  }
}

/** What begins within a line or, as an indented line shows, within an element. A whole snapshot begins at the margin. */
function maskHead(sheet: Sheet, start: number): void {
  const end = lineEnd(sheet, start);
  if (end >= sheet.to) return;
  const first = readLine(sheet, start);
  if (first === undefined && end > start) maskRest(sheet, start, end);
  const second = readLine(sheet, end + 1);
  // A whole snapshot begins at the margin, and only a line that opens has deeper ones below.
  const isWhole = first !== undefined && first.indent === 0 && (first.opens || (second?.indent ?? 0) === 0);
  const next = first ?? second;
  if (!isWhole && next !== undefined) maskOrphans(sheet, next);
}

const valueSign = /(?:"|^|^[\w =]{0,24}\])(?: ?\[[^\]]{0,40}\]){0,4}'?: (?=\S)/;

/** The rest of a line: the value behind its sign goes, and so does what comes before the first delimiter. */
function maskRest(sheet: Sheet, start: number, end: number): void {
  const line = sheet.text.slice(start, end);
  if (isPlaceholder(line)) return;
  const quoted = /^\s*(?=["'])/.exec(line);
  if (quoted !== null) return mark(sheet, cutRule, start + quoted[0].length + 1, end);
  const value = valueSign.exec(line);
  if (value !== null) {
    const from = start + value.index + value[0].length;
    if (!isPlaceholder(sheet.text.slice(from, end).replace(/^["']/, ''))) mark(sheet, cutRule, from, end);
  }
  // Without a quote the line is the rest of a value; with one, of a name or an address.
  const head = line.includes('"') ? (/^[^"&\s]*/.exec(line)?.[0] ?? '') : line;
  if (head === line || !/^(?:[a-z]*|\[?\w{0,9}\]:?)$/i.test(head)) mark(sheet, cutRule, start, start + head.length);
}

const valueRoles: ReadonlySet<string> = new Set([
  'cell',
  'gridcell',
  'text',
  'code',
  'definition',
  'listitem',
  'paragraph',
]);

/** Values right behind a cut, whose label may stand in the window before. */
function maskOrphans(sheet: Sheet, from: A11yLine): void {
  let line: A11yLine | undefined = from;
  for (let lines = 0; line !== undefined && lines < 16; lines++) {
    const [start, end] = shownText(line);
    const text = sheet.text.slice(start, Math.min(end, start + 120)).trim();
    const isValue = valueRoles.has(line.role) && end - start < 100 && !isPlaceholder(text);
    if (isValue && (/[- ]/.test(text) ? isCode(text) : isTokenish(text, 6))) mark(sheet, cutRule, start, end);
    else if (lines > 3) return;
    line = nextLine(sheet, line);
  }
}

/** `feed=torrents_notify_…`: the name of the parameter before the underscore pieces of its value. */
function listedParameter(sheet: Sheet, start: number): string | undefined {
  let at = start;
  while (
    at > sheet.from &&
    start - at < 48 &&
    (isAlnum(sheet.text.charCodeAt(at - 1)) || sheet.text.charCodeAt(at - 1) === 95)
  )
    at--;
  return at === start || sheet.text.charCodeAt(start - 1) !== 95 ? undefined : parameterBefore(sheet, at);
}

/** The last word, where a name or a path leads to it and too little is left of it to be recognised by its shape. */
function maskTail(sheet: Sheet, end: number): void {
  const { text } = sheet;
  let start = end;
  while (start > sheet.from && end - start < 64 && isAlnum(text.charCodeAt(start - 1))) start--;
  if (start === end) return;
  const parameter = parameterBefore(sheet, start) ?? listedParameter(sheet, start);
  if (parameter !== undefined) {
    const word = text.slice(start, end);
    if (/\d/.test(word) && /[A-Za-z]/.test(word) && isTokenish(word, 5) && !isPublicParameter(parameter))
      mark(sheet, cutRule, start, end);
    if (end - start >= 4 && !isDigestHex(shapeOf(text, start, end)) && classifyKey(parameter) !== null)
      mark(sheet, cutRule, start, end);
    return;
  }
  const word = text.slice(start, end);
  const place = pathPlace(sheet, start, end);
  if (place !== undefined) {
    const before = place.before[0] ?? '';
    const leads = credentialSegments.has(before) || feedSegments.has(before);
    if (leads && /\d/.test(word) && !/^\d{1,8}$/.test(word)) mark(sheet, cutRule, start, end);
    return;
  }
  const line = text.slice(Math.max(sheet.from, start - 80), start);
  const { kind } = labelFacts(line.slice(line.lastIndexOf('\n') + 1));
  const isTelling = kind === 'password' || kind === 'secret' || kind === 'code' || kind === 'recovery';
  if (isTelling && /[0-9]|[a-z][A-Z]/.test(word) && !/^e?\d{1,3}$/.test(word)) mark(sheet, cutRule, start, end);
}
