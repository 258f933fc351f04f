import { maskCookies } from './cookies.ts';
import { isSpace } from './characters.ts';
import { lastWithin } from './escapes.ts';
import type { Name } from './identifier.ts';
import { isPlaceholder } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { mark, type Sheet } from './sheet.ts';
import { valueAt } from './value.ts';
import { isPasswordLike, isSecretValue } from './verdict.ts';
import { classifyKey } from './classify-key.ts';

const fieldRule = ruleIndex('html-field');
const labelRule = ruleIndex('markup-label');

const tagReachBack = 600;
const tagReachOn = 2000;

/** Attributes that name a field. */
const namingAttribute =
  /^(?:type|name|id|autocomplete|placeholder|aria-label|aria-labelledby|title|property|itemprop|label|alt|data-name|data-field|data-label|data-type|formcontrolname|ng-model|v-model|x-model|wire:model(?:\.\w+)*|for)$/i;
/** Attributes that hold what a field contains. */
const valueAttribute =
  /^(?:value|content|data-value|data-content|data-clipboard-text|data-copy|data-text|data-default|defaultvalue)$/i;

interface Attribute {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Masks the value of the tag whose name, type or label the word at `name` is. True when it stood in such a place. */
export function maskTag(sheet: Sheet, name: Name): boolean {
  if (!sheet.hasTags) return false;
  const open = tagAround(sheet, name.start);
  if (open < 0) return false;
  const { attributes, end } = readTag(sheet, open);
  const own = attributes.find((attribute) => attribute.start <= name.start && name.end <= attribute.end);
  if (own === undefined || !namingAttribute.test(own.name)) return false;
  let found = false;
  for (const attribute of attributes) {
    if (!valueAttribute.test(attribute.name)) continue;
    found = maskValue(sheet, name, attribute.start, attribute.end) || found;
  }
  return maskTextarea(sheet, name, { open, end }) || found;
}

function maskValue(sheet: Sheet, name: Name, start: number, end: number): boolean {
  const written = sheet.text.slice(start, Math.min(end, start + 256));
  if (name.kind === 'cookie') {
    maskCookies(sheet, start, end);
    return true;
  }
  if (isPlaceholder(written)) return true;
  if (!isSecretValue(name.kind, written, { tight: true, parameter: false })) return false;
  mark(sheet, fieldRule, start, end);
  return true;
}

function maskTextarea(sheet: Sheet, name: Name, tag: { open: number; end: number }): boolean {
  const { text } = sheet;
  if (!/^<textarea/i.test(text.slice(tag.open, tag.open + 9)) || text.charCodeAt(tag.end) !== 62) return false;
  const start = tag.end + 1;
  const limit = Math.min(sheet.to, start + 4096);
  let end = start;
  while (end < limit && text.charCodeAt(end) !== 60) end++;
  return maskValue(sheet, name, start, end);
}

/** Start of the tag that `at` stands in, or -1. Asked again further on, it looks no farther back than the last time. */
function tagAround(sheet: Sheet, at: number): number {
  const { text } = sheet;
  const lowest = Math.max(sheet.from, at - tagReachBack);
  const known = sheet.tagAt >= 0 && sheet.tagAt <= at;
  let open = lastWithin(text, 60, at - 1, known ? Math.max(lowest, sheet.tagAt) : lowest);
  if (open < 0 && known && sheet.tagOpen >= lowest) open = sheet.tagOpen;
  sheet.tagAt = at;
  sheet.tagOpen = open;
  if (open < 0 || lastWithin(text, 62, at - 1, open) >= 0) return -1;
  const c = text.charCodeAt(open + 1) | 32;
  return c >= 97 && c <= 122 ? open : -1;
}

interface Tag {
  readonly attributes: readonly Attribute[];
  readonly end: number;
}

/** Tags read last, one a sheet: several names in a tag ask for the same. */
const lastTags = new WeakMap<Sheet, { open: number; tag: Tag }>();

function readTag(sheet: Sheet, open: number): Tag {
  const last = lastTags.get(sheet);
  if (last?.open === open) return last.tag;
  const tag = attributesOf(sheet, open);
  lastTags.set(sheet, { open, tag });
  return tag;
}

const attributeName = /([a-z_:@.][\w:.@-]{0,60})\s{0,3}=\s{0,3}/iy;

/** Attributes with a value of the tag that opens at `open`, and where the tag ends. */
function attributesOf(sheet: Sheet, open: number): Tag {
  const { text } = sheet;
  const attributes: Attribute[] = [];
  const limit = Math.min(sheet.to, open + tagReachBack + tagReachOn);
  let at = open + 1;
  while (at < limit && attributes.length < 40) {
    const c = text.charCodeAt(at);
    if (c === 62 || c === 60) break;
    attributeName.lastIndex = at;
    const match = attributeName.exec(text);
    if (match === null || attributeName.lastIndex >= limit) {
      const from = at;
      while (at < limit && /[\w-]/.test(text[at] ?? '')) at++;
      if (at === from) at++;
      continue;
    }
    const value = valueAt(sheet, attributeName.lastIndex, { level: 0, hash: false });
    if (value === undefined) {
      at = attributeName.lastIndex;
      if (isSpace(text.charCodeAt(at))) at++;
      continue;
    }
    attributes.push({ name: match[1] ?? '', start: value.start, end: value.end });
    at = value.quoted ? value.end + 1 : value.end;
    if (text.charCodeAt(at) === 92) at++;
  }
  return { attributes, end: at };
}

const labelReach = 400;

/** Masks what follows a label across tags: `<td>密钥</td><td>…</td>`, `<label>Passkey</label><input value="…">`. `from`: the first tag. Where it ended, or 0. */
export function maskLabelled(sheet: Sheet, name: Name, from: number): number {
  const { text } = sheet;
  const limit = Math.min(sheet.to, name.end + labelReach);
  let at = from;
  while (at < limit) {
    const c = text.charCodeAt(at);
    if (c === 60) {
      const { attributes, end } = attributesOf(sheet, at);
      const isField = /^<(?:input|textarea|meta)/i.test(text.slice(at, at + 9));
      if (isField) {
        const field = attributes.find((attribute) => valueAttribute.test(attribute.name));
        const own = attributes.find((attribute) => /^name$/i.test(attribute.name));
        const other =
          own !== undefined &&
          classifyKey(text.slice(own.start, own.end)) === null &&
          /search|user|mail|title/i.test(text.slice(own.start, own.end));
        return field !== undefined && !other && maskValue(sheet, name, field.start, field.end) ? field.end : 0;
      }
      if (end >= limit) return 0;
      at = end + 1;
    } else if (isSpace(c) || c === 58 || c === 0xff1a || c === 34 || c === 39 || c === 41) at++;
    else break;
  }
  let end = at;
  while (end < limit && text.charCodeAt(end) !== 60) end++;
  return maskLabelledText(sheet, name, at, end);
}

/** The next cell of a table drawn with bars: `| password | … |`. Where it ended, or 0. */
export function maskCell(sheet: Sheet, name: Name, from: number): number {
  const limit = Math.min(sheet.to, from + labelReach);
  let end = from;
  while (end < limit && sheet.text.charCodeAt(end) !== 124 && sheet.text.charCodeAt(end) !== 10) end++;
  return maskLabelledText(sheet, name, from, end);
}

function maskLabelledText(sheet: Sheet, name: Name, from: number, to: number): number {
  let end = to;
  while (end > from && isSpace(sheet.text.charCodeAt(end - 1))) end--;
  const written = sheet.text.slice(from, Math.min(end, from + 256));
  if (isPlaceholder(written)) return end;
  const isSecret =
    name.kind === 'password'
      ? isPasswordLike(written)
      : isSecretValue(name.kind, written, { tight: false, parameter: false });
  if (!isSecret) return 0;
  mark(sheet, labelRule, from, end);
  return end;
}
