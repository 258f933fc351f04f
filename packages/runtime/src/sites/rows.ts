import { BrowserError } from '@wheelhouse/contracts';
import { parseFuzzyTime } from './dates.ts';
import type { SelectorBlock, SiteDefinition } from './definition.ts';
import { decimalNumber, sizeInBytes, wholeNumber } from './numbers.ts';
import { copyOf, type PageElements, select, type SitePage } from './page.ts';
import { renderTemplate, type TemplateValue, type TemplateVariables } from './template.ts';
import { absolute, readValue } from './values.ts';

/**
 * One entry of a list: the definition's fields by name, helpers of other fields (`_id`, `title_default`) included.
 * Addresses are absolute and raw, sizes bytes, dates ISO 8601 where they could be read, counts plain digits.
 */
export type Row = Readonly<Record<string, string>>;

/** A required field that was missing. */
export interface MissingField {
  readonly field: string;
  /** What should have matched, its templates filled in. `null` where the field is made of text. */
  readonly selector: string | null;
  /** In how many rows. */
  readonly rows: number;
}

/** What reading a list found. */
export interface ListReading {
  /** The rows selector as it was run, its templates filled in. */
  readonly selector: string;
  /** Elements that the rows selector matched, before lines were joined to rows. */
  readonly matched: number;
  readonly rows: readonly Row[];
  /** Required fields that were missing; the worst first. */
  readonly missing: readonly MissingField[];
  /** Features that were met and not supported. */
  readonly unsupported: readonly string[];
}

/** Fields that may always be missing. */
const mayMiss: ReadonlySet<string> = new Set(
  'imdb imdbid tmdbid rageid tvdbid tvmazeid traktid doubanid poster banner description genre'.split(' '),
);
/** Most lines that are read of one page. */
const maxLines = 2_000;

/**
 * Reads the list of a page as the definition says. The page itself stays as it is.
 *
 * @throws BrowserError `definition_unsupported` when the rows selector itself cannot be run
 */
export function readRows(page: SitePage, definition: SiteDefinition, variables: TemplateVariables): ListReading {
  const { rows: block, fields } = definition.search;
  const selector = renderTemplate(block.selector, variables);
  const copy = copyOf(page);
  const found = select(copy, selector);
  const lines = found.slice(0, maxLines);
  const missing = new Map<string, MissingField>();
  const unsupported = new Set<string>();
  const rows: Row[] = [];
  const hasOther = fields['magnet'] !== undefined || fields['infohash'] !== undefined;
  const mustSay = new Set(['title', 'details', ...(hasOther ? [] : ['download'])]);
  const list: ListNeeds = { page: copy, variables, mustSay, unsupported };
  const step = Math.max(0, wholeNumber(block.after ?? '0')) + 1;
  // All rows are joined before the first is read, because reading takes parts out.
  for (let at = 0; at < lines.length; at += step) joinLines(lines, at, step);
  for (let at = 0; at < lines.length; at += step) {
    const element = lines.eq(at);
    const reader = new RowReader(list, element);
    for (const [name, field] of Object.entries(fields)) reader.read(name, field);
    if (block.dateheaders !== undefined) reader.readDateAbove(block.dateheaders);
    for (const [field, where] of reader.missing) {
      missing.set(field, { field, selector: where, rows: (missing.get(field)?.rows ?? 0) + 1 });
    }
    if (hasAllWords(reader.row, definition, variables)) rows.push(reader.row);
  }
  return {
    selector,
    matched: found.length,
    rows,
    missing: [...missing.values()].toSorted((a, b) => b.rows - a.rows),
    unsupported: [...unsupported],
  };
}

/** Appends the cells of the following lines to the first: some sites need two lines an entry. */
function joinLines(lines: PageElements, at: number, step: number): void {
  for (let next = at + 1; next < at + step; next += 1) lines.eq(at).append(lines.eq(next).contents());
}

/** What all rows of a list are read with. */
interface ListNeeds {
  readonly page: SitePage;
  readonly variables: TemplateVariables;
  /** Fields that an entry is nothing without: empty is missing. */
  readonly mustSay: ReadonlySet<string>;
  readonly unsupported: Set<string>;
}

class RowReader {
  readonly row: Record<string, string> = {};
  /** Required fields that are missing, and what should have matched. */
  readonly missing = new Map<string, string | null>();
  readonly #page: SitePage;
  readonly #element: PageElements;
  readonly #variables: Map<string, TemplateValue>;
  readonly #list: ListNeeds;

  constructor(list: ListNeeds, element: PageElements) {
    this.#list = list;
    this.#page = list.page;
    this.#element = element;
    this.#variables = new Map(list.variables);
  }

  /** Reads one field; `name` is as written, `title|append` adds to what was read before. */
  read(name: string, block: SelectorBlock): void {
    const [field = name, ...modifiers] = name.split('|');
    const isOptional = block.optional || modifiers.includes('optional') || mayMiss.has(field);
    let value = this.#isMadeOfMissing(block) ? null : this.#valueOf(block);
    if (isOptional && (value === null || value.trim() === '')) {
      value =
        block.default === undefined ? '' : this.#attempt(() => renderTemplate(block.default ?? '', this.#variables));
      if (value === null || value.trim() === '') {
        this.#variables.set(`Result.${field}`, '');
        return;
      }
    }
    const isVoid = value === null || (this.#list.mustSay.has(field) && value.trim() === '');
    const typed = isVoid ? null : typedValue(field, value ?? '', this.#page.url);
    if (typed === null) {
      this.missing.set(field, this.#selectorOf(block));
      return;
    }
    this.missing.delete(field);
    this.row[field] = modifiers.includes('append') ? `${this.row[field] ?? ''}${typed}` : typed;
    this.#variables.set(`Result.${field}`, this.row[field]);
  }

  /** Takes the date of the closest line above that has one, where the row itself has none. */
  readDateAbove(block: SelectorBlock): void {
    if (this.row['date'] !== undefined) return;
    let line = this.#element;
    for (let steps = 0; steps < maxLines && line.length > 0; steps += 1) {
      const above = line.prev();
      line = above.length > 0 ? above : line.parent().prev();
      const value = line.length === 0 ? null : this.#attempt(() => readValue(this.#page, line, block, this.#variables));
      if (value !== null) {
        this.row['date'] = typedValue('date', value, this.#page.url) ?? value;
        return;
      }
    }
    if (!block.optional) this.missing.set('date', this.#selectorOf(block));
  }

  #valueOf(block: SelectorBlock): string | null {
    return this.#attempt(() => readValue(this.#page, this.#element, block, this.#variables));
  }

  /** Text around a helper that is missing is no value: `details.php?id=` without the id. */
  #isMadeOfMissing({ text }: SelectorBlock): boolean {
    return this.#missingIn(text) !== undefined;
  }

  /** The first missing field that a text takes in without asking whether it is there. */
  #missingIn(text: string | undefined): string | undefined {
    if (text === undefined || this.missing.size === 0 || /\{\{\s*(?:if|or|and|range)\b/.test(text)) return undefined;
    const names = [...text.matchAll(/\{\{\s*\.Result\.(\w+)\s*\}\}/g)].map((match) => match[1] ?? '');
    return names.find((name) => this.missing.has(name));
  }

  #selectorOf({ selector, text, case: cases }: SelectorBlock): string | null {
    const cause = this.#missingIn(text);
    if (cause !== undefined) return this.missing.get(cause) ?? null;
    if (selector === undefined) return cases === undefined ? null : Object.keys(cases).join(', ').slice(0, 300);
    return this.#attempt(() => renderTemplate(selector, this.#variables)) ?? selector;
  }

  #attempt<T>(run: () => T): T | null {
    try {
      return run();
    } catch (error) {
      if (!BrowserError.is(error)) throw error;
      this.#list.unsupported.add(error.message);
      return null;
    }
  }
}

/** What a field holds, by its name. `null` for a date that is none. */
function typedValue(field: string, value: string, base: string): string | null {
  switch (field) {
    case 'details':
    case 'download':
    case 'comments':
    case 'poster':
      return value.trim() === '' ? '' : absolute(value.trim(), base);
    case 'size':
      return String(sizeInBytes(value));
    case 'seeders':
    case 'leechers':
    case 'grabs':
    case 'files':
    case 'year':
    case 'minimumseedtime':
      return String(wholeNumber(value));
    case 'downloadvolumefactor':
    case 'uploadvolumefactor':
    case 'minimumratio':
      return String(decimalNumber(value));
    case 'imdb':
    case 'imdbid':
    case 'tmdbid':
    case 'tvdbid':
    case 'tvmazeid':
    case 'rageid':
    case 'traktid':
    case 'doubanid':
      return /\d+/.exec(value)?.[0] ?? '';
    case 'date': {
      const date = parseFuzzyTime(value);
      return /^\d{4}-\d\d-\d\dT/.test(date) ? date : null;
    }
    default:
      return value;
  }
}

/** The row filter `andmatch`: with keywords, only rows whose title has all of them. */
function hasAllWords(row: Row, { search }: SiteDefinition, variables: TemplateVariables): boolean {
  if (!search.rows.filters.some(({ name }) => name === 'andmatch')) return true;
  const wanted = variables.get('Keywords');
  const title = new Set(wordsOf(row['title'] ?? ''));
  return wordsOf(typeof wanted === 'string' ? wanted : '').every((word) => title.has(word));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
