import { type A11yLine, lineStart, nextLine, previousLine, readLine, roleOf, shownText } from './a11y-lines.ts';
import { isAlnum } from './characters.ts';
import type { KeyKind } from './classify-key.ts';
import type { Name } from './identifier.ts';
import { isPlaceholder, isStateWord } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { isCode, isDigestHex, isMeasure, isMixedHex, isTokenish, isUuid, shapeOf } from './shapes.ts';
import { mark, type Sheet } from './sheet.ts';
import { isMixedWord, isPasswordLike, isStrong } from './verdict.ts';

const neighbourRule = ruleIndex('labelled-cell');
const recoveryRule = ruleIndex('recovery-codes');

/** Roles whose text can be a label. */
const labelRoles: ReadonlySet<string> = new Set(
  `cell gridcell rowheader columnheader term definition heading text paragraph strong emphasis code listitem generic
   group label caption legend alert status note time deletion insertion mark region article section`.split(/\s+/),
);
/** Roles whose text can be a value. */
const valueRoles: ReadonlySet<string> = new Set(
  'cell gridcell text paragraph strong emphasis code definition term listitem generic mark heading insertion'.split(
    ' ',
  ),
);

/** Longest text that still is a label and no sentence. */
const longestLabel = 64;

/**
 * Treats the line of a snapshot that holds a word for credentials as a label: the cells and texts beside it lose what
 * looks like the value. True when the line is one of a snapshot.
 */
export function onLabelLine(sheet: Sheet, name: Name): boolean {
  const start = lineStart(sheet, name.start, 600);
  if (start < 0 || !labelRoles.has(roleOf(sheet, start))) return false;
  const line = readLine(sheet, start);
  if (line === undefined) return false;
  if (line.role === 'columnheader') maskColumn(sheet, line, name.kind);
  const [from, to] = shownText(line);
  if (name.start < from || name.end > to) return false;
  const text = sheet.text.slice(from, to);
  const isLabel = to - from <= longestLabel && !/[.!?。！？].*\s/.test(text);
  const isWeak = name.kind === 'weak' || name.kind === 'pass' || name.kind === 'session' || name.kind === 'hash';
  if (isWeak && (!isLabel || text.trim().split(/\s+/).length > 3 || name.kind === 'hash')) return false;
  const kind = name.kind === 'recovery' && /code|代码|码|コード|코드|код|碼/i.test(text) ? 'recovery' : name.kind;
  if (kind === 'recovery') maskCodes(sheet, line);
  const found = maskFollowing(sheet, line, kind);
  if (!found) maskPreceding(sheet, line, kind);
  return found;
}

/** The texts after a label, up to the next row: at most three of them. */
function maskFollowing(sheet: Sheet, label: A11yLine, kind: KeyKind): boolean {
  const isCell = label.role === 'cell' || label.role === 'rowheader' || label.role === 'gridcell';
  let line = nextLine(sheet, label);
  let found = false;
  let seen = label.end;
  for (let texts = 0, lines = 0; line !== undefined && texts < 3 && lines < 8; lines++) {
    if (line.indent < label.indent && (isCell || line.indent < label.indent - 2)) break;
    if (line.role === 'row') break;
    seen = line.end;
    if (valueRoles.has(line.role)) {
      const [from, to] = shownText(line);
      if (to > from) {
        texts++;
        if (maskText(sheet, { from, to, kind, strict: false })) found = true;
        else if (found) break;
      }
    }
    line = nextLine(sheet, line);
  }
  if (found && isCell) maskRepeats(sheet, label, seen);
  return found;
}

/** A value may stand before its label (`<dd>` first, or a note below the key): only what cannot be anything else goes. */
function maskPreceding(sheet: Sheet, label: A11yLine, kind: KeyKind): void {
  let line = previousLine(sheet, label);
  for (let lines = 0; line !== undefined && lines < 3; lines++) {
    if (valueRoles.has(line.role) && line.role !== 'heading') {
      const [from, to] = shownText(line);
      if (to > from && !maskText(sheet, { from, to, kind, strict: true })) return;
    } else return;
    line = previousLine(sheet, line);
  }
}

/** How many lines of a table are read below the head of a column. */
const columnLines = 80;

/** The cells under the head of a column, and the names of the rows that repeat them. */
function maskColumn(sheet: Sheet, head: A11yLine, kind: KeyKind): void {
  let column = 0;
  for (let line = previousLine(sheet, head); line?.role === 'columnheader' && column < 30; column++)
    line = previousLine(sheet, line);
  let row: A11yLine | undefined;
  let cell = -1;
  let line = nextLine(sheet, head);
  for (let lines = 0; line !== undefined && line.indent >= head.indent - 2 && lines < columnLines; lines++) {
    if (line.role === 'row') {
      row = line;
      cell = -1;
    } else if (row !== undefined && line.indent === row.indent + 2) {
      cell++;
      const [from, to] = shownText(line);
      if (cell === column && to > from && maskText(sheet, { from, to, kind, strict: false }))
        maskRepeats(sheet, row, line.end);
    }
    line = nextLine(sheet, line);
  }
}

interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly kind: KeyKind;
  /** Ask for more than a digit and a letter. */
  readonly strict: boolean;
}

/** Masks a text that is a value, or the words of it that are. */
function maskText(sheet: Sheet, { from, to, kind, strict }: Candidate): boolean {
  if (to - from > 400) return false;
  const text = sheet.text.slice(from, to);
  if (isPlaceholder(text)) return true;
  // At the end of a window there may be only the beginning of a value.
  const isCut = !strict && sheet.atEnd && to >= sheet.to && /^\S{3,40}$/.test(text) && /\d/.test(text);
  if (isCut || isWholeValue(text.trim(), kind, strict)) {
    mark(sheet, neighbourRule, from, to);
    return true;
  }
  let found = false;
  for (const match of text.matchAll(/[^\s,;"'<>()：:]{6,200}/g)) {
    const word = match[0];
    if (/^(?:https?:)?\/\//.test(word) || !(isUuid(word) ? kind === 'secret' : isStrongWord(word))) continue;
    mark(sheet, neighbourRule, from + match.index, from + match.index + word.length);
    found = true;
  }
  return found;
}

function isStrongWord(word: string): boolean {
  const shape = shapeOf(word, 0, word.length);
  if (isDigestHex(shape)) return false;
  return !/[/.=]/.test(word) && isStrong(word, 10);
}

function isWholeValue(text: string, kind: KeyKind, strict: boolean): boolean {
  if (text.length < 4 || isStateWord(text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return false;
  const shape = shapeOf(text, 0, text.length);
  if (strict) return !/\s/.test(text) && ((shape.hex && shape.length >= 12 && isMixedHex(shape)) || isStrong(text, 12));
  if (kind === 'code' || kind === 'recovery') return isCode(text);
  if (/\s/.test(text) || isMeasure(text)) return false;
  if (kind === 'password') return isPasswordLike(text);
  if (kind === 'secret') return isUuid(text) || isTokenish(text, 6) || isMixedWord(text);
  return isUuid(text) || (shape.hex && shape.length >= 12 && isMixedHex(shape)) || isStrong(text, 10);
}

/** How many lines below and above a word for recovery codes are looked at. */
const codesBelow = 24;
const codesAbove = 8;

/** Recovery codes are printed as a list below or above the word for them. */
function maskCodes(sheet: Sheet, label: A11yLine): void {
  let line = nextLine(sheet, label);
  for (let lines = 0; line !== undefined && lines < codesBelow; lines++) {
    if (line.start > sheet.codesDone) maskCode(sheet, line);
    sheet.codesDone = Math.max(sheet.codesDone, line.start);
    line = nextLine(sheet, line);
  }
  line = previousLine(sheet, label);
  for (let lines = 0; line !== undefined && lines < codesAbove; lines++) {
    maskCode(sheet, line);
    line = previousLine(sheet, line);
  }
}

const codeText = /^[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){1,7}$|^[A-Za-z0-9]{6,16}$/;

function maskCode(sheet: Sheet, line: A11yLine): void {
  if (!valueRoles.has(line.role)) return;
  const [from, to] = shownText(line);
  if (to - from < 4 || to - from > 80) return;
  const text = sheet.text
    .slice(from, to)
    .trim()
    .replace(/^\d{1,2}[.)] /, '');
  // The window may end within a code.
  const isCut = sheet.atEnd && line.end >= sheet.to && /^[A-Za-z0-9-]{3,24}$/.test(text) && /\d/.test(text);
  if (isCut || (codeText.test(text) && isCode(text))) {
    mark(sheet, recoveryRule, from, to);
  }
}

/** The names of the row and of its cells repeat what their texts say, together with other words. Looked at up to `to`. */
function maskRepeats(sheet: Sheet, cell: A11yLine, to: number): void {
  let from = cell.start;
  for (let line = previousLine(sheet, cell), lines = 0; line !== undefined && lines < 4; lines++) {
    from = line.start;
    if (line.role === 'row') break;
    line = previousLine(sheet, line);
  }
  const row = sheet.text.slice(from, to);
  for (let i = sheet.marks.length - 3; i >= 0 && i >= sheet.marks.length - 12; i -= 3) {
    const start = sheet.marks[i] ?? 0;
    const end = sheet.marks[i + 1] ?? 0;
    if (start <= cell.end || start >= to || end - start < 4) continue;
    const value = sheet.text.slice(start, end);
    for (let at = row.indexOf(value); at >= 0; at = row.indexOf(value, at + 1)) {
      const place = from + at;
      const isWord =
        !isAlnum(sheet.text.charCodeAt(place - 1)) && !isAlnum(sheet.text.charCodeAt(place + value.length));
      if (place !== start && isWord) mark(sheet, neighbourRule, place, place + value.length);
    }
  }
}
