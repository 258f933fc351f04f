import type { SiteDefinition } from './definition.ts';
import { type SitePage } from './page.ts';
import type { Row } from './rows.ts';
import type { TemplateVariables } from './template.ts';
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

/** The download of a details page by the definition's selectors, or else that of the row. */
export function readDownload(
  page: SitePage,
  definition: SiteDefinition,
  row: Row,
  variables: TemplateVariables,
): DownloadReading {
  const tried: string[] = [];
  for (const block of definition.download?.selectors ?? []) {
    const value = readValue(page, undefined, { ...block, attribute: block.attribute ?? 'href' }, variables);
    if (value !== null && value !== '') return { link: linkOf(absolute(value, page.url), block.selector), tried };
    tried.push(block.selector);
  }
  const hash = definition.download?.infohash?.hash;
  if (hash !== undefined) {
    const value = readValue(page, undefined, hash, variables);
    if (value !== null && value !== '')
      return {
        link: { url: `magnet:?xt=urn:btih:${value}`, kind: 'infohash', selector: hash.selector ?? null },
        tried,
      };
    tried.push(hash.selector ?? 'infohash');
  }
  return { link: rowDownload(row), tried };
}

/** The download that a row of the list brings along. */
export function rowDownload(row: Row): DownloadLink | null {
  const url = row['download'] || row['magnet'] || (row['infohash'] ? `magnet:?xt=urn:btih:${row['infohash']}` : '');
  return url === '' ? null : linkOf(url, null);
}

function linkOf(url: string, selector: string | null): DownloadLink {
  return { url, kind: url.startsWith('magnet:') ? 'magnet' : 'torrent', selector };
}
