import { BrowserError } from '@wheelhouse/contracts';
import { dateLayout, parseDate, parseFuzzyTime, parseTimeAgo } from './dates.ts';
import type { FilterBlock } from './definition.ts';
import { compilePattern, replaceAll } from './patterns.ts';
import { compileTemplate, renderTemplate, type TemplateVariables } from './template.ts';

/** How a filter changes a text. Its arguments are rendered already. */
type Filter = (text: string, args: readonly string[]) => string;

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

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
  regexp: (text, [pattern = '']) => {
    const [first] = compilePattern(pattern).all(text);
    return first?.groups[1] ?? first?.groups[0] ?? '';
  },
  querystring: (text, [name = '']) => {
    const query = text.slice(text.indexOf('?') + 1);
    return new URLSearchParams(query.replaceAll('&amp;', '&')).get(name) ?? '';
  },
  split: (text, [by = '', at = '0']) => {
    const parts = text.split(by);
    const index = Number(at);
    return parts.at(index) ?? '';
  },
  trim: (text, [chars]) => (chars === undefined || chars === '' ? text.trim() : trimmed(text, chars)),
  toupper: (text) => text.toUpperCase(),
  tolower: (text) => text.toLowerCase(),
  urlencode: (text) => encodeURIComponent(text),
  urldecode: (text) => decoded(text),
  htmldecode: (text) =>
    text.replaceAll(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, name: string) => {
      if (!name.startsWith('#')) return entities[name] ?? whole;
      const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    }),
  htmlencode: (text) => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
  validfilename: (text) => text.replaceAll(/[\\/:*?"<>|\u0000-\u001f]/g, '_'),
  diacritics: (text) =>
    text
      .normalize('NFD')
      .replaceAll(/\p{Mn}/gu, '')
      .normalize('NFC'),
  jsonjoinarray: (text) => text,
  hexdump: (text) => text,
  strdump: (text) => text,
  validate: (text, [allowed = '']) => {
    const words = new Set(allowed.toLowerCase().split(/[,\s]+/));
    return text
      .split(/[\s,/)(.;[\]"|:]+/)
      .filter((word) => words.has(word.toLowerCase()))
      .join(', ');
  },
  // Of rows, not of texts: see `rows.ts`.
  andmatch: (text) => text,
};

/** Runs the filters of a block in order. Throws `definition_unsupported` for an unknown one. */
export function applyFilters(text: string, blocks: readonly FilterBlock[], variables: TemplateVariables): string {
  return blocks.reduce(
    (value, { name, args }) =>
      filterOf(name)(
        value,
        args.map((arg) => renderTemplate(arg, variables)),
      ),
    text,
  );
}

/**
 * Checks that a filter can run: known, with templates, patterns and layouts that compile.
 *
 * @throws BrowserError `definition_unsupported` with its name
 */
export function checkFilter({ name, args }: FilterBlock): void {
  filterOf(name);
  for (const arg of args) compileTemplate(arg);
  const [first = ''] = args;
  if (first.includes('{{')) return;
  if (name === 're_replace' || name === 'regexp') compilePattern(first);
  if (name === 'dateparse' || name === 'timeparse') dateLayout(first);
}

function filterOf(name: string): Filter {
  const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
  if (filter === undefined) throw new BrowserError('definition_unsupported', `filter ${name}`);
  return filter;
}

function trimmed(text: string, chars: string): string {
  const set = new Set(chars);
  let start = 0;
  let end = text.length;
  while (start < end && set.has(text.charAt(start))) start += 1;
  while (end > start && set.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
