import { inspect } from 'node:util';
import { BrowserError } from '@wheelhouse/contracts';
import type { Search } from './search.ts';
import type { World } from './world.ts';

/** Takes down whatever a call answers, as its caller could print it, and logs it. */
export interface Witness {
  /** Resolves with the value, or `null` when the call failed as it may. */
  take<T>(what: string, call: Promise<T>): Promise<T | null>;
  /** Calls so far that answered, and that failed. */
  readonly counts: { answered: number; failed: number };
}

/** A witness whose testimony goes into the search. */
export function createWitness(search: Search, { log }: World): Witness {
  const counts = { answered: 0, failed: 0 };
  const look = (what: string, text: string | Uint8Array) => search.look('answers', what, text);
  return {
    counts,
    async take(what, call) {
      try {
        const value = await call;
        counts.answered += 1;
        look(what, JSON.stringify(value) ?? '');
        look(what, inspect(value, { depth: 20, maxArrayLength: null, maxStringLength: null }));
        for (const bytes of bytesIn(value)) look(what, bytes);
        log.info({ what, value }, `${what} answered`);
        return value;
      } catch (error) {
        counts.failed += 1;
        // Only failures of the layer are answers; others are mistakes of this harness.
        if (!BrowserError.is(error)) throw error;
        look(what, `${String(error)}\n${error.stack ?? ''}\n${JSON.stringify(error)}`);
        look(what, inspect(error, { depth: 20, showHidden: true }));
        log.error({ what, err: error, failure: { error } }, `${what} failed: ${error.message}`);
        return null;
      }
    },
  };
}

function bytesIn(value: unknown): readonly Uint8Array[] {
  if (value instanceof Uint8Array) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(bytesIn);
}
