import { BrowserError } from '@wheelhouse/contracts';
import { compilePattern, replaceAll } from './patterns.ts';

/** What a template can hold: text, a list, or nothing (which reads as empty text and is false). */
export type TemplateValue = string | readonly string[] | null | undefined;

/** The variables of a template, by their full path without the leading dot: `Config.username`, `Keywords`, `Result.title`. */
export type TemplateVariables = ReadonlyMap<string, TemplateValue>;

/** A compiled template. */
export interface Template {
  /**
   * @param escape what becomes of every value that is filled in (for addresses); the text around stays as it is
   * @throws BrowserError `definition_unsupported` over 100,000 characters
   */
  render(variables: TemplateVariables, escape?: (value: string) => string): string;
}

type Scope = {
  readonly variables: TemplateVariables;
  readonly dot: TemplateValue;
  readonly locals: ReadonlyMap<string, TemplateValue>;
  readonly escape: (value: string) => string;
  /** Characters that may still be written, by all parts together. */
  readonly room: { left: number };
};
type Node = (scope: Scope) => string;
type Expression = (scope: Scope) => TemplateValue;

/** Longest text that a template may make, characters. */
const maxLength = 100_000;
/** How deep blocks and brackets may be nested. */
const maxDepth = 100;
const compiled = new Map<string, Template>();

/**
 * Compiles a template: the part of Go's text/template that definitions use (`if`, `range`, `and`, `or`, `eq`, `ne`,
 * `not`, `join`, `re_replace`).
 *
 * @throws BrowserError `definition_unsupported` naming the function or construct that is not known
 */
export function compileTemplate(source: string): Template {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const parser = new Parser(source);
  const body = parser.parseAll();
  const template: Template = {
    render: (variables, escape = (value) => value) =>
      body({ variables, dot: null, locals: new Map(), escape, room: { left: maxLength } }),
  };
  if (compiled.size > 20_000) compiled.clear();
  compiled.set(source, template);
  return template;
}

/** Renders at once. */
export function renderTemplate(
  source: string,
  variables: TemplateVariables,
  escape?: (value: string) => string,
): string {
  return source.includes('{{') ? compileTemplate(source).render(variables, escape) : source;
}

/** Blank text is false, as in the programs that the format comes from (in Go itself it is not). */
const truthy = (value: TemplateValue) => (typeof value === 'string' ? value.trim() !== '' : (value?.length ?? 0) > 0);
const textOf = (value: TemplateValue) => (typeof value === 'string' ? value : (value ?? []).join(','));
const same = (a: TemplateValue, b: TemplateValue) => textOf(a) === textOf(b);

const functions: Readonly<Record<string, (args: readonly TemplateValue[]) => TemplateValue>> = {
  and: (args) => args.find((arg) => !truthy(arg)) ?? (args.every(truthy) ? args.at(-1) : ''),
  or: (args) => args.find(truthy) ?? args.at(-1),
  not: ([arg]) => (truthy(arg) ? '' : 'true'),
  eq: ([first, ...others]) => (others.some((other) => same(first, other)) ? 'true' : ''),
  ne: ([first, second]) => (same(first, second) ? '' : 'true'),
  join: ([list, by]) => (typeof list === 'string' ? list : (list ?? []).join(textOf(by))),
  re_replace: ([text, pattern, replacement]) =>
    replaceAll(compilePattern(textOf(pattern)), textOf(text), textOf(replacement)),
};

/** These take two values; the others take all that follow. */
const takesTwo: ReadonlySet<string> = new Set(['eq', 'ne']);

class Parser {
  readonly #parts: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    // Odd parts are what stands between `{{` and `}}`; `{{-` and `-}}` eat the white space beside them.
    this.#parts = source.split(/(?:\s*\{\{-|\{\{)\s*(.*?)\s*(?:-\}\}\s*|\}\})/s);
  }

  parseAll(): Node {
    const { body, end } = this.#block();
    if (end !== '') throw unsupported(`{{ ${end} }} without a beginning`);
    return body;
  }

  /** Up to `end`, `else` or the end of the text; `end` says which. */
  #block(): { readonly body: Node; readonly end: string } {
    const nodes: Node[] = [];
    for (; this.#at < this.#parts.length; this.#at += 1) {
      const part = this.#parts[this.#at] ?? '';
      if (this.#at % 2 === 0) {
        if (part !== '') nodes.push((scope) => put(part, scope));
      } else if (part === 'end' || part === 'else' || part.startsWith('else ')) {
        return { body: sequence(nodes), end: part };
      } else if (!part.startsWith('/*')) {
        nodes.push(this.#action(part));
      }
    }
    return { body: sequence(nodes), end: '' };
  }

  #action(part: string): Node {
    if (part.startsWith('if ')) return this.#conditional(part.slice('if '.length));
    if (part.startsWith('range ')) return this.#range(part.slice('range '.length));
    const value = parseExpression(part);
    return (scope) => put(scope.escape(textOf(value(scope))), scope);
  }

  #conditional(test: string): Node {
    const condition = parseExpression(test);
    const yes = this.#branch();
    let no: Node = () => '';
    if (yes.end.startsWith('else if ')) no = this.#conditional(yes.end.slice('else if '.length));
    else if (yes.end === 'else') no = this.#last();
    return (scope) => (truthy(condition(scope)) ? yes.body(scope) : no(scope));
  }

  #range(over: string): Node {
    const named = /^\$(\w+)\s*(?:,\s*\$(\w+)\s*)?:=\s*(.*)$/s.exec(over);
    const list = parseExpression(named?.[3] ?? over);
    const [index, item] = named === null ? [] : named[2] === undefined ? [undefined, named[1]] : [named[1], named[2]];
    const { body, end } = this.#branch();
    const empty: Node = end === 'else' ? this.#last() : () => '';
    return (scope) => {
      const value = list(scope);
      const items = typeof value === 'string' ? (value === '' ? [] : [value]) : (value ?? []);
      if (items.length === 0) return empty(scope);
      return items
        .map((dot, at) => {
          const locals = new Map(scope.locals);
          if (index !== undefined) locals.set(index, String(at));
          if (item !== undefined) locals.set(item, dot);
          return body({ ...scope, dot, locals });
        })
        .join('');
    };
  }

  #branch() {
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > maxDepth) throw unsupported('blocks nested over 100 deep');
    const block = this.#block();
    this.#depth -= 1;
    if (block.end === '') throw unsupported('a block without {{ end }}');
    return block;
  }

  #last(): Node {
    const { body, end } = this.#branch();
    if (end !== 'end') throw unsupported('two {{ else }} in one block');
    return body;
  }
}

function put(text: string, { room }: Scope): string {
  room.left -= text.length;
  if (room.left < 0) throw new BrowserError('definition_unsupported', 'a template makes more than 100,000 characters');
  return text;
}

function sequence(nodes: readonly Node[]): Node {
  return (scope) => nodes.map((node) => node(scope)).join('');
}

const token = /\s*("(?:[^"\\]|\\.)*"|`[^`]*`|\(|\)|\.[\w.-]*|\$\w*|-?\d+(?:\.\d+)?|\w+|\S)/gsy;

function parseExpression(source: string): Expression {
  const tokens = [...source.matchAll(token)].map((match) => match[1] ?? '');
  let at = 0;
  let depth = 0;
  const operand = (): Expression => {
    const next = tokens[at] ?? '';
    // `and eq .A "x" eq .B "y"`: some leave the brackets out.
    if (Object.hasOwn(functions, next)) return call();
    at += 1;
    if (next === '(') {
      depth += 1;
      if (depth > maxDepth) throw unsupported('brackets nested over 100 deep');
      const inner = call();
      if (tokens[at] !== ')') throw unsupported(`{{ ${source} }}`);
      at += 1;
      depth -= 1;
      return inner;
    }
    if (next === '.') return ({ dot }) => dot;
    if (next.startsWith('.')) return ({ variables }) => variables.get(next.slice(1));
    if (next.startsWith('$')) return ({ locals }) => locals.get(next.slice(1));
    if (next.startsWith('"')) return always(unquoted(next));
    if (next.startsWith('`')) return always(next.slice(1, -1));
    if (/^-?\d/.test(next)) return always(next);
    if (next === 'true' || next === 'false') return always(next === 'true' ? 'true' : '');
    throw unsupported(next === '' ? `{{ ${source} }}` : `template function ${next}`);
  };
  const call = (): Expression => {
    const name = tokens[at] ?? '';
    const work = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (work === undefined) return operand();
    at += 1;
    const args: Expression[] = [];
    const most = takesTwo.has(name) ? 2 : Infinity;
    while (at < tokens.length && tokens[at] !== ')' && args.length < most) args.push(operand());
    return (scope) => work(args.map((arg) => arg(scope)));
  };
  const expression = call();
  // A bracket too many at the end is read over, as the programs do that the format comes from.
  if (tokens[at] === ')') at += 1;
  if (at < tokens.length) throw unsupported(`{{ ${source} }}`);
  return expression;
}

const always =
  (value: string): Expression =>
  () =>
    value;

/** Only quotes are escaped: the strings are patterns more often than not, and their backslashes are their own. */
function unquoted(text: string): string {
  return text.slice(1, -1).replaceAll('\\"', '"');
}

function unsupported(what: string): BrowserError {
  return new BrowserError('definition_unsupported', what.slice(0, 120));
}
