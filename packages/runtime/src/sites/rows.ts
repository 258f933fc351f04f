import { BrowserError } from '@wheelhouse/contracts';
import type { SelectorBlock, SiteDefinition } from './definition.ts';
import { applyFilters } from './filters.ts';
import { type PageElements, readElement, select, type SitePage } from './page.ts';
import { renderTemplate, type TemplateValue, type TemplateVariables } from './template.ts';

/** One entry of a list: the definition's fields by name. Addresses are absolute and raw. */
export type Row = Readonly<Record<string, string>>;

/** What reading a list found. */
export interface ListReading {
  /** The rows selector as it was run, its templates filled in. */
  readonly selector: string;
  readonly matched: number;
  readonly rows: readonly Row[];
  /** Required fields that were missing, with their selector and in how many rows; the worst first. */
  readonly missing: readonly { readonly field: string; readonly selector: string | null; readonly rows: number }[];
  /** Features that were met and not supported. */
  readonly unsupported: readonly string[];
}

/** Fields that hold an address. */
const addressFields: ReadonlySet<string> = new Set(['details', 'download', 'comments', 'poster']);
/** Most rows that are read of one page. */
const maxRows = 500;

/**
 * Reads the list of a page as the definition says.
 *
 * @throws BrowserError `definition_unsupported` when the rows selector itself cannot be run
 */
export function readRows(page: SitePage, definition: SiteDefinition, variables: TemplateVariables): ListReading {
  const { rows: block, fields } = definition.search;
  const selector = renderTemplate(block.selector, variables);
  const found = select(page, selector);
  const after = Number(block.after ?? 0);
  const missing = new Map<string, { selector: string | null; rows: number }>();
  const unsupported = new Set<string>();
  const rows: Row[] = [];
  const step = after + 1;
  for (let at = 0; at < found.length && rows.length < maxRows; at += step) {
    const element = merged(found, at, after);
    if (block.remove !== undefined) select(page, block.remove, element).remove();
    const read = readFields({ page, element, fields, variables }, unsupported);
    for (const [field, tried] of read.missing) {
      missing.set(field, { selector: tried, rows: (missing.get(field)?.rows ?? 0) + 1 });
    }
    rows.push(read.row);
  }
  return {
    selector,
    matched: found.length,
    rows,
    missing: [...missing].map(([field, about]) => ({ field, ...about })).toSorted((a, b) => b.rows - a.rows),
    unsupported: [...unsupported],
  };
}

/** A row, with the cells of the following `after` ones appended to it (sites that need two lines an entry). */
function merged(found: PageElements, at: number, after: number): PageElements {
  const row = found.eq(at);
  for (let next = 1; next <= after; next += 1) row.append(found.eq(at + next).children());
  return row;
}

interface RowAt {
  readonly page: SitePage;
  readonly element: PageElements;
  readonly fields: Readonly<Record<string, SelectorBlock>>;
  readonly variables: TemplateVariables;
}

function readFields({ page, element, fields, variables }: RowAt, unsupported: Set<string>) {
  const local = new Map<string, TemplateValue>(variables);
  const row: Record<string, string> = {};
  const missing: [string, string | null][] = [];
  for (const [written, block] of Object.entries(fields)) {
    // `title|append` and the like change a field that was read before.
    const [field = written, ...modifiers] = written.split('|');
    const isOptional =
      block.optional || modifiers.includes('optional') || field.startsWith('_') || /_(optional|default)$/.test(field);
    let value: string | null = null;
    try {
      value = readValue(page, element, block, local);
    } catch (error) {
      if (!BrowserError.is(error)) throw error;
      unsupported.add(error.message);
    }
    if (value === null) {
      if (block.default !== undefined) value = renderTemplate(block.default, local);
      else if (!isOptional) missing.push([field, block.selector ?? null]);
    }
    const full = modifiers.includes('append') ? `${row[field] ?? ''}${value ?? ''}` : (value ?? '');
    row[field] = addressFields.has(field) && full !== '' ? absolute(full, page.url) : full;
    local.set(`Result.${field}`, row[field]);
  }
  return { row, missing };
}

/** A value as its block says, filters run; `null` when nothing was there. */
export function readValue(
  page: SitePage,
  within: PageElements | undefined,
  block: SelectorBlock,
  variables: TemplateVariables,
): string | null {
  const raw = rawValue(page, within, block, variables);
  if (raw === null) return null;
  return applyFilters(raw.replaceAll(/\s+/g, ' ').trim(), block.filters, variables);
}

function rawValue(
  page: SitePage,
  within: PageElements | undefined,
  block: SelectorBlock,
  variables: TemplateVariables,
): string | null {
  if (block.text !== undefined) return renderTemplate(block.text, variables);
  const scope = within ?? page.root;
  const element =
    block.selector === undefined ? scope : select(page, renderTemplate(block.selector, variables), within).first();
  if (element.length === 0) return null;
  if (block.case !== undefined) {
    for (const [when, then] of Object.entries(block.case)) {
      if (when === '*' || select(page, renderTemplate(when, variables), element).length > 0)
        return renderTemplate(then, variables);
    }
    return null;
  }
  return readElement(page, element, block);
}

/** An address of the page as an absolute one; what is no address stays as it is. */
export function absolute(href: string, base: string): string {
  return URL.canParse(href, base) ? new URL(href, base).href : href;
}
