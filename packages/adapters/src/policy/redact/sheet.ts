import { marker } from './marker.ts';

/**
 * One stretch of text under inspection, and the marks that the rules leave on it.
 *
 * Rules read `text` between `from` and `to` only: what lies outside is unknown to them, so that a stream, which does
 * not have it, decides the same.
 */
export class Sheet {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Whether `from` is where the text really begins. */
  readonly atStart: boolean;
  /** Whether `to` is where the text really ends. */
  readonly atEnd: boolean;
  /** Rules that are on, by index. */
  readonly enabled: Uint8Array;
  /** How many encodings were peeled off before: 0 for the text as given. */
  readonly depth: number;
  /** Start, end, rule; three numbers a mark. Sorted and joined only when read. */
  readonly marks: number[] = [];
  /** How far neighbours of label words were searched already. */
  nearDone = 0;
  /** The JSON object whose fields were masked last. */
  objectFrom = -1;
  objectTo = -1;
  /** The bare value read last and how, so that names in a row do not read it again. */
  bareFrom = -1;
  bareTo = -1;
  bareHow = -1;
  /** The line beginning found last, and from where; the line end found last, and from where. */
  lineFrom = -1;
  lineFromAt = -1;
  lineTo = -1;
  lineToAt = -1;
  /** From where `<` was looked for last, and where it was: -1 for nowhere near. */
  tagAt = -1;
  tagOpen = -1;
  /** How far command lines and lists of recovery codes were read already. */
  commandDone = -1;
  codesDone = -1;
  /** Whether there is a `<` in the stretch; asked for once. */
  #tags: boolean | undefined = undefined;

  constructor(options: SheetOptions) {
    this.text = options.text;
    this.from = options.from;
    this.to = options.to;
    this.atStart = options.atStart;
    this.atEnd = options.atEnd;
    this.enabled = options.enabled;
    this.depth = options.depth;
  }

  /** False where no markup can be. */
  get hasTags(): boolean {
    this.#tags ??= this.text.slice(this.from, this.to).includes('<');
    return this.#tags;
  }
}

/** What to look at, and with which rules. */
export interface SheetOptions {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly atStart: boolean;
  readonly atEnd: boolean;
  readonly enabled: Uint8Array;
  readonly depth: number;
}

/** Marks `start` to `end` as a secret found by `rule`. Nothing happens when the rule is off or the place is masked already. */
export function mark(sheet: Sheet, rule: number, start: number, end: number): void {
  if (end <= start || sheet.enabled[rule] === 0) return;
  if (sheet.text.charCodeAt(start) === 91 && sheet.text.startsWith(marker, start)) return;
  sheet.marks.push(start, end, rule);
}

/** Marks in order of place, overlaps joined under the rule that came first. Three numbers a mark. */
export function settledMarks(sheet: Sheet): readonly number[] {
  const { marks } = sheet;
  let sorted = true;
  for (let i = 3; i < marks.length && sorted; i += 3) sorted = (marks[i] ?? 0) >= (marks[i - 2] ?? 0);
  if (sorted) return marks;
  const order = Array.from({ length: marks.length / 3 }, (_, i) => i * 3);
  order.sort((a, b) => (marks[a] ?? 0) - (marks[b] ?? 0) || a - b);
  const settled: number[] = [];
  for (const at of order) {
    const start = marks[at] ?? 0;
    const end = marks[at + 1] ?? 0;
    const last = settled.length - 3;
    const lastEnd = settled[last + 1] ?? -1;
    if (last >= 0 && start < lastEnd) {
      if (end > lastEnd) settled[last + 1] = end;
    } else settled.push(start, end, marks[at + 2] ?? 0);
  }
  return settled;
}

/** The sheet's stretch as a text of its own: a native search in it ends where the sheet does. */
export function partOf(sheet: Sheet): string {
  return sheet.text.slice(sheet.from, sheet.to);
}
