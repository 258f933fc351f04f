/** One line of an accessibility snapshot. */
export interface AriaNode {
  /** Leading spaces. */
  readonly indent: number;
  /** `button`, `link`, `text`, or a property such as `/url`. */
  readonly role: string;
  /** Accessible name as the page has it, escapes undone; `null` when there is none, or one of more than 900 characters. */
  readonly name: string | null;
  /** `checked`, `level=1` …, without the upstream's refs. */
  readonly attributes: readonly string[];
  /** Text after the colon, as written. */
  readonly value: string | null;
  /** Whether the line ends in a colon, so that children or a value follow. */
  readonly open: boolean;
}

/** A line that is none of the above. It is kept as it is. */
export interface RawLine {
  readonly raw: string;
}

export type AriaLine = AriaNode | RawLine;

/** Roles that the upstream gives refs, as far as any version does (source: lib/interactive-roles.js). */
const refRoles: ReadonlySet<string> = new Set([
  'button',
  'link',
  'textbox',
  'checkbox',
  'radio',
  'menuitem',
  'listitem',
  'combobox',
  'tab',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
]);
/** Names that it gives none (source: server.js, SKIP_PATTERNS). */
const refless = /datepicker|date.?picker|calendar|^date$/i;
const mostRefs = 500;
/** A ref stands after the role, or after the first `"…"` of the line (source: server.js, snapshot route). */
const refPlace = /^(\s*-\s+(\w+)(?:\s+"([^"]*)")?) \[e\d+\]/;
const refCandidate = /^\s*-\s+(\w+)(?:\s+"([^"]*)")?/;

/**
 * The lines without the upstream's refs. For a name that holds a quote, the ref stands in the middle of the name
 * (recording 05-snapshot: `link "List \" [e4]quoted\""`). Page text that imitates a ref stays, where the upstream
 * gives none.
 */
export function withoutUpstreamRefs(lines: readonly string[]): string[] {
  let candidates = 0;
  return lines.map((line) => {
    const [, role = '', name = ''] = refCandidate.exec(line) ?? [];
    if (!refRoles.has(role.toLowerCase()) || refless.test(name)) return line;
    candidates += 1;
    return candidates > mostRefs ? line : line.replace(refPlace, '$1');
  });
}

/**
 * Reads the text of a snapshot: two spaces a level, `- role "name" [attribute]: value`, keys in single quotes where
 * YAML needs them (source: playwright, isomorphic/ariaSnapshot). What does not read as such a line is kept raw.
 */
export function parseAria(text: string): readonly AriaLine[] {
  return withoutUpstreamRefs(text.split('\n')).map((line) => parseLine(line) ?? { raw: line });
}

/** Reads one line that carries no ref of the upstream; `null` when it is no node. */
export function parseLine(line: string): AriaNode | null {
  const start = /^( *)- /.exec(line);
  if (start === null) return null;
  const indent = start[1]?.length ?? 0;
  const rest = line.slice(start[0].length);
  if (!rest.startsWith("'")) return parseKey(rest, indent);
  const quoted = /^'((?:[^']|'')*)'(.*)$/s.exec(rest);
  if (quoted === null) return null;
  const key = parseKey((quoted[1] ?? '').replaceAll("''", "'"), indent);
  const after = quoted[2] ?? '';
  if (key === null || key.open || (after !== '' && !after.startsWith(':'))) return null;
  return { ...key, open: after.startsWith(':'), value: after.startsWith(': ') ? after.slice(2) : null };
}

const keyStart = /^(\/?[a-zA-Z][\w-]*)/;
const quotedName = /^ "((?:[^"\\]|\\.)*)"/s;
/** Older versions write names that begin and end with a slash without quotes. */
const slashName = /^ (\/.*\/)(?=(?: \[[^\]]*\])*(?::|$))/s;
const attributeHere = /^ \[([^\]]*)\]/;

function parseKey(text: string, indent: number): AriaNode | null {
  const role = keyStart.exec(text)?.[1];
  if (role === undefined) return null;
  let at = role.length;
  const quoted = quotedName.exec(text.slice(at));
  const named = quoted ?? slashName.exec(text.slice(at));
  if (named !== null) at += named[0].length;
  const attributes: string[] = [];
  for (let next = attributeHere.exec(text.slice(at)); next !== null; next = attributeHere.exec(text.slice(at))) {
    attributes.push(next[1] ?? '');
    at += next[0].length;
  }
  const tail = text.slice(at);
  if (tail !== '' && !tail.startsWith(':')) return null;
  return {
    indent,
    role,
    name: named === null ? null : quoted === null ? (named[1] ?? '') : unescaped(named[1] ?? ''),
    attributes,
    value: tail.startsWith(': ') ? tail.slice(2) : null,
    open: tail.startsWith(':'),
  };
}

/** A value of a line as text: escapes of double-quoted ones undone, anything else as it stands. */
export function plainValue(value: string): string {
  const quoted = /^"(.*)"$/s.exec(value);
  return quoted === null ? value : unescaped(quoted[1] ?? '');
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** Undoes the escapes of JSON (names) and of YAML (values, which have `\xHH` besides). */
function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/gs, (_, code: string) =>
    code.length > 1 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (letters[code] ?? code),
  );
}

/** A line in our own form: refs of ours, names always in double quotes, nothing in single quotes. */
export function emitLine(node: AriaNode, ref: string | null): string {
  const name = node.name === null ? '' : ` ${JSON.stringify(node.name)}`;
  const attributes = [...(ref === null ? [] : [ref]), ...node.attributes].map((text) => ` [${text}]`).join('');
  const value = node.value === null ? '' : ` ${node.value}`;
  return `${' '.repeat(node.indent)}- ${node.role}${name}${attributes}${node.open ? ':' : ''}${value}`;
}
