import type { SiteDefinition } from './definition.ts';
import { copyOf, type SitePage } from './page.ts';
import type { Row } from './rows.ts';
import { renderTemplate, type TemplateVariables } from './template.ts';
import { absolute, readValue } from './values.ts';

/** Where the file of an entry is. */
export interface DownloadLink {
  /** Absolute, raw: it may carry the passkey. */
  readonly url: string;
  readonly kind: 'torrent' | 'magnet' | 'infohash';
  /** The selector that gave it; `null` when it came with the list's row. */
  readonly selector: string | null;
}

/** What looking for a download found. */
export interface DownloadReading {
  readonly link: DownloadLink | null;
  /** Selectors that were tried and did not match, in order. */
  readonly tried: readonly string[];
}

/** Whether a definition looks for the download on the details page, and not in the list. */
export function downloadIsOnDetails(definition: SiteDefinition): boolean {
  const { download } = definition;
  return download !== undefined && (download.selectors.length > 0 || download.infohash !== undefined);
}

/**
 * The download of a page by the definition's selectors. A definition without any has its download in the row; one whose
 * selectors match nothing has none, as the row then only has the address of the page.
 *
 * @param page what the row's download leads to, most often the details page
 */
export function readDownload(
  page: SitePage,
  definition: SiteDefinition,
  row: Row,
  variables: TemplateVariables,
): DownloadReading {
  if (!downloadIsOnDetails(definition)) return { link: rowDownload(row), tried: [] };
  const { infohash, selectors = [] } = definition.download ?? {};
  const all = new Map([
    ...variables,
    ...Object.entries(row).map(([name, value]) => [`Result.${name}`, value] as const),
  ]);
  const copy = copyOf(page);
  const tried: string[] = [];
  for (const block of infohash?.hash === undefined ? selectors : []) {
    const value = readValue(copy, undefined, block, all)?.trim() ?? '';
    const selector = renderTemplate(block.selector, all);
    if (value !== '') return { link: linkOf(absolute(value, page.url), selector), tried };
    tried.push(selector);
  }
  if (infohash?.hash !== undefined) {
    const value = readValue(copy, undefined, infohash.hash, all)?.trim() ?? '';
    const selector = renderTemplate(infohash.hash.selector ?? '', all);
    if (isInfoHash(value)) return { link: { ...magnetOf(value), selector }, tried };
    tried.push(selector);
  }
  return { link: null, tried };
}

/** The download that a row of the list brings along. */
export function rowDownload(row: Row): DownloadLink | null {
  const url = row['download'] || row['magnet'];
  if (url !== undefined && url !== '') return linkOf(url, null);
  const hash = row['infohash'] ?? '';
  return isInfoHash(hash) ? { ...magnetOf(hash), selector: null } : null;
}

function linkOf(url: string, selector: string | null): DownloadLink {
  return { url, kind: /^magnet:/i.test(url) ? 'magnet' : 'torrent', selector };
}

function magnetOf(hash: string) {
  return { url: `magnet:?xt=urn:btih:${hash}`, kind: 'infohash' } as const;
}

/** SHA-1 of a torrent's info part: 40 hexadecimal digits, or 32 of base 32. */
function isInfoHash(text: string): boolean {
  return /^(?:[\da-f]{40}|[a-z2-7]{32})$/i.test(text);
}
