import { BrowserError } from '@wheelhouse/contracts';
import { type CheerioAPI, load } from 'cheerio';
import { nestingOf } from './nesting.ts';
import { countingPseudos } from './positions.ts';
import { cssSelectors } from './selector-syntax.ts';

/** Largest document that is parsed, characters. */
const maxChars = 16 * 1024 * 1024;
/** Most elements that may be open at once. Browsers themselves build no deeper tree from text than this. */
const maxNesting = 512;

/** Most children of an element that is looked into: a row of a list has a few dozen. */
const maxChildren = 2_000;

/** Most selectors that a page remembers. */
const maxSelectors = 1_000;

/** A parsed page, for the selectors of a definition. Lives in the job and never leaves it. */
export interface SitePage {
  /** Address of the document, for relative links. Raw. */
  readonly url: string;
  readonly html: string;
  readonly title: string;
  /** Visible text, whitespace folded. */
  readonly text: string;
  readonly root: PageElements;
  readonly $: CheerioAPI;
  /** Selectors as css-select takes them, read once a page: a list asks the same ones of every row. */
  readonly selectors: Map<string, readonly string[]>;
}

/** Elements of a page. */
export type PageElements = ReturnType<ReturnType<CheerioAPI['root']>['find']>;

/**
 * Parses a document as browsers do.
 *
 * @throws BrowserError `too_large` over 16 million characters, or nested over 512 elements deep
 */
export function parsePage(url: string, html: string): SitePage {
  if (html.length > maxChars) throw new BrowserError('too_large', 'the page is larger than 16 MiB');
  if (nestingOf(html, maxNesting) > maxNesting) {
    throw new BrowserError('too_large', `the page is nested over ${maxNesting} elements deep`);
  }
  const $ = documentOf(html);
  return {
    url,
    html,
    title: $('title').first().text().trim(),
    text: visibleText($.root().find('body').toArray()).replaceAll(/\s+/g, ' ').trim(),
    root: $.root().find('html'),
    $,
    selectors: new Map(),
  };
}

function documentOf(html: string): CheerioAPI {
  return load(html, { pseudos: countingPseudos() });
}

/** Elements whose text nobody sees. */
const unseen: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template']);

function visibleText(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      return 'children' in node && !('name' in node && unseen.has(node.name)) ? visibleText(node.children) : '';
    })
    .join('');
}

type Node = ReturnType<PageElements['contents']>[number];

function isText(node: Node): node is Extract<Node, { data: string }> {
  return node.nodeType === 3;
}

/** The same page once more, to be cut up while it is read: definitions take parts out, and join rows. */
export function copyOf(page: SitePage): SitePage {
  const $ = documentOf(page.html);
  return { ...page, $, root: $.root().find('html') };
}

/**
 * The elements that a selector matches: within an element, or the element itself (as the programs do that the format
 * comes from), `:root …` from the document's top. A selector may begin outside of the element that it looks into.
 *
 * @throws BrowserError `definition_unsupported` for a selector that does not compile; `too_large` when it is to look
 *   into an element of over 2,000 children, which takes css-select quadratic time
 */
export function select(page: SitePage, selector: string, within?: PageElements): PageElements {
  const parts = page.selectors.get(selector) ?? cssSelectors(selector);
  // Templates can make a new selector for every row.
  if (page.selectors.size < maxSelectors) page.selectors.set(selector, parts);
  const whole = parts.join(', ');
  if (within !== undefined && within.children().length > maxChildren) {
    throw new BrowserError('too_large', `an element of the page has over ${maxChildren} children`);
  }
  try {
    if (within === undefined || whole.startsWith(':root')) return page.$.root().find(whole);
    const itself = within.filter(whole);
    if (itself.length > 0) return itself;
    // A part that says something of the scope is matched from the top of the document, and not only inside the element.
    return within.find(parts.map((part) => `${part}:not(:scope)`).join(', '));
  } catch (cause) {
    throw new BrowserError('definition_unsupported', `selector ${selector.slice(0, 120)}`, { cause });
  }
}

/** Checks that a selector compiles. Throws `definition_unsupported` with it. */
export function checkSelector(selector: string): void {
  select(empty, selector);
}

const empty = parsePage('about:blank', '<html><body></body></html>');
