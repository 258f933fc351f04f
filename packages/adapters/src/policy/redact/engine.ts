import { isSpace } from './characters.ts';
import { maskCuts } from './cuts.ts';
import { scanEncodedRuns } from './encoded-runs.ts';
import { type KnownSecrets, scanKnown } from './known.ts';
import { marker } from './marker.ts';
import { setFinder } from './rescan.ts';
import { redactionRules, ruleIndex, ruleSwitches, type Surface } from './rules.ts';
import { settledMarks, Sheet } from './sheet.ts';
import { scanNetscape } from './netscape.ts';
import { scanTokens } from './tokens.ts';
import { scanTriggers } from './triggers.ts';
import { scanUserinfo } from './userinfo.ts';
import { longestValue } from './value.ts';

/** How a text is searched; the same for all of its blocks. */
export interface Search {
  readonly enabled: Uint8Array;
  readonly surface: Surface | undefined;
  readonly known: KnownSecrets | undefined;
}

/** Characters of a block: a text up to this size is one. */
const blockChars = 65_536;
/** How far behind a block's planned end a line end is looked for, to cut there. */
const slack = 2048;
/** What a block sees of the text before and after it. */
const lookBack = 2560;
const lookOn = longestValue + 1024;
/** What single reads may peek at beyond that. */
const peek = 64;
/** What must be kept of a text before the next block. */
export const keptChars = lookBack + peek;
/** Least text behind a block's beginning from which its end can be told. */
export const blockNeed = blockChars + slack + lookOn + peek;

const everyRule = ruleSwitches();
const knownRule = ruleIndex('known-secret');

/** The usual search: every rule. */
export const plainSearch: Search = { enabled: everyRule, surface: undefined, known: undefined };

/** A block's end, and how the masked text before it reads. */
export interface BlockResult {
  readonly end: number;
  readonly text: string;
  /** A secret that is not over at the end of what the block sees: the text goes on being dropped up to a delimiter. */
  readonly swallow: boolean;
  /** Up to where the output has come: at or behind `end` when a secret crosses it. */
  readonly done: number;
}

/** Where a block lies. `start`: its first character; `done`: what was put out already. */
export interface BlockPlace {
  readonly start: number;
  readonly done: number;
  /** The text begins with this block. */
  readonly first: boolean;
}

/** Counts by rule index. */
export type Counts = Map<number, number>;

/** End of the block that begins at `start`, by the text alone. */
function blockEnd(text: string, start: number): { end: number; last: boolean } {
  if (text.length - start <= blockNeed) return { end: text.length, last: true };
  const planned = start + blockChars;
  for (let i = planned; i < planned + slack; i++) if (text.charCodeAt(i) === 10) return { end: i + 1, last: false };
  const end = planned + slack;
  const c = text.charCodeAt(end);
  return { end: c >= 0xdc00 && c < 0xe000 ? end - 1 : end, last: false };
}

/** Masks one block of `text`. */
export function redactBlock(text: string, place: BlockPlace, search: Search, counts: Counts): BlockResult {
  const { end, last } = blockEnd(text, place.start);
  const from = Math.max(0, place.start - lookBack);
  const sheet = new Sheet({
    text,
    from,
    to: last ? end : end + lookOn,
    atStart: place.first && from === 0,
    atEnd: last,
    enabled: search.enabled,
    depth: 0,
  });
  if (search.known !== undefined && search.enabled[knownRule] === 1) scanKnown(sheet, search.known);
  run(sheet);
  if (search.surface === 'a11y') maskCuts(sheet);
  return write(sheet, { ...place, end }, counts);
}

/** All rules over one sheet. */
function run(sheet: Sheet): void {
  scanTriggers(sheet);
  scanTokens(sheet);
  scanUserinfo(sheet);
  scanNetscape(sheet);
  scanEncodedRuns(sheet);
}

setFinder((text, enabled, depth) => {
  const sheet = new Sheet({ text, from: 0, to: text.length, atStart: true, atEnd: true, enabled, depth });
  run(sheet);
  return sheet.marks.length > 0;
});

/** The block's text with its marks replaced. A mark that crosses into the block was put out by the one before. */
function write(sheet: Sheet, { start, end, done }: BlockPlace & { end: number }, counts: Counts): BlockResult {
  const { text } = sheet;
  const marks = settledMarks(sheet);
  let at = Math.max(start, done);
  if (marks.length === 0 || at >= end) {
    return {
      end,
      done: Math.max(at, end),
      swallow: false,
      text: at === 0 && end === text.length ? text : text.slice(at, end),
    };
  }
  let result = '';
  let swallow = false;
  for (let i = 0; i < marks.length; i += 3) {
    const markStart = marks[i] ?? 0;
    let markEnd = marks[i + 1] ?? 0;
    if (markStart >= end) break;
    if (markEnd <= at) continue;
    if (markEnd - markStart >= longestValue - 1) {
      while (markEnd < sheet.to && !isDelimiter(text.charCodeAt(markEnd))) markEnd++;
      swallow = markEnd >= sheet.to && !sheet.atEnd;
    }
    if (markStart >= at || done <= start) {
      const rule = marks[i + 2] ?? 0;
      counts.set(rule, (counts.get(rule) ?? 0) + 1);
      result += markStart > at ? text.slice(at, markStart) + marker : marker;
    }
    at = markEnd;
  }
  if (at < end) result += text.slice(at, end);
  return { end, done: Math.max(at, end), swallow, text: result };
}

/** Ends a secret that was too long to be read to its end. */
export function isDelimiter(c: number): boolean {
  return isSpace(c) || c === 34 || c === 39 || c === 60 || c === 62 || c === 38 || c === 59 || c === 96;
}

/** Masks a whole text, block by block. */
export function redactWhole(text: string, search: Search, counts: Counts): string {
  let result = '';
  let place: BlockPlace = { start: 0, done: 0, first: true };
  for (;;) {
    const block = redactBlock(text, place, search, counts);
    result += block.text;
    if (block.end >= text.length) return result;
    let { done } = block;
    if (block.swallow) while (done < text.length && !isDelimiter(text.charCodeAt(done))) done++;
    place = { start: block.end, done, first: false };
  }
}

/** Counts under the ids of their rules. */
export function namedCounts(counts: Counts): Record<string, number> {
  const named: Record<string, number> = {};
  for (const [rule, count] of counts) {
    const id = redactionRules[rule]?.id;
    if (id !== undefined) named[id] = (named[id] ?? 0) + count;
  }
  return named;
}
