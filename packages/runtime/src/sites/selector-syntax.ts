import { BrowserError } from '@wheelhouse/contracts';
import { stepsOf } from './positions.ts';

/** Longest selector, characters, and how deep its parts may be nested. */
const maxLength = 10_000;
const maxDepth = 20;

/** Pseudo-classes whose argument is selectors again. */
const nesting = /^(?:has|not|is|where|matches|any)$/;

/**
 * A selector as definitions write it, for css-select: the parts between its commas. They were written for AngleSharp,
 * which takes bare attribute values, escaped quotes in `:contains`, a type behind other parts (`a:not(.x)a:not(.y)`)
 * and a comma at the end. `:contains` stays case-sensitive, as there.
 *
 * @throws BrowserError `definition_unsupported` for brackets and quotes that do not close, for a part that is empty or
 *   ends with a combinator, and over 10,000 characters
 */
export function cssSelectors(selector: string): readonly string[] {
  if (selector.length > maxLength) {
    throw new BrowserError('definition_unsupported', 'a selector of over 10,000 characters');
  }
  const parts = written(selector.trim().replace(/\s*,$/, ''), 0);
  if (parts === null || parts.some((part) => part === '' || /[>+~]$/.test(part))) {
    throw new BrowserError('definition_unsupported', `selector ${selector.slice(0, 120)}`);
  }
  return parts;
}

/** The parts between commas; `null` for what does not close. */
function written(selector: string, depth: number): readonly string[] | null {
  if (depth > maxDepth) return null;
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < selector.length;) {
    const rest = selector.slice(at);
    const pseudo = /^:([\w-]+)\(/.exec(rest);
    if (rest.startsWith('\\')) {
      part += rest.slice(0, 2);
      at += 2;
    } else if (rest.startsWith('[')) {
      const end = closing(rest, 0);
      if (end === null) return null;
      part += attribute(rest.slice(1, end));
      at += end + 1;
    } else if (pseudo !== null) {
      const [head, name = ''] = pseudo;
      const end = closing(rest, head.length - 1);
      const argument = end === null ? null : argumentOf(name.toLowerCase(), rest.slice(head.length, end), depth);
      if (end === null || argument === null) return null;
      part += `${head}${argument})`;
      at += end + 1;
    } else if (rest.startsWith(',')) {
      parts.push(part.trim());
      part = '';
      at += 1;
    } else {
      const type = /[\])]$/.test(part) ? /^[a-z][\w-]*/i.exec(rest)?.[0] : undefined;
      part += type === undefined ? rest.charAt(0) : `:is(${type})`;
      at += type?.length ?? 1;
    }
  }
  return [...parts, part.trim()];
}

function argumentOf(name: string, argument: string, depth: number): string | null {
  if (nesting.test(name)) return written(argument, depth + 1)?.join(', ') ?? null;
  if (name.startsWith('nth-') && stepsOf(argument) === null) return null;
  if (name !== 'contains') return argument;
  const text = /^\s*(["'])(.*)\1\s*$/s.exec(argument)?.[2] ?? argument.trim();
  return quoted(unescaped(text));
}

/** `[name]`, `[name=value]`, `[name*="value" i]`. */
function attribute(inside: string): string {
  const parts = /^\s*([\w:.\\-]+)\s*([~|^$*!]?=)\s*(.*?)\s*$/s.exec(inside);
  if (parts === null) return `[${inside}]`;
  const [, name = '', operator = '', value = ''] = parts;
  const [, , text, flag = ''] = /^(["'])(.*)\1(\s+[is])?$/s.exec(value) ?? [];
  return `[${name}${operator}${quoted(unescaped(text ?? value))}${flag}]`;
}

/** Where the bracket at `open` closes, quotes, escapes and inner brackets minded. */
function closing(text: string, open: number): number | null {
  const expected: string[] = [];
  let quote = '';
  for (let at = open; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '[' || char === '(') expected.push(char === '[' ? ']' : ')');
    else if (char === expected.at(-1)) {
      expected.pop();
      if (expected.length === 0) return at;
    }
  }
  return null;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:([\da-f]{1,6})\s?|(.))/gis, (_, hex: string | undefined, char: string) =>
    hex === undefined ? char : String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10_ff_ff)),
  );
}

/** A CSS string in which nothing can be misread: everything but letters, digits and spaces is escaped. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[^\w\s]|[\n\r\f]/gu, (char) => (char > '\u007f' ? char : `\\${char.codePointAt(0)?.toString(16)} `))}"`;
}
