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
  const lowest = Math.max(sheet.from, at - reach);
  let i = at;
  while (i > lowest && sheet.text.charCodeAt(i - 1) !== 10) i--;
  return i === sheet.from || sheet.text.charCodeAt(i - 1) === 10 ? i : -1;
}

/** End of the line that holds `at`: its line feed, or where the sheet ends. */
export function lineEnd(sheet: Sheet, at: number): number {
  const limit = Math.min(sheet.to, at + longestLine);
  let i = at;
  while (i < limit && sheet.text.charCodeAt(i) !== 10) i++;
  return i > at && sheet.text.charCodeAt(i - 1) === 13 ? i - 1 : i;
}

/** Reads the line that begins at `start`; undefined when it is not written like a snapshot's. */
export function readLine(sheet: Sheet, start: number): A11yLine | undefined {
  const { text } = sheet;
  let at = start;
  while (at < sheet.to && isBlank(text.charCodeAt(at))) at++;
  const indent = at - start;
  if (text.charCodeAt(at) !== 45 || text.charCodeAt(at + 1) !== 32) return undefined;
  at += 2;
  const end = lineEnd(sheet, at);
  const single = text.charCodeAt(at) === 39;
  if (single) at++;
  const roleStart = at;
  if (text.charCodeAt(at) === 47) at++;
  while (at < end && isLower(text.charCodeAt(at))) at++;
  if (at === roleStart) return undefined;
  const role = text.slice(roleStart, at);
  let nameStart = at;
  let nameEnd = at;
  if (text.charCodeAt(at) === 32 && text.charCodeAt(at + 1) === 34) {
    nameStart = at + 2;
    nameEnd = closingQuote(text, nameStart, end);
    at = Math.min(end, nameEnd + 1);
  }
  while (text.charCodeAt(at) === 32 && text.charCodeAt(at + 1) === 91) {
    let close = at + 2;
    while (close < end && text.charCodeAt(close) !== 93) close++;
    at = Math.min(end, close + 1);
  }
  if (single && text.charCodeAt(at) === 39) at++;
  // The upstream puts its ref behind the closing quote of a single-quoted key, too.
  while (text.charCodeAt(at) === 32 && text.charCodeAt(at + 1) === 91) {
    let close = at + 2;
    while (close < end && text.charCodeAt(close) !== 93) close++;
    at = Math.min(end, close + 1);
  }
  const base = { start, end, indent, role, nameStart, nameEnd };
  if (at >= end) return { ...base, valueStart: end, valueEnd: end, opens: false };
  if (text.charCodeAt(at) !== 58)
    return nameEnd > nameStart ? { ...base, valueStart: at, valueEnd: end, opens: false } : undefined;
  at++;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  let valueEnd = end;
  while (valueEnd > at && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd--;
  const quote = text.charCodeAt(at);
  if ((quote === 34 || quote === 39) && valueEnd > at) {
    const closed = text.charCodeAt(valueEnd - 1) === quote && valueEnd - at >= 2;
    return { ...base, valueStart: at + 1, valueEnd: closed ? valueEnd - 1 : valueEnd, opens: false };
  }
  return { ...base, valueStart: at, valueEnd, opens: at === valueEnd };
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
  return sheet.text
    .slice(line.nameStart, line.nameEnd)
    .replace(refInside, '')
    .replace(/\\(.)/g, '$1')
    .replaceAll("''", "'");
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
