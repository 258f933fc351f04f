import { type AriaLine, type AriaNode, emitLine } from './aria-tree.ts';

/** Most lines around an element that are taken for its surroundings. */
const maxSurrounding = 60;
const maxLevels = 6;

/** Who stands inside whom in a snapshot. Pure. */
export interface Outline {
  /** Line of the node around line `at`; `null` at the top. */
  parentOf(at: number): number | null;
  /** The first line after all that stands inside line `at`. */
  endOf(at: number): number;
}

/** Reads the nesting off the indents. Raw lines belong to what stands around them. */
export function outlineOf(lines: readonly AriaLine[]): Outline {
  const parents: (number | null)[] = [];
  const ends: number[] = [];
  const open: { at: number; indent: number }[] = [];
  const closeDownTo = (indent: number, at: number) => {
    for (let last = open.at(-1); last !== undefined && last.indent >= indent; last = open.at(-1)) {
      ends[last.at] = at;
      open.pop();
    }
  };
  lines.forEach((line, at) => {
    if (!('raw' in line)) closeDownTo(line.indent, at);
    parents.push(open.at(-1)?.at ?? null);
    if ('raw' in line) ends[at] = at + 1;
    else open.push({ at, indent: line.indent });
  });
  closeDownTo(-1, lines.length);
  return { parentOf: (at) => parents[at] ?? null, endOf: (at) => ends[at] ?? at + 1 };
}

/** The nodes around a line, innermost first. */
export function* ancestorsOf(
  lines: readonly AriaLine[],
  outline: Outline,
  at: number,
): Generator<AriaNode & { at: number }> {
  for (let up = outline.parentOf(at); up !== null; up = outline.parentOf(up)) {
    const node = lines[up];
    if (node !== undefined && !('raw' in node)) yield { ...node, at: up };
  }
}

/**
 * What tells elements of the same role and name apart: the text of the smallest block around each that no other has,
 * so that two "Delete" buttons are told apart by their rows and not by their order alone. Elements whose surroundings
 * are equal, too, get equal texts.
 */
export function surroundingsOf(lines: readonly AriaLine[], outline: Outline, equals: readonly number[]): string[] {
  const tops = [...equals];
  let texts = tops.map((at) => textOf(lines, at, outline.endOf(at)));
  for (let level = 0; level < maxLevels && new Set(texts).size < equals.length; level += 1) {
    tops.forEach((top, which) => {
      const up = outline.parentOf(top);
      if (up === null || outline.endOf(up) - up > maxSurrounding) return;
      const holds = equals.filter((at) => at > up && at < outline.endOf(up)).length;
      if (holds === 1) tops[which] = up;
    });
    texts = tops.map((at) => textOf(lines, at, outline.endOf(at)));
  }
  return texts;
}

function textOf(lines: readonly AriaLine[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map((line) => ('raw' in line ? line.raw : emitLine({ ...line, attributes: [] }, null)))
    .join('\n');
}
