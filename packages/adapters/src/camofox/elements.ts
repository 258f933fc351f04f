import { hash } from 'node:crypto';
import { ElementRef } from '@wheelhouse/contracts';
import { type AriaLine, type AriaNode, emitLine, parseAria, plainValue } from './aria-tree.ts';
import { ancestorsOf, type Outline, outlineOf, surroundingsOf } from './outline.ts';
import type { ElementName } from './selector.ts';

/** An element that can be acted on, with all that is needed to find it again. Raw: its name leaves the adapter redacted only. */
export interface PageElement extends ElementName {
  /** Ours: numbered in document order, also where the upstream gives none. */
  readonly ref: ElementRef;
  /** The frames around it, outermost first; empty in the main document. */
  readonly frame: readonly string[];
  readonly disabled: boolean;
  /** Labels of the options inside it, for lists to choose from. */
  readonly options: readonly string[];
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

/** Roles whose options `select` chooses from. */
const choices: ReadonlySet<string> = new Set(['combobox', 'listbox']);

/** Most elements that are numbered; what comes after is text only. */
export const maxElements = 5_000;

/**
 * Reads the snapshot of the page at this address: numbers its elements anew, in document order, and writes it in our
 * form. Pure.
 *
 * The address without its fragment is a part of each fingerprint: pages of one kind have the same buttons, and a tab
 * that went from one to the next by itself would be pressed on the wrong one.
 */
export function readPage(snapshot: string, address = ''): ReadPage {
  const lines = parseAria(snapshot);
  const outline = outlineOf(lines);
  const found = locate(lines, outline);
  const equals = placesBy(found, ({ frame, node }) => [frame, node.role, node.name]);
  const twins = placesBy(found, ({ frame, node, href }) => [frame, node.role, node.name, href]);
  const roles = placesBy(found, ({ frame, node }) => [frame, node.role]);
  const around = contexts(lines, outline, equals);
  const blocks = countBlocks(lines);
  const [place] = address.split('#');
  const elements = found.map((one, at): PageElement => {
    const { node, frame, line, href } = one;
    const twin = twins.get(one) ?? { at: 0, group: [one] };
    const equal = equals.get(one) ?? { at: 0, group: [one] };
    return {
      ref: ElementRef.parse(`e${at + 1}`),
      role: node.role,
      name: node.name ?? '',
      href,
      twin: twin.at,
      twins: twin.group.length,
      nthOfRole: roles.get(one)?.at ?? 0,
      within: twin.group.length === 1 ? null : blockAround(lines, outline, one, { twins: twin.group, blocks }),
      frame,
      disabled: node.attributes.includes('disabled'),
      options: choices.has(node.role) ? optionsOf(lines, outline, line) : [],
      fingerprint: digest([
        place,
        frame,
        node.role,
        node.name,
        equal.at,
        equal.group.length,
        href,
        around.get(line) ?? null,
      ]),
    };
  });
  const refs = new Map(found.map(({ line }, at) => [line, `e${at + 1}`]));
  const text = lines.map((line, at) => ('raw' in line ? line.raw : emitLine(line, refs.get(at) ?? null))).join('\n');
  return { text, elements };
}

interface Located {
  readonly node: AriaNode;
  readonly frame: readonly string[];
  readonly line: number;
  readonly href: string | null;
}

function locate(lines: readonly AriaLine[], outline: Outline): readonly Located[] {
  const found: Located[] = [];
  // Options of a closed list are chosen by `select`; those of an open list of its own making are clicked.
  const isActionable = (node: AriaNode, line: number) =>
    actionable.has(node.role) || (node.role === 'option' && roleAt(lines, outline.parentOf(line)) !== 'combobox');
  let frames: { indent: number; name: string }[] = [];
  lines.forEach((node, line) => {
    if ('raw' in node || found.length >= maxElements) return;
    frames = frames.filter(({ indent }) => indent < node.indent);
    const frame = frames.map(({ name }) => name);
    if (isActionable(node, line)) found.push({ node, frame, line, href: hrefOf(lines, line) });
    // Frames of the same name are told apart by their line.
    if (node.role === 'iframe') frames = [...frames, { indent: node.indent, name: `${node.name ?? ''}#${line}` }];
  });
  return found;
}

function roleAt(lines: readonly AriaLine[], at: number | null): string | null {
  const node = at === null ? undefined : lines[at];
  return node === undefined || 'raw' in node ? null : node.role;
}

/** The `/url:` line right below a link. */
function hrefOf(lines: readonly AriaLine[], at: number): string | null {
  const link = lines[at];
  const below = lines[at + 1];
  if (link === undefined || below === undefined || 'raw' in link || 'raw' in below) return null;
  if (link.role !== 'link' || below.role !== '/url' || below.indent <= link.indent) return null;
  return below.value === null ? null : plainValue(below.value);
}

/** Where an element stands among those that are like it. */
interface Place {
  readonly at: number;
  /** Those that are like it, itself included, in document order. */
  readonly group: readonly Located[];
}

type Places = ReadonlyMap<Located, Place>;

function placesBy(found: readonly Located[], likeness: (one: Located) => unknown): Places {
  const groups = new Map<string, Located[]>();
  const places = new Map<Located, Place>();
  for (const one of found) {
    const key = JSON.stringify(likeness(one));
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    places.set(one, { at: group.push(one) - 1, group });
  }
  return places;
}

/** The surroundings of every element that is not alone of its kind, by line. */
function contexts(lines: readonly AriaLine[], outline: Outline, equals: Places): ReadonlyMap<number, string> {
  const around = new Map<number, string>();
  for (const group of new Set([...equals.values()].map((place) => place.group))) {
    if (group.length === 1) continue;
    const at = group.map(({ line }) => line);
    surroundingsOf(lines, outline, at).forEach((text, which) => around.set(at[which] ?? -1, text));
  }
  return around;
}

const blockKey = (node: AriaNode) => JSON.stringify([node.role, node.name]);

function countBlocks(lines: readonly AriaLine[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of lines) {
    if ('raw' in node || node.name === null) continue;
    counts.set(blockKey(node), (counts.get(blockKey(node)) ?? 0) + 1);
  }
  return counts;
}

/** The nearest named block that exists once and holds none of the other twins. */
function blockAround(
  lines: readonly AriaLine[],
  outline: Outline,
  one: Located,
  { twins, blocks }: { readonly twins: readonly Located[]; readonly blocks: ReadonlyMap<string, number> },
): ElementName['within'] {
  for (const block of ancestorsOf(lines, outline, one.line)) {
    if (twins.some(({ line }) => line !== one.line && line > block.at && line < outline.endOf(block.at))) return null;
    if (block.name !== null && block.name !== '' && blocks.get(blockKey(block)) === 1) {
      return { role: block.role, name: block.name };
    }
  }
  return null;
}

function optionsOf(lines: readonly AriaLine[], outline: Outline, at: number): readonly string[] {
  return lines
    .slice(at + 1, outline.endOf(at))
    .flatMap((line) => ('raw' in line || line.role !== 'option' || line.name === null ? [] : [line.name]));
}

function digest(facts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(facts), 'base64url').slice(0, 22);
}
