import type { Name } from './identifier.ts';
import { isPlaceholder } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { mark, type Sheet } from './sheet.ts';
import { isSecretValue } from './verdict.ts';

const multipartRule = ruleIndex('multipart-field');

const body =
  /["'\\]{1,4}(?:;[^\r\n]{0,200})?(?:(?:\r?\n|\\r\\n|\\n)[\w-]{1,40}:[^\r\n\\]{0,200}){0,3}(?:\r?\n|\\r\\n|\\n){2}/y;

/** Longest value of a form field, characters. */
const longest = 4096;

/** A part of a form: `Content-Disposition: form-data; name="password"`, an empty line, the value (RFC 7578 section 4). */
export function maskMultipart(sheet: Sheet, name: Name): boolean {
  const { text } = sheet;
  const c = text.charCodeAt(name.end);
  const before = text.charCodeAt(name.start - 1);
  if (before !== 34 && before !== 39) return false;
  if (
    (c !== 34 && c !== 39 && c !== 92) ||
    !/name=\\{0,3}["']$/i.test(text.slice(Math.max(sheet.from, name.start - 9), name.start))
  ) {
    return false;
  }
  body.lastIndex = name.end;
  if (body.exec(text) === null || body.lastIndex > sheet.to) return false;
  const start = body.lastIndex;
  const limit = Math.min(sheet.to, start + longest);
  let end = start;
  while (end < limit && !isLineEnd(text, end)) end++;
  const written = text.slice(start, Math.min(end, start + 256));
  if (isPlaceholder(written)) return true;
  if (!isSecretValue(name.kind, written, { tight: true, parameter: false })) return false;
  mark(sheet, multipartRule, start, end);
  return true;
}

function isLineEnd(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  return c === 10 || c === 13 || (c === 92 && (text.charCodeAt(at + 1) === 114 || text.charCodeAt(at + 1) === 110));
}
