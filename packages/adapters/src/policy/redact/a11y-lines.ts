import { isBlank, isLower } from './characters.ts';
import type { Sheet } from './sheet.ts';

/**
 * One line of an accessibility snapshot, by place: `- textbox "Name" [e2]: value`, `- text: value`, `- /url: value`,
 * and the same with the key in single quotes, as YAML wants it when a name holds `: `.
 */
export interface A11yLine {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
  /** `textbox`, `text`, `/url` and so on. */
  readonly role: string;
  /** Name without its quotes; empty where there is none. */
  readonly nameStart: number;
  readonly nameEnd: number;
  /** Value without its quotes; empty where there is none. */
  readonly valueStart: number;
  readonly valueEnd: number;
  /** Ends with a colon: deeper lines belong to it. */
  readonly opens: boolean;
}

/** Longest line that is read as one. */
const longestLine = 8192;

/** Beginning of the line that holds `at`, or -1 when it lies more than `reach` characters back. */
export function lineStart(sheet: Sheet, at: number, reach: number): number {
  const { text } = sheet;
  const lowest = Math.max(sheet.from, at - reach);
  let i = at;
  while (i > lowest && text.charCodeAt(i - 1) !== 10) {
    if (i === sheet.lineFromAt) {
      i = sheet.lineFrom;
      break;
    }
    i--;
  }
  if (i < lowest || (i > sheet.from && text.charCodeAt(i - 1) !== 10)) return -1;
  sheet.lineFrom = i;
  sheet.lineFromAt = at;
  return i;
}

/** End of the line that holds `at`: its line feed, or where the sheet ends. */
export function lineEnd(sheet: Sheet, at: number): number {
  if (sheet.lineToAt >= 0 && sheet.lineToAt <= at && at <= sheet.lineTo) return sheet.lineTo;
  const limit = Math.min(sheet.to, at + longestLine);
  let i = at;
  while (i < limit && sheet.text.charCodeAt(i) !== 10) i++;
  if (i > at && sheet.text.charCodeAt(i - 1) === 13) i--;
  sheet.lineToAt = at;
  sheet.lineTo = i;
  return i;
}

/** Roles as they are met, so that reading one makes no string. */
const roleNames = new Map<number, string>();

/** The role at `start`..`end`, by a hash of its letters; read anew when two roles share one. */
function roleAt(text: string, start: number, end: number): string {
  let hash = 0;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  const known = roleNames.get(hash);
  if (known !== undefined && known.length === end - start && text.startsWith(known, start)) return known;
  const role = text.slice(start, end);
  if (roleNames.size < 200) roleNames.set(hash, role);
  return role;
}

/** Role of the line that begins at `start`, without reading the rest of it; empty for other lines. */
export function roleOf(sheet: Sheet, start: number): string {
  const { text } = sheet;
  let at = start;
  while (at < sheet.to && isBlank(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) !== 45 || text.charCodeAt(at + 1) !== 32) return '';
  at += text.charCodeAt(at + 2) === 39 ? 3 : 2;
  const from = at;
  while (at < sheet.to && isLower(text.charCodeAt(at))) at++;
  return at === from ? '' : roleAt(text, from, at);
}

/** Reads the line that begins at `start`; undefined when it is not written like a snapshot's. */
export function readLine(sheet: Sheet, start: number): A11yLine | undefined {
  const { text } = sheet;
  let at = start;
  while (at < sheet.to && isBlank(text.charCodeAt(at))) at++;
  const indent = at - start;
  if (text.charCodeAt(at) !== 45 || text.charCodeAt(at + 1) !== 32) return undefined;
  at += 2;
  const single = text.charCodeAt(at) === 39;
  if (single) at++;
  const roleStart = at;
  if (text.charCodeAt(at) === 47) at++;
  while (at < sheet.to && isLower(text.charCodeAt(at))) at++;
  if (at === roleStart) return undefined;
  const role = roleAt(text, roleStart, at);
  const end = lineEnd(sheet, at);
  let nameStart = at;
  let nameEnd = at;
  if (text.charCodeAt(at) === 32 && text.charCodeAt(at + 1) === 34) {
    nameStart = at + 2;
    nameEnd = closingQuote(text, nameStart, end);
    at = Math.min(end, nameEnd + 1);
  }
  at = skipAttributes(text, at, end);
  if (single && text.charCodeAt(at) === 39) {
    // The upstream puts its ref behind the closing quote of a single-quoted key, too.
    at = skipAttributes(text, at + 1, end);
  }
  let valueStart = end;
  let valueEnd = end;
  let opens = false;
  if (at < end && text.charCodeAt(at) === 58) {
    at++;
    while (at < end && isBlank(text.charCodeAt(at))) at++;
    valueStart = at;
    while (valueEnd > at && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd--;
    opens = valueStart === valueEnd;
    const quote = text.charCodeAt(at);
    if (!opens && (quote === 34 || quote === 39)) {
      valueStart++;
      if (text.charCodeAt(valueEnd - 1) === quote && valueEnd - at >= 2) valueEnd--;
    }
  } else if (at < end && nameEnd === nameStart) return undefined;
  return { start, end, indent, role, nameStart, nameEnd, valueStart, valueEnd, opens };
}

/** Skips ` [e2] [disabled]`. */
function skipAttributes(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && text.charCodeAt(at) === 32 && text.charCodeAt(at + 1) === 91) {
    at += 2;
    while (at < end && text.charCodeAt(at) !== 93) at++;
    at = Math.min(end, at + 1);
  }
  return at;
}

/** The unescaped quote that ends a name, or where the line ends: a window may have cut it. */
function closingQuote(text: string, from: number, end: number): number {
  for (let i = from; i < end; i++) {
    const c = text.charCodeAt(i);
    if (c === 92) i++;
    else if (c === 34) return i;
  }
  return end;
}

const refInside = / ?\[e\d{1,6}\] ?/g;

/** A name as a reader sees it: escapes undone, and without the ref that the upstream may write into it. */
export function nameOf(sheet: Sheet, line: A11yLine): string {
  const raw = sheet.text.slice(line.nameStart, line.nameEnd);
  if (!raw.includes('\\') && !raw.includes("''")) return raw;
  return raw.replace(refInside, '').replace(/\\(.)/g, '$1').replaceAll("''", "'");
}

/** What a line shows: its value, else its name. Start and end. */
export function shownText(line: A11yLine): readonly [start: number, end: number] {
  return line.valueEnd > line.valueStart ? [line.valueStart, line.valueEnd] : [line.nameStart, line.nameEnd];
}

/** The line after `line`, or undefined at the end. */
export function nextLine(sheet: Sheet, line: A11yLine): A11yLine | undefined {
  let at = line.end;
  while (at < sheet.to && (sheet.text.charCodeAt(at) === 13 || sheet.text.charCodeAt(at) === 10)) at++;
  return at >= sheet.to || at === line.end ? undefined : readLine(sheet, at);
}

/** The line before `line`, or undefined at the beginning. */
export function previousLine(sheet: Sheet, line: A11yLine): A11yLine | undefined {
  let at = line.start - 1;
  while (at > sheet.from && (sheet.text.charCodeAt(at - 1) === 13 || sheet.text.charCodeAt(at - 1) === 10)) at--;
  if (at <= sheet.from) return undefined;
  const start = lineStart(sheet, at - 1, 1000);
  return start < 0 ? undefined : readLine(sheet, start);
}
