import { BrowserError } from '@wheelhouse/contracts';
import { load } from 'cheerio';
import { dateLayout, parseDate, parseFuzzyTime, parseTimeAgo } from './dates.ts';
import type { FilterBlock } from './definition.ts';
import { compilePattern, replaceAll } from './patterns.ts';
import { compileTemplate, renderTemplate, type TemplateVariables } from './template.ts';

/** How a filter changes a text. Its arguments are rendered already. */
type Filter = (text: string, args: readonly string[]) => string;

/** Longest text that a filter takes or makes, characters. */
const maxLength = 1_000_000;

/** Every filter of the format, by name. */
const filters: Readonly<Record<string, Filter>> = {
  re_replace: (text, [pattern = '', replacement = '']) => replaceAll(compilePattern(pattern), text, replacement),
  replace: (text, [from = '', to = '']) => (from === '' ? text : text.replaceAll(from, () => to)),
  append: (text, [end = '']) => text + end,
  prepend: (text, [start = '']) => start + text,
  dateparse: (text, [layout = '']) => parseDate(text, layout),
  timeparse: (text, [layout = '']) => parseDate(text, layout),
  timeago: (text) => parseTimeAgo(text),
  reltime: (text) => parseTimeAgo(text),
  fuzzytime: (text) => parseFuzzyTime(text),
  // The first group of the first match; without a group there is nothing to give.
  regexp: (text, [pattern = '']) => compilePattern(pattern).all(text)[0]?.groups[1] ?? '',
  querystring: (text, [name = '']) => {
    const query = /\?([^#]*)/s.exec(text)?.[1] ?? '';
    return new URLSearchParams(query).get(name) ?? '';
  },
  // Only the first character of the separator counts.
  split: (text, [by = '', at = '0']) => text.split(by.slice(0, 1)).at(Number(at)) ?? '',
  // Only the first of the given characters counts.
  trim: (text, [chars = '']) => (chars === '' ? text.trim() : trimmed(text, chars.charAt(0))),
  toupper: (text) => text.toUpperCase(),
  tolower: (text) => text.toLowerCase(),
  urlencode: (text) => new URLSearchParams([['', text]]).toString().slice(1),
  urldecode: (text) => decoded(text),
  htmldecode: (text) => entitiesDecoded(text),
  htmlencode: (text) => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
  validfilename: (text) => text.replaceAll(/[\\/:*?"<>|\u0000-\u001f]/g, '_'),
  diacritics: (text) =>
    text
      .normalize('NFD')
      .replaceAll(/\p{Mn}/gu, '')
      .normalize('NFC'),
  // Of lists that need no browser: see `check.ts`.
  jsonjoinarray: (text) => text,
  // These two write to a log while somebody writes a definition.
  hexdump: (text) => text,
  strdump: (text) => text,
  validate: (text, [allowed = '']) => {
    const words = new Set(wordsOf(text));
    return [...new Set(wordsOf(allowed))].filter((word) => words.has(word)).join(', ');
  },
  // Of rows, not of texts: see `rows.ts`.
  andmatch: (text) => text,
};

/** Runs the filters of a block in order. Throws `definition_unsupported` for an unknown one. */
export function applyFilters(text: string, blocks: readonly FilterBlock[], variables: TemplateVariables): string {
  return blocks.reduce((value, { name, args }) => {
    const result = filterOf(name)(
      value,
      args.map((arg) => renderTemplate(arg, variables)),
    );
    if (result.length > maxLength) throw unsupported(`filter ${name} on over 1,000,000 characters`);
    return result;
  }, text);
}

/** Filters that cannot work without arguments, and how many they need. */
const needed: ReadonlyMap<string, number> = new Map([
  ['re_replace', 2],
  ['replace', 2],
  ['split', 2],
  ['append', 1],
  ['prepend', 1],
  ['dateparse', 1],
  ['timeparse', 1],
  ['regexp', 1],
  ['querystring', 1],
  ['validate', 1],
]);

/**
 * Checks that a filter can run: known, with as many arguments as it needs, and with templates, patterns and layouts
 * that compile.
 *
 * @throws BrowserError `definition_unsupported` with its name
 */
export function checkFilter({ name, args }: FilterBlock): void {
  filterOf(name);
  if (args.length < (needed.get(name) ?? 0)) throw unsupported(`filter ${name} with too few arguments`);
  for (const arg of args) compileTemplate(arg);
  const [first = '', second = ''] = args;
  if (name === 'split' && !/^-?\d+$/.test(second)) throw unsupported(`filter split at ${second}`);
  if (name === 'diacritics' && first !== 'replace') throw unsupported(`filter diacritics ${first}`);
  if (name === 'jsonjoinarray') throw unsupported('filter jsonjoinarray');
  if (first.includes('{{')) return;
  if (name === 're_replace' || name === 'regexp') compilePattern(first);
  if (name === 'dateparse' || name === 'timeparse') dateLayout(first);
}

function filterOf(name: string): Filter {
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
  if (filter === undefined) throw unsupported(`filter ${name}`);
  return filter;
}

function unsupported(what: string): BrowserError {
  return new BrowserError('definition_unsupported', what.slice(0, 120));
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[,\s/)(.;[\]"|:]+/)
    .filter((word) => word !== '');
}

/** Character references in text; a parser of HTML knows them all. */
function entitiesDecoded(text: string): string {
  return load(text.replaceAll('<', '&lt;'), null, false).text();
}

function trimmed(text: string, char: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charAt(start) === char) start += 1;
  while (end > start && text.charAt(end - 1) === char) end -= 1;
  return text.slice(start, end);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
