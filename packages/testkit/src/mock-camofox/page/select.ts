import { nameOf, roleOf, squash } from './accessible.ts';
import { cssTest, splitOutside } from './css.ts';
import { type DomElement, isHidden } from './dom.ts';

/** A document inside a frame of another. */
export interface Frame {
  /** The `iframe` element that holds it. */
  readonly holder: DomElement;
  readonly name: string;
  readonly url: string;
  readonly root: DomElement;
}

/** Where a selector is looked for. */
export interface SearchRoot {
  readonly root: DomElement;
  readonly frames: readonly Frame[];
}

/**
 * The elements that a Playwright selector means, in document order. Knows CSS, `role=`, `text=`, `nth=`, `id=`,
 * `internal:and=` and `internal:control=enter-frame`, chained by `>>`.
 *
 * @throws Error in the words of Playwright for selectors that it does not parse
 */
export function selectAll(page: SearchRoot, selector: string): DomElement[] {
  let found: DomElement[] = [page.root];
  for (const step of splitOutside(selector, '>>').map((part) => part.trim())) {
    const [, engine = 'css', body = step] = /^([a-z_:-]+)=([\s\S]*)$/i.exec(step) ?? [];
    if (engine === 'nth') {
      const at = Number(body);
      const one = at < 0 ? found.at(at) : found[at];
      found = one === undefined ? [] : [one];
    } else if (engine === 'internal:control') {
      found = page.frames.filter(({ holder }) => found.includes(holder)).map(({ root }) => root);
    } else if (engine === 'internal:and') {
      const both = new Set(selectAll(page, String(JSON.parse(body))));
      found = found.filter((one) => both.has(one));
    } else {
      const test = testOf(engine, body, step);
      found = unique(found.flatMap((root) => root.all(test)));
    }
  }
  return found;
}

function testOf(engine: string, body: string, step: string): (element: DomElement) => boolean {
  switch (engine) {
    case 'css':
      if (step.startsWith('//') || step.startsWith('..')) {
        throw new Error('SyntaxError: Document.evaluate: The expression is not a legal expression');
      }
      return cssTest(body === step ? step : body);
    case 'id':
      return (element) => element.get('id') === body;
    case 'text':
      return textTest(body);
    case 'role':
      return roleTest(body);
    default:
      return cssTest(step);
  }
}

function textTest(body: string): (element: DomElement) => boolean {
  const quoted = /^"([\s\S]*)"$|^'([\s\S]*)'$/.exec(body.trim());
  const exact = quoted?.[1] ?? quoted?.[2];
  const wanted = squash(exact ?? body);
  const has = (text: string) =>
    exact === undefined ? squash(text).toLowerCase().includes(wanted.toLowerCase()) : squash(text) === wanted;
  return (element) =>
    !/^(script|style|head|title)$/.test(element.tag) &&
    has(element.text) &&
    !element.elements.some((child) => has(child.text));
}

/** `button[name="exact"]`, with `i` for any case. The upstream's own refs use substrings instead. */
function roleTest(body: string): (element: DomElement) => boolean {
  const [, role = '', rest = ''] = /^\s*([\w-]+)([\s\S]*)$/.exec(body) ?? [];
  const tests: ((element: DomElement) => boolean)[] = [];
  if (rest.trim() !== '') {
    const pattern = /^\s*\[\s*name\s*=\s*\/(.*)\/([a-z]*)\s*\]\s*$/.exec(rest);
    if (pattern !== null) return named(role, new RegExp(pattern[1] ?? '', pattern[2]));
    const attribute = /^\s*\[\s*name\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)')\s*(i)?\s*\]\s*$/.exec(
      rest,
    );
    if (attribute === null) throw new Error(`Unknown attribute in selector "role=${body}"`);
    const wanted = squash((attribute[1] ?? attribute[2] ?? '').replace(/\\([\s\S])/g, '$1'));
    tests.push((element) => {
      const own = nameOf(element);
      return attribute[3] === 'i' ? own.toLowerCase() === wanted.toLowerCase() : own === wanted;
    });
  }
  return (element) => roleOf(element) === role && isExposed(element) && tests.every((test) => test(element));
}

function named(role: string, pattern: RegExp): (element: DomElement) => boolean {
  return (element) => roleOf(element) === role && isExposed(element) && pattern.test(nameOf(element));
}

/** What Playwright's `getByRole(role, { name })` finds: the name as a substring, in any case. */
export function byRole(root: DomElement, role: string, name: string): DomElement[] {
  const wanted = squash(name).toLowerCase();
  return root.all(
    (element) =>
      roleOf(element) === role &&
      isExposed(element) &&
      (wanted === '' || nameOf(element).toLowerCase().includes(wanted)),
  );
}

function isExposed(element: DomElement): boolean {
  return !isHidden(element) && element.closest((one) => one.get('aria-hidden') === 'true') === null;
}

function unique(elements: readonly DomElement[]): DomElement[] {
  return [...new Set(elements)];
}
