import type { DomElement } from './dom.ts';
import { isHidden, isDisabled, isTicked } from './dom.ts';
import { squash } from './accessible.ts';

type Test = (element: DomElement) => boolean;
interface Step {
  readonly combinator: ' ' | '>' | '+' | '~';
  readonly tests: readonly Test[];
}

const compiled = new Map<string, Test>();

/**
 * A CSS selector as a test. Knows tags, `#id`, `.class`, attributes, `:visible`, `:not()`, `:has()`, `:has-text()`,
 * `:text()`, `:nth-child(n)`, `:first-child`, `:last-child`, `:checked`, `:disabled`, combinators and lists.
 *
 * @throws Error in the words of Playwright for anything else
 */
export function cssTest(selector: string): Test {
  const known = compiled.get(selector);
  if (known !== undefined) return known;
  const tests = splitOutside(selector, ',').map((part) => chainTest(parseChain(part.trim(), selector)));
  const test: Test = (element) => tests.some((one) => one(element));
  compiled.set(selector, test);
  return test;
}

function chainTest(steps: readonly Step[]): Test {
  return (element) => fits(element, steps, steps.length - 1);
}

function fits(element: DomElement, steps: readonly Step[], at: number): boolean {
  const step = steps[at];
  if (step === undefined || !step.tests.every((test) => test(element))) return false;
  if (at === 0) return true;
  if (step.combinator === '>') return element.parent !== null && fits(element.parent, steps, at - 1);
  if (step.combinator === ' ') {
    for (let up = element.parent; up !== null; up = up.parent) if (fits(up, steps, at - 1)) return true;
    return false;
  }
  const siblings = element.parent?.elements ?? [];
  const before = siblings.slice(0, siblings.indexOf(element));
  const candidates = step.combinator === '+' ? before.slice(-1) : before;
  return candidates.some((one) => fits(one, steps, at - 1));
}

function parseChain(text: string, whole: string): Step[] {
  const steps: Step[] = [];
  let combinator: Step['combinator'] = ' ';
  let at = 0;
  while (at < text.length) {
    const gap = /^\s*([>+~]?)\s*/.exec(text.slice(at));
    if (gap !== null && gap[0] !== '' && (steps.length > 0 || gap[1] !== '')) {
      combinator = toCombinator(gap[1]);
      at += gap[0].length;
    }
    const { tests, length } = parseCompound(text.slice(at), whole);
    if (length === 0) break;
    steps.push({ combinator, tests });
    at += length;
  }
  if (steps.length === 0) throw unexpected(text[0] ?? '', whole);
  return steps;
}

function toCombinator(text: string | undefined): Step['combinator'] {
  return text === '>' || text === '+' || text === '~' ? text : ' ';
}

const part =
  /^(?:([a-z][\w-]*|\*)|#((?:[\w-]|\\.|[^\0-\x7F])+)|\.((?:[\w-]|\\.|[^\0-\x7F])+)|\[\s*([\w:-]+)\s*(?:([~^$*|]?=)\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s\]]+))\s*(i)?)?\s*\]|::?([\w-]+))/i;

function parseCompound(text: string, whole: string): { readonly tests: Test[]; readonly length: number } {
  const tests: Test[] = [];
  let at = 0;
  while (at < text.length && !/[\s>+~]/.test(text[at] ?? '')) {
    const found = part.exec(text.slice(at));
    if (found === null) throw unexpected(text[at] ?? '', whole);
    at += found[0].length;
    const [, tag, id, name, attribute, operator, double, single, bare, ignoreCase, pseudo] = found;
    if (tag !== undefined) tests.push(({ tag: own }) => tag === '*' || own === tag.toLowerCase());
    else if (id !== undefined) tests.push((one) => one.get('id') === unescape(id));
    else if (name !== undefined) tests.push((one) => (one.get('class') ?? '').split(/\s+/).includes(unescape(name)));
    else if (attribute !== undefined)
      tests.push(
        attributeTest(attribute.toLowerCase(), operator, unescape(double ?? single ?? bare ?? ''), ignoreCase === 'i'),
      );
    else if (pseudo !== undefined) {
      const argument = argumentAt(text, at);
      at += argument.length;
      tests.push(pseudoTest(pseudo.toLowerCase(), argument.text, whole));
    }
  }
  return { tests, length: at };
}

const unescape = (text: string) => text.replace(/\\(.)/g, '$1');

function argumentAt(text: string, at: number): { readonly text: string; readonly length: number } {
  if (text[at] !== '(') return { text: '', length: 0 };
  let depth = 0;
  let quote = '';
  for (let end = at; end < text.length; end += 1) {
    const char = text[end] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '(') depth += 1;
    else if (char === ')' && --depth === 0) return { text: text.slice(at + 1, end), length: end + 1 - at };
  }
  return { text: text.slice(at + 1), length: text.length - at };
}

function attributeTest(name: string, operator: string | undefined, wanted: string, ignoreCase: boolean): Test {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const value = fold(wanted);
  return (element) => {
    const raw = element.get(name);
    if (raw === null) return false;
    const own = fold(raw);
    switch (operator) {
      case undefined:
        return true;
      case '^=':
        return value !== '' && own.startsWith(value);
      case '$=':
        return value !== '' && own.endsWith(value);
      case '*=':
        return value !== '' && own.includes(value);
      case '~=':
        return own.split(/\s+/).includes(value);
      case '|=':
        return own === value || own.startsWith(`${value}-`);
      default:
        return own === value;
    }
  };
}

function pseudoTest(name: string, argument: string, whole: string): Test {
  const text = squash(argument.replace(/^\s*["']|["']\s*$/g, '')).toLowerCase();
  switch (name) {
    case 'visible':
      return (one) => !isHidden(one);
    case 'checked':
      return isTicked;
    case 'disabled':
      return isDisabled;
    case 'enabled':
      return (one) => !isDisabled(one);
    case 'not':
    case 'is': {
      const inner = cssTest(argument.trim());
      return name === 'is' ? inner : (one) => !inner(one);
    }
    case 'has': {
      const inner = cssTest(argument.trim());
      return (one) => one.find(inner) !== null;
    }
    case 'has-text':
    case 'text':
      return (one) => squash(one.text).toLowerCase().includes(text) && (name === 'has-text' || innermost(one, text));
    case 'text-is':
      return (one) => squash(one.text) === squash(argument.replace(/^\s*["']|["']\s*$/g, ''));
    case 'first-child':
      return (one) => one.parent?.elements[0] === one;
    case 'last-child':
      return (one) => one.parent?.elements.at(-1) === one;
    case 'nth-child':
      return (one) => one.parent?.elements[Number(argument) - 1] === one;
    case 'nth-of-type':
      return (one) => one.parent?.elements.filter(({ tag }) => tag === one.tag)[Number(argument) - 1] === one;
    default:
      throw unexpected(`:${name}`, whole);
  }
}

/** No element below it has the text as well. */
function innermost(element: DomElement, text: string): boolean {
  return !element.elements.some((child) => squash(child.text).toLowerCase().includes(text));
}

/** Splits outside of brackets and quotes. */
export function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\') at += 1;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '(' || char === '[') depth += 1;
    else if (char === ')' || char === ']') depth -= 1;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      from = at + separator.length;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function unexpected(token: string, selector: string): Error {
  return new Error(
    `Unexpected token "${token}" while parsing css selector "${selector}". Did you mean to CSS.escape it?`,
  );
}
