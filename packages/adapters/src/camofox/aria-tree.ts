/** One line of an accessibility snapshot. */
export interface AriaNode {
  /** Leading spaces. */
  readonly indent: number;
  /** `button`, `link`, `text`, or a property such as `/url`. */
  readonly role: string;
  /** Accessible name as the page has it, escapes undone; `null` when there is none. */
  readonly name: string | null;
  /** `checked`, `level=1` …, without the upstream's refs. */
  readonly attributes: readonly string[];
  /** Text after the colon, as written. */
  readonly value: string | null;
  /** Whether the line ends in a colon, so that children or a value follow. */
  readonly open: boolean;
}

/** A line that is none of the above: a continued text. It is kept as it is. */
export interface RawLine {
  readonly raw: string;
}

/** Roles that camofox numbers, and only lines of these carry its refs (source: lib/interactive-roles.js, 1.14 to 1.17). */
const upstreamRef = /^(\s*- \w+(?: "[^"]*")?) \[e\d+\](?=$|[^\w])?/;
/** The same inside a name that holds a quote: the upstream puts its ref after the first quote it sees. */
const refInsideName = /^(\s*- \w+ "[^"]*") \[e\d+\](.*)$/;

/**
 * A line without the upstream's ref. Camofox inserts ` [eN]` after the first `"…"` of a line, which for a name that
 * holds a quote is in the middle of the name (recording 05-snapshot: `link "Show \" [e4]1080p\""`).
 */
export function withoutUpstreamRef(line: string): string {
  const inside = refInsideName.exec(line);
  if (inside !== null) return `${inside[1] ?? ''}${inside[2] ?? ''}`;
  return line.replace(upstreamRef, '$1');
}

/**
 * Reads the text of a snapshot: two spaces a level, `- role "name" [attribute]: value`, keys in single quotes where
 * YAML needs them. What does not read as a line of this kind is kept raw, since a page can hold anything.
 */
export function parseAria(text: string): readonly (AriaNode | RawLine)[] {
  return text.split('\n').map((line) => parseLine(withoutUpstreamRef(line)) ?? { raw: line });
}

function parseLine(line: string): AriaNode | null {
  const start = /^( *)- /.exec(line);
  if (start === null) return null;
  const indent = start[1]?.length ?? 0;
  const rest = line.slice(start[0].length);
  if (!rest.startsWith("'")) return parseKey(rest, indent);
  const quoted = /^'((?:[^']|'')*)'(.*)$/s.exec(rest);
  if (quoted === null) return null;
  const key = parseKey((quoted[1] ?? '').replaceAll("''", "'"), indent);
  const after = quoted[2] ?? '';
  if (key === null || (after !== '' && !after.startsWith(':'))) return null;
  return { ...key, open: after.startsWith(':'), value: after.startsWith(': ') ? after.slice(2) : null };
}

const keyStart = /^(\/?[a-zA-Z][\w-]*)/;
const nameHere = /^ "((?:[^"\\]|\\.)*)"/s;
const attributeHere = /^ \[([^\]]*)\]/;

function parseKey(text: string, indent: number): AriaNode | null {
  const role = keyStart.exec(text)?.[1];
  if (role === undefined) return null;
  let at = role.length;
  const named = nameHere.exec(text.slice(at));
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
    name: named === null ? null : unescapeName(named[1] ?? ''),
    attributes,
    value: tail.startsWith(': ') ? tail.slice(2) : null,
    open: tail.startsWith(':'),
  };
}

function unescapeName(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/gs, (_, code: string) => {
    if (code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[code] ?? code;
  });
}

/** A line in our own form: refs of ours, names always in double quotes, nothing in single quotes. */
export function emitLine(node: AriaNode, ref: string | null): string {
  const name = node.name === null ? '' : ` ${JSON.stringify(node.name)}`;
  const attributes = [...(ref === null ? [] : [ref]), ...node.attributes].map((text) => ` [${text}]`).join('');
  const value = node.value === null ? '' : ` ${node.value}`;
  return `${' '.repeat(node.indent)}- ${node.role}${name}${attributes}${node.open ? ':' : ''}${value}`;
}
