import { BrowserError } from '@wheelhouse/contracts';

/** Which engine a pattern is written for: RE2, or V8 with the `v` flag. */
export type PatternEngine = 'linear' | 'native';

/** How a pattern is written for an engine. */
export interface PatternForm {
  readonly engine: PatternEngine;
  /** Classes as .NET has them, over all of Unicode; otherwise over ASCII, which is the same for an ASCII text. */
  readonly unicode: boolean;
}

/** Characters of .NET's classes, as ranges that both engines take inside brackets. */
const sets = { w: String.raw`\p{L}\p{Mn}\p{Nd}\p{Pc}`, d: String.raw`\p{Nd}`, s: String.raw`\t-\r\x85\p{Z}` } as const;
const asciiSets = { w: 'A-Za-z0-9_', d: '0-9', s: String.raw`\t-\r ` } as const;

/** Unicode blocks that .NET calls `\p{IsName}`: first and last code point, hexadecimal. */
const blocks: Readonly<Record<string, readonly [string, string]>> = {
  BasicLatin: ['0', '7f'],
  'Latin-1Supplement': ['80', 'ff'],
  'LatinExtended-A': ['100', '17f'],
  'LatinExtended-B': ['180', '24f'],
  Greek: ['370', '3ff'],
  GreekandCoptic: ['370', '3ff'],
  Cyrillic: ['400', '4ff'],
  CyrillicSupplement: ['500', '52f'],
  Armenian: ['530', '58f'],
  Hebrew: ['590', '5ff'],
  Arabic: ['600', '6ff'],
  Thai: ['e00', 'e7f'],
  Georgian: ['10a0', '10ff'],
  GeneralPunctuation: ['2000', '206f'],
  CJKSymbolsandPunctuation: ['3000', '303f'],
  Hiragana: ['3040', '309f'],
  Katakana: ['30a0', '30ff'],
  CJKUnifiedIdeographsExtensionA: ['3400', '4dbf'],
  CJKUnifiedIdeographs: ['4e00', '9fff'],
  HangulSyllables: ['ac00', 'd7af'],
};

/**
 * Rewrites a .NET pattern for an engine. `null` when that engine has no such construct (look-around, back references
 * and a negated class among others for RE2; word boundaries beyond ASCII for RE2; flags in the middle for V8).
 *
 * @throws BrowserError `definition_unsupported` for constructs that neither engine has: atomic and balancing groups,
 *   conditions, class subtraction
 */
export function patternFor(source: string, form: PatternForm): string | null {
  const linear = form.engine === 'linear';
  const { w } = form.unicode ? sets : asciiSets;
  let result = '';
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const char = rest[0] ?? '';
    if (char === '\\') {
      const escape = escapeAt(rest, form);
      if (escape === null) return null;
      at += escape.length;
      if (escape.boundary === undefined) result += escape.set === undefined ? escape.text : bracketed(escape.set);
      else if (linear) {
        if (form.unicode) return null;
        result += `\\${escape.boundary}`;
      } else {
        const edge = `(?<=[${w}])(?![${w}])|(?<![${w}])(?=[${w}])`;
        result += escape.boundary === 'b' ? `(?:${edge})` : `(?!${edge})`;
      }
      continue;
    }
    if (char === '[') {
      const found = classAt(rest, form);
      if (found === null) return null;
      result += found.text;
      at += found.length;
      continue;
    }
    if (/^\(\?(?:>|\(|<?-\w|<\w+-)/.test(rest)) throw unsupported(source);
    if (rest.startsWith('(?#')) {
      at += Math.max(rest.indexOf(')'), 2) + 1;
      continue;
    }
    if (linear && /^\(\?<?[=!]/.test(rest)) return null;
    if (!linear && /^\(\?[imnsx-]+[:)]/.test(rest)) return null;
    const quantifier = /^\{\d+(?:,\d*)?\}/.exec(rest)?.[0];
    if (quantifier !== undefined) {
      result += quantifier;
      at += quantifier.length;
      continue;
    }
    // In .NET a dot is anything but a line feed; V8 leaves out three more.
    if (char === '.' && !linear) result += String.raw`[^\n]`;
    else result += /[{}\]]/.test(char) ? `\\${char}` : char;
    at += 1;
  }
  return result;
}

interface Escape {
  readonly length: number;
  /** What to write for a single thing. */
  readonly text: string;
  /** What to write inside brackets, for a class. */
  readonly set?: { readonly members: string; readonly negated: boolean };
  readonly boundary?: 'b' | 'B';
  /** One character, that a range can begin or end with. */
  readonly single: boolean;
}

function escapeAt(rest: string, form: PatternForm): Escape | null {
  const letter = rest[1] ?? '';
  const known = form.unicode ? sets : asciiSets;
  const name = letter.toLowerCase();
  if (name === 'w' || name === 'd' || name === 's') {
    return { length: 2, text: `\\${letter}`, set: { members: known[name], negated: letter !== name }, single: false };
  }
  if (letter === 'b' || letter === 'B') return { length: 2, text: '', boundary: letter, single: false };
  const block = /^\\([pP])\{Is([\w-]+)\}/.exec(rest);
  if (block !== null) {
    const range = blocks[block[2] ?? ''];
    if (range === undefined) throw unsupported(rest);
    const members = `${codePoint(range[0], form)}-${codePoint(range[1], form)}`;
    return { length: block[0].length, text: '', set: { members, negated: block[1] === 'P' }, single: false };
  }
  const property = /^\\([pP])\{\w+\}/.exec(rest);
  if (property !== null) return { length: property[0].length, text: property[0], single: false };
  const hex = /^\\(?:u([\da-f]{4})|x([\da-f]{2}))/i.exec(rest);
  if (hex !== null) return { length: hex[0].length, text: codePoint(hex[1] ?? hex[2] ?? '0', form), single: true };
  if (letter === 'A' || letter === 'z' || letter === 'Z') {
    const native = letter === 'A' ? '(?<![^])' : '(?![^])';
    const text = form.engine === 'native' ? native : `\\${letter.replace('Z', 'z')}`;
    return { length: 2, text, single: false };
  }
  const reference = /^\\(?:[1-9]\d?|k<\w+>)/.exec(rest)?.[0];
  if (reference !== undefined) {
    return form.engine === 'linear' ? null : { length: reference.length, text: reference, single: false };
  }
  if (/[nrtfv]/.test(letter)) return { length: 2, text: `\\${letter}`, single: true };
  if (/[a-z\d]/i.test(letter) || letter === '') throw unsupported(rest);
  return { length: 2, text: literal(letter, form), single: true };
}

function classAt(rest: string, form: PatternForm): { readonly text: string; readonly length: number } | null {
  const negated = rest.startsWith('[^');
  let at = negated ? 2 : 1;
  let text = '';
  // A dash is a range only between two single characters: `a-z`, and not the second one of `a-z-9`.
  let before: 'nothing' | 'single' | 'dash' = 'nothing';
  for (let first = true; first || rest[at] !== ']'; first = false) {
    const char = rest[at];
    if (char === undefined || (char === '-' && rest[at + 1] === '[')) throw unsupported(rest);
    if (char === '-' && before === 'single' && /^(?:[^\]\\]|\\[^wdspWDSP])/.test(rest.slice(at + 1))) {
      text += '-';
      before = 'dash';
      at += 1;
      continue;
    }
    const escape = char === '\\' ? escapeAt(rest.slice(at), form) : null;
    if (char === '\\' && escape === null) return null;
    const member = escape === null ? literal(char, form) : memberOf(escape, form);
    if (member === null) return null;
    text += member;
    before = before !== 'dash' && escape?.single !== false ? 'single' : 'nothing';
    at += escape?.length ?? 1;
  }
  return { text: `[${negated ? '^' : ''}${text}]`, length: at + 1 };
}

/** What an escape is inside brackets. RE2 cannot nest a negated class, except its own over ASCII. */
function memberOf({ set, boundary, text }: Escape, form: PatternForm): string | null {
  if (boundary !== undefined) return boundary === 'b' ? codePoint('8', form) : null;
  if (set === undefined) return text;
  if (!set.negated) return set.members;
  if (form.engine === 'native') return `[^${set.members}]`;
  return form.unicode ? null : text;
}

function bracketed({ members, negated }: { readonly members: string; readonly negated: boolean }): string {
  return `[${negated ? '^' : ''}${members}]`;
}

function literal(char: string, form: PatternForm): string {
  return /[A-Za-z\d]|[^\0-\x7f]/.test(char) ? char : codePoint(char.charCodeAt(0).toString(16), form);
}

function codePoint(hex: string, { engine }: PatternForm): string {
  return engine === 'linear' ? `\\x{${hex}}` : `\\u{${hex}}`;
}

function unsupported(source: string): BrowserError {
  return new BrowserError('definition_unsupported', `regular expression ${source.slice(0, 80)}`);
}
