import { lineEnd } from './a11y-lines.ts';
import { maskAuthorization } from './authorization.ts';
import { onLabelLine } from './a11y-labels.ts';
import { bencodeEnd } from './bencode.ts';
import { maskCookies } from './cookies.ts';
import { lastWithin } from './escapes.ts';
import { gapAfter, type Gap } from './gap.ts';
import { nameAt, type Name } from './identifier.ts';
import { maskCell, maskLabelled, maskTag } from './markup.ts';
import { maskNear } from './near.ts';
import { isPlaceholder } from './marker.ts';
import { maskStrings } from './objects.ts';
import { maskMultipart } from './multipart.ts';
import { maskFlagged, maskLiteral } from './literals.ts';
import { ruleOfKind } from './rule-of-kind.ts';
import { mark, type Sheet } from './sheet.ts';
import { valueAt } from './value.ts';
import { isSecretValue } from './verdict.ts';

/** Looks at the name around the stem at `from`..`to`, masks what it names, and returns where the scan goes on. */
export function onStem(sheet: Sheet, from: number, to: number): number {
  const name = nameAt(sheet, from, to);
  if (!('kind' in name)) return name.end;
  return isRole(sheet, name) ? name.end : onName(sheet, name);
}

/** `- code: …` in a snapshot: the role of a line, not a name. */
function isRole({ text, from }: Sheet, name: Name): boolean {
  if (name.kind !== 'weak' || text.charCodeAt(name.start - 1) !== 32 || text.charCodeAt(name.start - 2) !== 45)
    return false;
  const c = text.charCodeAt(name.start - 3);
  return (name.start - 2 === from || c === 10 || c === 32) && text.slice(name.start, name.end) === 'code';
}

/** Masks the value of a name, wherever its grammar puts it: behind a sign, in a tag, a literal, a cell, or merely near. */
export function onName(sheet: Sheet, name: Name): number {
  const gap = gapAfter(sheet, name.end);
  if (gap !== undefined) {
    const next = onGap(sheet, name, gap);
    if (next > 0) return next;
  }
  if (maskMultipart(sheet, name)) return name.end;
  if (maskTag(sheet, name)) return name.end;
  if (maskLiteral(sheet, name)) return name.end;
  if (name.dotted || name.option) return name.end;
  if (onLabelLine(sheet, name)) return name.end;
  maskNear(sheet, name);
  return name.end;
}

/** End of the value when the gap led to a secret, 0 when other ways remain to be tried. */
function onGap(sheet: Sheet, name: Name, gap: Gap): number {
  const { kind } = name;
  if (kind === 'cookie' || kind === 'authorization') return onSyntax(sheet, kind, gap);
  if (gap.kind === 'markup') return maskLabelled(sheet, name, gap.at);
  if (gap.kind === 'list') return 0;
  if (gap.kind === 'cell') return maskCell(sheet, name, gap.at);
  if (gap.kind === 'element' && !isElementName(sheet, name)) return 0;
  const spaces = gap.kind === 'element';
  const value = valueAt(sheet, gap.at, {
    level: gap.level,
    hash: gap.kind === 'assign' && isParameter(sheet, name),
    spaces,
  });
  if (value === undefined) return 0;
  const written = meant(sheet.text, value.start, value.end);
  if (gap.kind !== 'space' && gap.kind !== 'is' && isPlaceholder(written)) return value.end;
  // An address is shown without its secrets, not dropped.
  if (written.includes(':') && /^[a-z][a-z0-9+.-]{1,12}:\\?\/\\?\//i.test(written)) return 0;
  if (written.startsWith('[') && gap.quoted && (kind === 'password' || kind === 'secret' || kind === 'recovery')) {
    return maskStrings(sheet, value.start + 1, true);
  }
  const loose = (gap.kind === 'space' || gap.kind === 'is') && !name.option;
  if (value.quoted && !gap.quoted && (gap.kind === 'space' || isClosing(sheet, name, gap.at))) return 0;
  const binding = {
    tight: gap.tight || gap.kind === 'tab' || name.option || (value.quoted && !loose),
    parameter: gap.kind === 'assign' && gap.tight && !gap.quoted,
    loose,
    told: gap.kind === 'is',
    compound: !gap.tight && isCompound(sheet, name),
  };
  if (isSecretValue(kind, trimmed(written), binding) && isBoundTo(name, gap)) {
    const end = written.includes(':') ? bencodeEnd(sheet, value.start, value.end) : value.end;
    mark(sheet, ruleOfKind[kind], value.start, value.quoted ? end : trimmedEnd(sheet, value.start, end));
    return end;
  }
  if (gap.quoted && written === 'true') maskFlagged(sheet, name);
  return 0;
}

/** The quote at `at` ends a text that began before the name: `- heading "API key:" [level=3]`. */
function isClosing({ text, from }: Sheet, name: Name, at: number): boolean {
  const quote = text.charCodeAt(at);
  const lowest = Math.max(from, name.start - 80);
  const before = lastWithin(text, quote, name.start - 1, lowest);
  if (before < 0 || lastWithin(text, 10, name.start - 1, before) >= 0) return false;
  return before === from || /[\s([{,:=>]/.test(text[before - 1] ?? '');
}

/** `<passkey>` and `<t:passkey>`: the name is the whole tag. */
function isElementName({ text }: Sheet, name: Name): boolean {
  const c = text.charCodeAt(name.start - 1);
  return c === 60 || c === 58;
}

/** Several words written as one, as programs do and people do not. */
function isCompound({ text }: Sheet, name: Name): boolean {
  return /[a-z][A-Z]|[_-]|(?:pass|key|token)$/.test(text.slice(name.start, name.end)) && name.end - name.start > 5;
}

/** Longest part of a value that is judged, characters. */
const judged = 256;

/** The beginning of a value, percent escapes undone: by its escapes alone a token looks like none. */
function meant(text: string, start: number, end: number): string {
  const raw = text.slice(start, Math.min(end, start + judged));
  if (!raw.includes('%')) return raw;
  let plain = text.slice(start, Math.min(end, start + judged * 4));
  for (let level = 0; level < 4 && /%[0-9a-f]{2}/i.test(plain); level++) {
    plain = plain.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return plain.slice(0, judged);
}

/** In prose, a weak word before a colon binds only at the start of a line or cell, as headers and labels do. */
function isBoundTo(name: Name, gap: Gap): boolean {
  if (gap.tight || name.kind === 'password' || name.kind === 'secret' || name.kind === 'code') return true;
  return gap.kind === 'colon' || gap.kind === 'assign' || gap.kind === 'is' || gap.kind === 'tab';
}

/** Sentence punctuation behind a bare value belongs to the sentence. */
function trimmed(value: string): string {
  let end = value.length;
  while (end > 0 && isPunctuation(value.charCodeAt(end - 1))) end--;
  return end === value.length ? value : value.slice(0, end);
}

function isPunctuation(c: number): boolean {
  return c === 46 || c === 44 || c === 59 || c === 58 || c === 33 || c === 63 || c === 0x2026;
}

function trimmedEnd(sheet: Sheet, start: number, to: number): number {
  let end = to;
  while (end > start + 1 && (sheet.text.charCodeAt(end - 1) === 46 || sheet.text.charCodeAt(end - 1) === 44)) end--;
  return end;
}

/** Preceded by `?`, `&` or `;`, plain or encoded: then `#` begins a fragment. */
function isParameter(sheet: Sheet, name: Name): boolean {
  const c = sheet.text.charCodeAt(name.start - 1);
  return (
    c === 63 || c === 38 || c === 59 || (name.start - 3 >= sheet.from && sheet.text.charCodeAt(name.start - 3) === 37)
  );
}

/** Cookie and Authorization values have pairs inside. */
function onSyntax(sheet: Sheet, kind: 'cookie' | 'authorization', gap: Gap): number {
  if (gap.kind === 'markup' || gap.kind === 'bracket') return 0;
  const opening = sheet.text.charCodeAt(gap.at);
  const isOpened = opening === 34 || opening === 39 || opening === 96 || opening === 92 || opening === 38;
  if ((gap.kind === 'space' || gap.kind === 'is' || gap.kind === 'list' || gap.kind === 'tab') && !isOpened) return 0;
  const value = valueAt(sheet, gap.at, { level: gap.level, hash: false, spaces: true });
  if (value === undefined) return 0;
  if (kind === 'authorization') {
    maskAuthorization(sheet, value.start, value.quoted ? value.end : lineEnd(sheet, value.start));
    return value.start;
  }
  let { end } = value;
  // A bare header runs to the end of its line; `;` is part of it.
  if (!value.quoted) {
    const limit = Math.min(sheet.to, value.start + 16_384);
    while (end < limit && !/[\r\n"'`<>]/.test(sheet.text[end] ?? '')) end++;
  }
  maskCookies(sheet, value.start, end);
  return end;
}
