import { BrowserError } from '@wheelhouse/contracts';
import { type CheerioAPI, load } from 'cheerio';
import { cssSelector } from './selector-syntax.ts';

/** Largest document that is parsed, characters. */
const maxChars = 16 * 1024 * 1024;

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
}

/** Elements of a page. */
export type PageElements = ReturnType<ReturnType<CheerioAPI['root']>['find']>;

/**
 * Parses a document as browsers do.
 *
 * @throws BrowserError `too_large` over 16 million characters
 */
export function parsePage(url: string, html: string): SitePage {
  if (html.length > maxChars) throw new BrowserError('too_large', 'the page is larger than 16 MiB');
  const $ = load(html);
  const body = $('body').clone();
  body.find('script, style, noscript, template').remove();
  return {
    url,
    html,
    title: $('title').first().text().trim(),
    text: body.text().replaceAll(/\s+/g, ' ').trim(),
    root: $.root().find('html'),
    $,
  };
}

/** The same page once more, to be cut up while it is read: definitions take parts out, and join rows. */
export function copyOf(page: SitePage): SitePage {
  const $ = load(page.html);
  return { ...page, $, root: $.root().find('html') };
}

/**
 * The elements that a selector matches: within an element, or the element itself (as the programs do that the format
 * comes from), `:root …` from the document's top. A selector may begin outside of the element that it looks into.
 *
 * @throws BrowserError `definition_unsupported` for a selector that does not compile
 */
export function select(page: SitePage, selector: string, within?: PageElements): PageElements {
  const clean = cssSelector(selector);
  try {
    if (clean === '') throw new Error('an empty selector');
    if (within === undefined || /^:root\b/.test(clean)) return page.$.root().find(clean);
    const itself = within.filter(clean);
    // `find` alone would want all of the selector inside of the element.
    return itself.length > 0 ? itself : within.find('*').filter(clean);
  } catch (cause) {
    throw new BrowserError('definition_unsupported', `selector ${selector.slice(0, 120)}`, { cause });
  }
}

/** Checks that a selector compiles. Throws `definition_unsupported` with it. */
export function checkSelector(selector: string): void {
  select(empty, selector);
}

const empty = parsePage('about:blank', '<html><body></body></html>');
