import { marker } from './marker.ts';

/**
 * One stretch of text under inspection, and the marks that the rules leave on it.
 *
 * Rules read `text` between `from` and `to` only: what lies outside is unknown to them, so that a stream, which does
 * not have it, decides the same.
 */
export interface Sheet {
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
  readonly marks: number[];
  /** How far neighbours of label words were searched already. */
  nearDone: number;
  /** The JSON object found last, to be asked once for all its fields. */
  objectFrom: number;
  objectTo: number;
}

/** What to look at; the rest of a `Sheet` follows. */
export type SheetOptions = Pick<Sheet, 'text' | 'from' | 'to' | 'atStart' | 'atEnd' | 'enabled' | 'depth'>;

/** A sheet without marks. */
export function createSheet(options: SheetOptions): Sheet {
  return { ...options, marks: [], nearDone: 0, objectFrom: -1, objectTo: -1 };
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

/** True when a mark that was set so far covers `at`. Only the newest few are asked: the scan goes forward. */
export function isMarked(sheet: Sheet, at: number): boolean {
  const { marks } = sheet;
  for (let i = marks.length - 3; i >= 0 && i >= marks.length - 24; i -= 3) {
    if ((marks[i] ?? 0) <= at && at < (marks[i + 1] ?? 0)) return true;
  }
  return false;
}

/** The sheet's stretch as a text of its own: a native search in it ends where the sheet does. */
export function partOf(sheet: Sheet): string {
  return sheet.text.slice(sheet.from, sheet.to);
}
