import type { CheerioAPI } from 'cheerio';

type Element = ReturnType<ReturnType<CheerioAPI['root']>['find']>[number];

/** Where an element stands among the elements of its parent, from 1, and how many there are. */
interface Position {
  readonly at: number;
  readonly of: number;
  readonly typeAt: number;
  readonly typeOf: number;
}

/** Positions of the children of one parent, as they were when it had so many. */
interface Counted {
  readonly children: number;
  readonly positions: ReadonlyMap<Element, Position>;
}

/** `an+b` of the `nth-` pseudo-classes: `2n+1`, `odd`, `-n+3`, `4`. */
export interface Steps {
  readonly every: number;
  readonly from: number;
}

/** Reads `an+b`; `null` for anything else. */
export function stepsOf(formula: string): Steps | null {
  const text = formula.trim().toLowerCase();
  if (text === 'odd') return { every: 2, from: 1 };
  if (text === 'even') return { every: 2, from: 0 };
  if (/^[+-]?\d{1,9}$/.test(text)) return { every: 0, from: Number(text) };
  const parts = /^([+-]?\d{0,9})n(?:\s*([+-])\s*(\d{1,9}))?$/.exec(text);
  if (parts === null) return null;
  const [, every = '', sign = '+', from = '0'] = parts;
  return { every: /\d/.test(every) ? Number(every) : Number(`${every}1`), from: Number(`${sign}${from}`) };
}

/**
 * The pseudo-classes that count siblings, for css-select. Its own count again for every element, which takes a page of
 * some ten thousand siblings seconds a selector; these count once a parent, and again when children came or went.
 */
export function countingPseudos() {
  const counted = new WeakMap<object, Counted>();

  function positionOf(element: Element): Position {
    const { parent } = element;
    if (parent === null) return { at: 1, of: 1, typeAt: 1, typeOf: 1 };
    let known = counted.get(parent);
    if (known?.children !== parent.children.length || !known.positions.has(element)) {
      known = { children: parent.children.length, positions: count(parent.children) };
      counted.set(parent, known);
    }
    return known.positions.get(element) ?? { at: 1, of: 1, typeAt: 1, typeOf: 1 };
  }

  const nth = (place: (position: Position) => number) => (element: Element, formula?: string | null) => {
    const steps = stepsOf(formula ?? '');
    return steps !== null && fits(place(positionOf(element)), steps);
  };
  const first = (place: (position: Position) => number) => (element: Element) => place(positionOf(element)) === 1;
  const fromEnd = ({ at, of }: Position) => of - at + 1;
  const typeFromEnd = ({ typeAt, typeOf }: Position) => typeOf - typeAt + 1;
  return {
    'nth-child': nth(({ at }) => at),
    'nth-last-child': nth(fromEnd),
    'nth-of-type': nth(({ typeAt }) => typeAt),
    'nth-last-of-type': nth(typeFromEnd),
    'first-child': first(({ at }) => at),
    'last-child': first(fromEnd),
    'first-of-type': first(({ typeAt }) => typeAt),
    'last-of-type': first(typeFromEnd),
  };
}

function count(children: readonly object[]): ReadonlyMap<Element, Position> {
  const elements = children.filter((child): child is Element => 'attribs' in child);
  const types = new Map<string, number>();
  const seen = elements.map(({ name }) => {
    const typeAt = (types.get(name) ?? 0) + 1;
    types.set(name, typeAt);
    return typeAt;
  });
  return new Map(
    elements.map((element, index) => [
      element,
      { at: index + 1, of: elements.length, typeAt: seen[index] ?? 1, typeOf: types.get(element.name) ?? 1 },
    ]),
  );
}

function fits(place: number, { every, from }: Steps): boolean {
  if (every === 0) return place === from;
  const steps = (place - from) / every;
  return steps >= 0 && Number.isInteger(steps);
}
