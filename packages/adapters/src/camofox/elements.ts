import { createHash } from 'node:crypto';
import { ElementRef } from '@wheelhouse/contracts';
import { type AriaNode, emitLine, parseAria, type RawLine } from './aria-tree.ts';

/** An element that can be acted on, with all that is needed to find it again. */
export interface PageElement {
  /** Ours: numbered in document order, also where the upstream gives none. */
  readonly ref: ElementRef;
  readonly role: string;
  /** Exact accessible name, empty when there is none. Raw: it leaves the adapter redacted only. */
  readonly name: string;
  /** Position among elements of the same frame, role and name, from 0. */
  readonly nth: number;
  /** How many such there are. */
  readonly equals: number;
  /** Names of the frames around it, outermost first; empty in the main document. */
  readonly frame: readonly string[];
  readonly disabled: boolean;
  /** `href` as written, for links that have one. */
  readonly href: string | null;
  readonly fingerprint: string;
}

/** A page as one look saw it: text with our refs, raw, and its elements. */
export interface ReadPage {
  readonly text: string;
  readonly elements: readonly PageElement[];
}

/** Roles of WAI-ARIA that take a click or text. Rows, cells and list items are left out: what they hold is listed itself. */
const actionable: ReadonlySet<string> = new Set([
  'button',
  'link',
  'textbox',
  'searchbox',
  'checkbox',
  'radio',
  'combobox',
  'listbox',
  'switch',
  'slider',
  'spinbutton',
  'tab',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'treeitem',
]);

/** Most elements that are numbered; a page with more is cut there and says so. */
export const maxElements = 5_000;

/** Reads a snapshot: numbers its elements anew, in document order, and writes it in our form. Pure. */
export function readPage(snapshot: string): ReadPage {
  const lines = parseAria(snapshot);
  const found = locate(lines);
  const counts = new Map<string, number>();
  const keyed = found.map(({ node, frame, line }) => {
    const key = JSON.stringify([frame, node.role, node.name ?? '']);
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    return { node, frame, line, key, nth };
  });
  const refs = new Map<number, ElementRef>();
  const elements = keyed.map(({ node, frame, line, key, nth }, at): PageElement => {
    const ref = ElementRef.parse(`e${at + 1}`);
    refs.set(line, ref);
    const equals = counts.get(key) ?? 1;
    return {
      ref,
      role: node.role,
      name: node.name ?? '',
      nth,
      equals,
      frame,
      disabled: node.attributes.includes('disabled'),
      href: node.role === 'link' ? hrefOf(lines, line) : null,
      fingerprint: digest([frame, node.role, node.name ?? '', nth, equals]),
    };
  });
  const text = lines.map((line, at) => ('raw' in line ? line.raw : emitLine(line, refs.get(at) ?? null))).join('\n');
  return { text, elements };
}

interface Located {
  readonly node: AriaNode;
  readonly frame: readonly string[];
  readonly line: number;
}

function locate(lines: readonly (AriaNode | RawLine)[]): readonly Located[] {
  const found: Located[] = [];
  let frames: { indent: number; name: string }[] = [];
  lines.forEach((node, line) => {
    if ('raw' in node || found.length >= maxElements) return;
    frames = frames.filter(({ indent }) => indent < node.indent);
    if (actionable.has(node.role)) found.push({ node, frame: frames.map(({ name }) => name), line });
    if (node.role === 'iframe') frames = [...frames, { indent: node.indent, name: node.name ?? '' }];
  });
  return found;
}

/** The `/url:` line right below a link. */
function hrefOf(lines: readonly (AriaNode | RawLine)[], at: number): string | null {
  const link = lines[at];
  const below = lines[at + 1];
  if (link === undefined || below === undefined || 'raw' in link || 'raw' in below) return null;
  if (below.role !== '/url' || below.indent <= link.indent) return null;
  return below.value === null ? null : plainScalar(below.value);
}

/** A YAML scalar as text: double quotes undone, anything else as it stands. */
function plainScalar(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === 'string' ? read : value;
  } catch {
    return value;
  }
}

function digest(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 22);
}

/**
 * The selector that means exactly this element: role, exact and case-sensitive name, position (recording
 * 27-exact-selectors). The upstream's own refs match names as case-insensitive substrings and hit other elements.
 */
export function exactSelector(element: Pick<PageElement, 'role' | 'name' | 'nth'>): string {
  const name = element.name.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `role=${element.role}[name="${name}"] >> nth=${element.nth}`;
}
