import { type A11yLine, lineStart, nextLine, previousLine, readLine, shownText } from './a11y-lines.ts';
import type { KeyKind } from './classify-key.ts';
import type { Name } from './identifier.ts';
import { isPlaceholder, isStateWord } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { isCode, isDigestHex, isMeasure, isMixedHex, isTokenish, isUuid, shapeOf } from './shapes.ts';
import { mark, type Sheet } from './sheet.ts';
import { isStrong } from './verdict.ts';

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
  const line = start < 0 ? undefined : readLine(sheet, start);
  if (line === undefined || !labelRoles.has(line.role)) return false;
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
  for (let texts = 0, lines = 0; line !== undefined && texts < 3 && lines < 8; lines++) {
    if (line.indent < label.indent && (isCell || line.indent < label.indent - 2)) break;
    if (line.role === 'row') break;
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
  if (found && isCell) maskRowName(sheet, label);
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
  if (isWholeValue(text.trim(), kind, strict)) {
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
  if (kind === 'password')
    return isTokenish(text, 5) || (/[^\w\s.,:;!?-]/.test(text) && /^[\x21-\x7e]{5,}$/.test(text) && !/[/=]/.test(text));
  if (kind === 'secret') return isUuid(text) || isTokenish(text, 6);
  return isUuid(text) || (shape.hex && shape.length >= 12 && isMixedHex(shape)) || isStrong(text, 10);
}

/** Recovery codes are printed as a list below or above the word for them. */
function maskCodes(sheet: Sheet, label: A11yLine): void {
  for (const step of [nextLine, previousLine]) {
    let line = step(sheet, label);
    for (let lines = 0; line !== undefined && lines < 24; lines++) {
      if (valueRoles.has(line.role)) {
        const [from, to] = shownText(line);
        const text = sheet.text.slice(from, Math.min(to, from + 80)).trim();
        if (
          to > from &&
          /^[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){1,7}$|^[A-Za-z0-9]{6,16}$/.test(text) &&
          isCode(text)
        ) {
          mark(sheet, recoveryRule, from, to);
        }
      }
      line = step(sheet, line);
    }
  }
}

/** The row's own name repeats what its cells say. */
function maskRowName(sheet: Sheet, cell: A11yLine): void {
  const values: string[] = [];
  for (let i = sheet.marks.length - 3; i >= 0 && i >= sheet.marks.length - 12; i -= 3) {
    const start = sheet.marks[i] ?? 0;
    const end = sheet.marks[i + 1] ?? 0;
    if (start > cell.end && end - start >= 4) values.push(sheet.text.slice(start, end));
  }
  let line = previousLine(sheet, cell);
  for (let lines = 0; line !== undefined && lines < 12; lines++) {
    if (line.role === 'row' && line.indent < cell.indent) {
      const name = sheet.text.slice(line.nameStart, line.nameEnd);
      for (const value of values) {
        const at = name.indexOf(value);
        if (at >= 0) mark(sheet, neighbourRule, line.nameStart + at, line.nameStart + at + value.length);
      }
      return;
    }
    line = previousLine(sheet, line);
  }
}
