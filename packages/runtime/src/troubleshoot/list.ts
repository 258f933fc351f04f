import type { SiteDefinition } from '../sites/definition.ts';
import { hasPasswordField } from '../sites/login-page.ts';
import type { SitePage } from '../sites/page.ts';
import { type ListReading, readRows, type Row } from '../sites/rows.ts';
import type { TemplateVariables } from '../sites/template.ts';
import type { Finding } from './verdict.ts';

/** What the list step found. */
export interface ListResult {
  readonly finding: Finding | null;
  readonly selector: string;
  readonly found: string;
  readonly rows: readonly Row[];
  readonly unsupported: readonly string[];
}

/** Fields without which an entry is of no use. */
const needed: ReadonlySet<string> = new Set(['title', 'details', 'download']);

/** Reads a list and judges it: rows, and in them the fields that an entry needs. */
export function checkList(page: SitePage, definition: SiteDefinition, variables: TemplateVariables): ListResult {
  const reading = readRows(page, definition, variables);
  const { selector, rows, unsupported } = reading;
  const base = { selector, rows, unsupported };
  if (reading.matched === 0) {
    if (hasPasswordField(page)) {
      const because = 'the list shows a login form instead';
      return { ...base, finding: { verdict: 'auth_expired', because, selector }, found: because };
    }
    const found = `0 rows; the page shows ${instead(page)}`;
    return {
      ...base,
      finding: { verdict: 'structure_changed', because: `the rows selector matches nothing: ${found}`, selector },
      found,
    };
  }
  const worst = worstField(reading);
  if (worst !== undefined) {
    const found = `${reading.matched} rows, but no ${worst.field} in any of them`;
    const because = `the selector of ${worst.field} matches in none of ${rows.length} rows`;
    return {
      ...base,
      finding: { verdict: 'structure_changed', because, selector: worst.selector ?? undefined },
      selector: worst.selector ?? selector,
      found,
    };
  }
  return { ...base, finding: null, found: `${reading.matched} rows` };
}

/** A needed field that is missing in every row, by selector or by coming out empty. */
function worstField({ missing, rows }: ListReading): ListReading['missing'][number] | undefined {
  return missing.find(({ field, rows: count }) => needed.has(field) && count >= rows.length);
}

/** What stands where the rows should be: the largest repeated structure, and links that look like entries. */
function instead(page: SitePage): string {
  let largest = { name: '', children: 0 };
  page.$('table, tbody, ul, ol, div, section').each((_, element) => {
    const children = page.$(element).children().length;
    if (children > largest.children && children >= 3) largest = { name: nameOf(page, element), children };
  });
  const links = page.$('a[href*="details"], a[href*="/torrents/"], a[href*="download"]').length;
  const structure = largest.name === '' ? 'no list' : `${largest.name} with ${largest.children} children`;
  return `${structure}, ${links} links that look like entries`;
}

function nameOf(page: SitePage, element: Parameters<SitePage['$']>[0]): string {
  const found = page.$(element);
  const id = found.attr('id');
  const classes = (found.attr('class') ?? '').split(/\s+/).filter((word) => /^[\w-]{1,40}$/.test(word));
  return `${String(found.prop('tagName')).toLowerCase()}${id === undefined || !/^[\w-]{1,40}$/.test(id) ? '' : `#${id}`}${classes
    .slice(0, 2)
    .map((word) => `.${word}`)
    .join('')}`;
}
