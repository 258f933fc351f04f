import type { Random } from './random.ts';

/** A button of a page, which posts to `/act/ID`; `row` is the text that stands beside it. */
export interface Item {
  readonly id: string;
  readonly label: string;
  readonly row?: string | undefined;
}

/** A page, what becomes of it between look and click, and whether the click may still be made. */
export interface ChangedPage {
  readonly kind: string;
  readonly before: readonly Item[];
  readonly after: readonly Item[];
  /** The place in `before` of what is to be pressed. */
  readonly target: number;
  /** What was looked at is still there, itself, and at its place: refusing it is a false refusal. */
  readonly good: boolean;
  /** The tab goes to another page of the same kind instead, whose buttons have other ids. */
  readonly leaves?: true;
}

type Change = (
  page: Omit<ChangedPage, 'kind' | 'after' | 'good'>,
  id: string,
) => Omit<ChangedPage, 'kind' | 'before' | 'target'>;

const before = (items: readonly Item[], at: number, item: Item) => [...items.slice(0, at), item, ...items.slice(at)];
const without = (items: readonly Item[], at: number) => items.filter((_, place) => place !== at);
const itemAt = (items: readonly Item[], at: number): Item => items[at] ?? { id: 'none', label: 'none' };

/**
 * What may happen to a page while somebody makes up their mind. Whatever moves the number of an element makes a refusal
 * right (contract §4), even where the element could still be found.
 */
const changes: Readonly<Record<string, Change>> = {
  nothing: ({ before: items }) => ({ after: items, good: true }),
  'something below': ({ before: items }, id) => ({
    after: [...items, { id: `${id}-help`, label: 'Help' }],
    good: true,
  }),
  'something above': ({ before: items }, id) => ({
    after: [{ id: `${id}-news`, label: 'News' }, ...items],
    good: false,
  }),
  'a longer name above': ({ before: items, target }, id) => {
    const { label } = itemAt(items, target);
    return { after: [{ id: `${id}-longer`, label: `${label} everything` }, ...items], good: false };
  },
  'other case above': ({ before: items, target }, id) => {
    const { label } = itemAt(items, target);
    return { after: [{ id: `${id}-case`, label: label.toUpperCase() }, ...items], good: false };
  },
  'a twin before it': ({ before: items, target }, id) => {
    const { label } = itemAt(items, target);
    return { after: before(items, target, { id: `${id}-twin`, label }), good: false };
  },
  'a twin after it': ({ before: items, target }, id) => {
    const { label } = itemAt(items, target);
    return { after: [...items, { id: `${id}-twin`, label }], good: false };
  },
  gone: ({ before: items, target }) => ({ after: without(items, target), good: false }),
  'gone, and a longer name there': ({ before: items, target }, id) => {
    const { label } = itemAt(items, target);
    return {
      after: before(without(items, target), target, { id: `${id}-longer`, label: `${label} all` }),
      good: false,
    };
  },
  'other order': ({ before: items }) => ({ after: items.toReversed(), good: false }),
  'a row before it': ({ before: items, target }, id) => {
    const { label, row } = itemAt(items, target);
    return { after: before(items, target, { id: `${id}-new`, label, row: row && `${row} new` }), good: false };
  },
  'its row becomes another': ({ before: items, target }, id) => {
    const { label, row } = itemAt(items, target);
    const other = { id: `${id}-other`, label, row: row === undefined ? 'Other' : `Other than ${row}` };
    return { after: before(without(items, target), target, other), good: false };
  },
  'another page': ({ before: items }, id) => ({
    after: items.map((item, at) => ({ ...item, id: `${id}-page-${at}` })),
    good: false,
    leaves: true,
  }),
};

/** Changes of a row mean something in lists only: a lone button that becomes another of the same name looks the same. */
const listsOnly = new Set(['its row becomes another']);

/** A page of this id, by chance. */
export function changedPage(random: Random, id: string): ChangedPage {
  const list = random.below(2) === 0;
  const kinds = Object.keys(changes).filter((kind) => list || !listsOnly.has(kind));
  const kind = kinds[random.below(kinds.length)] ?? 'nothing';
  const items = list
    ? Array.from({ length: 3 + random.below(4) }, (_, at): Item => {
        return { id: `${id}-${at}`, label: 'Remove', row: `Entry ${at + 1}` };
      })
    : ['Delete all', 'Delete', 'Delete account', 'Keep'].map((label, at): Item => ({ id: `${id}-${at}`, label }));
  const target = list ? random.below(items.length) : random.pick([1, 1, 3, 0]);
  const page = { before: items, target };
  const changed = changes[kind]?.(page, id) ?? { after: items, good: true };
  return { kind, ...page, ...changed };
}

/** The content of a page. */
export function htmlOf(items: readonly Item[]): string {
  const form = ({ id, label }: Item) =>
    `<form method="post" action="/act/${id}"><button type="submit">${label}</button></form>`;
  const rows = items.map((item) => (item.row === undefined ? form(item) : `<li>${item.row} ${form(item)}</li>`));
  return items.some(({ row }) => row !== undefined) ? `<ul>${rows.join('')}</ul>` : rows.join('');
}
