import { BrowserError } from '@wheelhouse/contracts';
import { type CheerioAPI, load } from 'cheerio';

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

/**
 * The elements that a selector matches: within an element, or the element itself (as the programs do that the format
 * comes from), `:root …` from the document's top.
 *
 * @throws BrowserError `definition_unsupported` for a selector that does not compile
 */
export function select(page: SitePage, selector: string, within?: PageElements): PageElements {
  const clean = normalised(selector);
  try {
    if (within === undefined || /^\s*:root\b/.test(clean)) return page.$.root().find(clean);
    const itself = /:scope\b/.test(clean) ? within.slice(0, 0) : within.filter(clean);
    return itself.length > 0 ? itself : within.find(clean);
  } catch (cause) {
    throw new BrowserError('definition_unsupported', `selector ${selector.slice(0, 120)}`, { cause });
  }
}

/** Checks that a selector compiles. Throws `definition_unsupported` with it. */
export function checkSelector(selector: string): void {
  select(empty, selector);
}

const empty = parsePage('about:blank', '<html><body></body></html>');

/** Forms that AngleSharp reads and css-what does not: bare attribute values, and a comma at the end. */
function normalised(selector: string): string {
  return selector
    .replaceAll(
      /\[([\w:-]+)([~|^$*!]?=)([^"'\]\s][^\]"']*)\]/g,
      (_, name: string, operator: string, value: string) => `[${name}${operator}${JSON.stringify(value.trim())}]`,
    )
    .replace(/,\s*$/, '');
}

/** Text or attribute of an element, with the given parts taken out first. `null` when the attribute is missing. */
export function readElement(
  page: SitePage,
  element: PageElements,
  { attribute, remove }: { readonly attribute?: string | undefined; readonly remove?: string | undefined },
): string | null {
  if (attribute !== undefined) return element.attr(attribute) ?? null;
  if (remove === undefined) return element.first().text().trim();
  const copy = element.first().clone();
  select(page, remove, copy).remove();
  return copy.text().trim();
}
