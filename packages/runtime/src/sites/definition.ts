import { BrowserError } from '@wheelhouse/contracts';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';

/** Largest definition that is read, bytes. The largest real one has about 40 KiB. */
const maxBytes = 1024 * 1024;

/** Every scalar is read as text, as the programs do that the format comes from: `4` and `"4"` mean the same. */
const text = z.string();
const flag = text.transform((value) => /^(true|yes|on|1)$/i.test(value));
const list = z.union([z.array(text), text.transform((value) => (value === '' ? [] : [value]))]);
const inputs = z
  .union([z.record(z.string(), text), z.literal('').transform((): Record<string, string> => ({}))])
  .default({});

const FilterBlock = z.object({ name: text, args: list.default([]) });
/** One filter of a chain, with its arguments as written. */
export type FilterBlock = z.infer<typeof FilterBlock>;
const filters = z.union([z.array(FilterBlock), z.literal('').transform(() => [])]).default([]);

const SelectorBlock = z.object({
  selector: text.optional(),
  attribute: text.optional(),
  /** A template instead of a selector. */
  text: text.optional(),
  /** Selectors of parts that are taken out before the text is read. */
  remove: text.optional(),
  /** Selector to value; the first that matches decides, `*` fits always. */
  case: z.record(z.string(), text).optional(),
  filters,
  optional: flag.default(false),
  default: text.optional(),
});
/** Where a value comes from. */
export type SelectorBlock = z.infer<typeof SelectorBlock>;

const ErrorBlock = z.object({ selector: text, path: text.optional(), message: SelectorBlock.optional() });
const response = z.object({ type: text.optional(), attribute: text.optional(), noResultsMessage: text.optional() });

const PathBlock = z.object({
  path: text,
  method: text.optional(),
  inputs,
  inheritinputs: flag.default(true),
  categories: list.optional(),
  response: response.optional(),
  followredirect: flag.optional(),
});
/** One address of a search. */
export type PathBlock = z.infer<typeof PathBlock>;

const LoginBlock = z.object({
  path: text.optional(),
  submitpath: text.optional(),
  method: text.default('form'),
  form: text.default('form'),
  inputs,
  selectorinputs: z.record(z.string(), SelectorBlock).optional(),
  getselectorinputs: z.record(z.string(), SelectorBlock).optional(),
  captcha: z.object({ type: text, selector: text, input: text }).optional(),
  cookies: list.optional(),
  headers: z.record(z.string(), list).optional(),
  error: z.array(ErrorBlock).default([]),
  test: z.object({ path: text.optional(), selector: text.optional() }).optional(),
});
/** How a site is logged in to. */
export type LoginBlock = z.infer<typeof LoginBlock>;

const RowsBlock = z.object({
  selector: text,
  after: text.optional(),
  remove: text.optional(),
  attribute: text.optional(),
  filters,
  count: SelectorBlock.optional(),
  dateheaders: SelectorBlock.optional(),
  multiple: flag.optional(),
  missingAttributeEqualsNoResults: flag.optional(),
});

const SearchBlock = z.object({
  path: text.optional(),
  paths: z.array(PathBlock).default([]),
  inputs,
  headers: z.record(z.string(), list).optional(),
  keywordsfilters: filters,
  error: z.array(ErrorBlock).default([]),
  rows: RowsBlock,
  fields: z.record(z.string(), SelectorBlock),
});
/** How a list is asked for and read. */
export type SearchBlock = z.infer<typeof SearchBlock>;

const DownloadBlock = z.object({
  selectors: z.array(SelectorBlock.extend({ selector: text })).default([]),
  method: text.optional(),
  before: z
    .object({
      path: text.optional(),
      pathselector: SelectorBlock.optional(),
      method: text.optional(),
      inputs,
      queryseparator: text.optional(),
    })
    .optional(),
  infohash: z.object({ hash: SelectorBlock.optional(), title: SelectorBlock.optional() }).optional(),
});

const SettingBlock = z.object({
  name: text,
  type: text.default('text'),
  label: text.optional(),
  default: text.optional(),
  options: z.record(z.string(), text).optional(),
});
/** A value that the account of a site brings along. */
export type SettingBlock = z.infer<typeof SettingBlock>;

/**
 * A site as its definition file describes it: Cardigann YAML, as Jackett and Prowlarr have it for about 600 sites.
 * Parts that this program does not use are not read; unknown ones do no harm.
 */
export const SiteDefinition = z.object({
  id: text.regex(/^[\w.-]{1,100}$/, 'letters, digits and . _ - only'),
  name: text,
  description: text.default(''),
  language: text.default('en-US'),
  type: text.default('public'),
  encoding: text.default('UTF-8'),
  links: z.array(z.string().min(1)).min(1),
  legacylinks: z.array(text).default([]),
  settings: z.array(SettingBlock).default([]),
  login: LoginBlock.optional(),
  search: SearchBlock,
  download: DownloadBlock.optional(),
});
export type SiteDefinition = z.infer<typeof SiteDefinition>;

/**
 * Reads a definition.
 *
 * @param file how the file is called in messages
 * @throws BrowserError `invalid_definition`: file, line, and what is wrong there
 */
export function loadDefinition(source: string, file: string): SiteDefinition {
  if (Buffer.byteLength(source) > maxBytes) throw invalid(file, null, `larger than ${maxBytes} bytes`);
  const lines = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: lines,
    schema: 'failsafe',
    prettyErrors: false,
    uniqueKeys: false,
  });
  const [broken] = document.errors;
  if (broken !== undefined)
    throw invalid(file, lines.linePos(broken.pos[0]).line, `not YAML: ${sentenceOf(broken.code)}`);
  // Files of this format have no aliases; a few are harmless, a bomb of them is not.
  const read = SiteDefinition.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (read.success) return read.data;
  const [issue] = deepest(read.error.issues);
  const path = issue?.path ?? [];
  throw invalid(
    file,
    lineOf(document, lines, path),
    `${path.join('.') || 'the file'}: ${issue?.message ?? 'malformed'}`,
  );
}

/** Of a union only the branch that came furthest says something useful. */
function deepest(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue];
    const inner = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length);
    return inner.slice(0, 1).map((one) => ({ ...one, path: [...issue.path, ...one.path] }));
  });
}

function sentenceOf(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ');
}

/** The line of a node, or of the closest one around it that exists. */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function invalid(file: string, line: number | null, what: string): BrowserError {
  return new BrowserError('invalid_definition', `${file}${line === null ? '' : `:${line}`}: ${what}`);
}
