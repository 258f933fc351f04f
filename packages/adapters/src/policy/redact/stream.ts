import {
  blockNeed,
  type BlockPlace,
  type Counts,
  isDelimiter,
  keptChars,
  namedCounts,
  plainSearch,
  redactBlock,
  type Search,
} from './engine.ts';
import type { KnownSecrets } from './known.ts';
import { ruleSwitches, type Surface } from './rules.ts';

/** What a stream is told about its text. */
export interface RedactStreamOptions {
  readonly surface?: Surface | undefined;
  readonly known?: KnownSecrets | undefined;
  /** Rules that are off, by id; see `RedactorOptions`. */
  readonly without?: readonly string[] | undefined;
}

/** A text that is redacted while it arrives. */
export interface RedactStream {
  /** Takes the next piece and returns what is safe to pass on, often nothing: about 75,000 characters are held back. */
  push(chunk: string): string;
  /** Ends the text and returns the rest. The stream takes nothing afterwards. */
  end(): string;
  /** How many secrets each rule took so far. */
  counts(): Record<string, number>;
}

/**
 * Redacts a text in pieces, cut anywhere: the pieces put together read exactly as `redact` of the whole.
 *
 * Memory is bounded, whatever arrives: at most some 80,000 characters and the longest piece are held. A secret that is
 * longer than that is dropped while it passes.
 */
export function createRedactStream(options: RedactStreamOptions = {}): RedactStream {
  const { surface, known, without } = options;
  const enabled = without === undefined ? plainSearch.enabled : ruleSwitches({ without });
  const search: Search = { enabled, surface, known };
  const counts: Counts = new Map();
  let buffer = '';
  let place: BlockPlace = { start: 0, done: 0, first: true };
  let swallow = false;

  function skipSwallowed(): void {
    if (!swallow) return;
    let { done } = place;
    while (done < buffer.length && !isDelimiter(buffer.charCodeAt(done))) done++;
    if (done < buffer.length) swallow = false;
    place = { ...place, done };
  }

  /** Puts out what can be decided while at least `least` characters are there. */
  function work(least: number): string {
    let out = '';
    skipSwallowed();
    while (buffer.length - place.start > least) {
      const block = redactBlock(buffer, place, search, counts);
      out += block.text;
      place = { start: block.end, done: block.done, first: false };
      swallow ||= block.swallow;
      skipSwallowed();
    }
    const drop = place.start - keptChars;
    if (drop > 0) {
      buffer = buffer.slice(drop);
      place = { ...place, start: place.start - drop, done: place.done - drop };
    }
    return out;
  }

  return {
    push(chunk) {
      buffer += chunk;
      return buffer.length - place.start > blockNeed ? work(blockNeed) : '';
    },
    end() {
      const rest = work(0);
      buffer = '';
      place = { start: 0, done: 0, first: false };
      return rest;
    },
    counts: () => namedCounts(counts),
  };
}

/** The same as an async generator, for pipelines: `for await (const text of redactChunks(body))`. */
export async function* redactChunks(
  source: AsyncIterable<string> | Iterable<string>,
  options: RedactStreamOptions = {},
): AsyncGenerator<string, void, undefined> {
  const stream = createRedactStream(options);
  for await (const chunk of source) {
    const safe = stream.push(chunk);
    if (safe !== '') yield safe;
  }
  const rest = stream.end();
  if (rest !== '') yield rest;
}
