import { BrowserError } from '@wheelhouse/contracts';
import { Composer, type Document, isNode, Lexer, LineCounter, Parser } from 'yaml';
import { z } from 'zod';

/** Largest definition that is read, bytes. The largest real one has about 40 KiB. */
const maxBytes = 256 * 1024;
/** How deep it may be nested. The deepest real one goes 10 deep. */
const maxDepth = 50;

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
  /** Whether the inputs are named by selectors of their fields, and not by the fields' names. */
  selectors: flag.default(false),
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
  /** Whether inputs without a value are sent all the same. */
  allowEmptyInputs: flag.default(false),
  headers: z.record(z.string(), list).optional(),
  keywordsfilters: filters,
  error: z.array(ErrorBlock).default([]),
  rows: RowsBlock,
  fields: z.record(z.string(), SelectorBlock),
});
/** How a list is asked for and read. */
export type SearchBlock = z.infer<typeof SearchBlock>;

const DownloadBlock = z.object({
  selectors: z.array(SelectorBlock.extend({ selector: text, usebeforeresponse: flag.optional() })).default([]),
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
  infohash: z
    .object({
      hash: SelectorBlock.optional(),
      title: SelectorBlock.optional(),
      usebeforeresponse: flag.optional(),
    })
    .optional(),
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

const Described = z.object({
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
/**
 * A site as its definition file describes it: Cardigann YAML, as Jackett and Prowlarr have it for about 600 sites.
 * Parts that this program does not use are not read; unknown ones do no harm.
 */
export type SiteDefinition = z.infer<typeof Described> & {
  /** Keys of the file that this program does not read, as `search.rows.nosuch`; those that only describe are left out. */
  readonly unread: readonly string[];
};

/**
 * Reads a definition.
 *
 * @param file how the file is called in messages
 * @throws BrowserError `invalid_definition`: file, line, and what is wrong there
 */
export function loadDefinition(source: string, file: string): SiteDefinition {
  if (Buffer.byteLength(source) > maxBytes) throw invalid(file, null, `larger than ${maxBytes} bytes`);
  const { document, lines } = parsedYaml(source, file);
  let content: unknown;
  try {
    // Files of this format have no aliases; a few are harmless, a bomb of them is not.
    content = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw invalid(file, null, 'not YAML: too many aliases', cause);
  }
  const read = Described.safeParse(content);
  if (read.success) return { ...read.data, unread: unreadKeys(content, read.data) };
  const [issue] = deepest(read.error.issues);
  const path = issue?.path ?? [];
  throw invalid(
    file,
    lineOf(document, lines, path),
    `${path.join('.') || 'the file'}: ${issue?.message ?? 'malformed'}`,
  );
}

/**
 * The tree of a file. How deep it goes is seen before it is built: the tree is built by recursion, and running out of
 * stack inside of a regular expression ends the whole process.
 */
function parsedYaml(source: string, file: string): { readonly document: Document; readonly lines: LineCounter } {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({ schema: 'failsafe', prettyErrors: false, uniqueKeys: false });
  const [document, second] = composer.compose(tokens(), true, source.length);
  const broken = document?.errors[0];
  if (document === undefined || broken !== undefined || second !== undefined) {
    const what = sentenceOf(broken?.code ?? 'MULTIPLE_DOCS');
    throw invalid(file, lines.linePos(broken?.pos[0] ?? second?.range[0] ?? 0).line, `not YAML: ${what}`);
  }
  return { document, lines };

  function* tokens() {
    for (const lexeme of new Lexer().lex(source)) {
      yield* parser.next(lexeme);
      if (parser.stack.length > maxDepth) {
        throw invalid(file, lines.linePos(parser.offset).line, `not YAML: nested over ${maxDepth} deep`);
      }
    }
    yield* parser.end();
  }
}

/** Keys that describe a site or tune how often it is asked, and change nothing in what is read. */
const descriptive: ReadonlySet<string> = new Set(
  'replaces caps requestDelay certificates followredirect testlinktorrent comments'.split(' '),
);

/** What was written and not read: whatever the schema has left out. */
function unreadKeys(written: unknown, read: unknown, path = ''): readonly string[] {
  if (Array.isArray(written)) {
    return Array.isArray(read) ? written.flatMap((item, at) => unreadKeys(item, read[at], path)) : [];
  }
  if (!isRecord(written) || !isRecord(read)) return [];
  return Object.keys(written).flatMap((key) => {
    const here = path === '' ? key : `${path}.${key}`;
    if (Object.hasOwn(read, key)) return unreadKeys(written[key], read[key], here);
    return path === '' && descriptive.has(key) ? [] : [here];
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

function invalid(file: string, line: number | null, what: string, cause?: unknown): BrowserError {
  return new BrowserError('invalid_definition', `${file}${line === null ? '' : `:${line}`}: ${what}`, { cause });
}
