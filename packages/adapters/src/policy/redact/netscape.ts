import { isHarmlessCookie } from './cookies.ts';
import { ruleIndex } from './rules.ts';
import { mark, partOf, type Sheet } from './sheet.ts';

const netscapeRule = ruleIndex('netscape-cookie');

const row = /\t(?:TRUE|FALSE)\t\d{1,12}\t([^\t\r\n]{1,256})\t([^\t\r\n]{1,4096})/g;

/** Values in cookie files of the Netscape format, as curl, wget and yt-dlp write them. */
export function scanNetscape(sheet: Sheet): void {
  const part = partOf(sheet);
  if (!part.includes('\tTRUE\t') && !part.includes('\tFALSE\t')) return;
  for (const match of part.matchAll(row)) {
    const value = match[2] ?? '';
    const end = sheet.from + match.index + match[0].length;
    if (!isHarmlessCookie(match[1] ?? '', value)) mark(sheet, netscapeRule, end - value.length, end);
  }
}
