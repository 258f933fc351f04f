import { type Counts, namedCounts, plainSearch, redactWhole, type Search } from './engine.ts';
import type { KnownSecrets } from './known.ts';
import { modelText } from './project-url.ts';
import { ruleSwitches, type Surface } from './rules.ts';

/** Who reads the result: operators need all but credentials, models get no query value and no fragment of any address. */
export type Projection = 'operator' | 'model';

/** How to redact. */
export interface RedactOptions {
  /** Where the text comes from. `a11y` also masks what the cuts of a window leave behind; the rest is only a hint. */
  readonly surface?: Surface | undefined;
  /** Values that must not appear in any form. */
  readonly known?: KnownSecrets | undefined;
  /** `operator` when absent. */
  readonly projection?: Projection | undefined;
}

/** A text without its secrets. */
export interface Redacted {
  readonly text: string;
  /** How many secrets each rule took, by rule id. Safe to log. */
  readonly redactions: Record<string, number>;
}

/**
 * Replaces every secret that the rules find by `[redacted]`. Idempotent, linear in the text, and without memory of
 * earlier texts.
 *
 * @example
 * redact('download.php?id=7&passkey=0123456789abcdef').text; // 'download.php?id=7&passkey=[redacted]'
 */
export function redact(text: string, options: RedactOptions = {}): Redacted {
  const search: Search = { enabled: plainSearch.enabled, surface: options.surface, known: options.known };
  return redactWith(text, search, options.projection);
}

/** As `redact`, with some of the rules only: for measurements, and for tests that take rules away. */
export function redactByRules(
  text: string,
  choice: { only?: readonly string[]; without?: readonly string[] },
  options: RedactOptions = {},
): Redacted {
  const search: Search = { enabled: ruleSwitches(choice), surface: options.surface, known: options.known };
  return redactWith(text, search, options.projection);
}

function redactWith(text: string, search: Search, projection: Projection = 'operator'): Redacted {
  const counts: Counts = new Map();
  const safe = redactWhole(text, search, counts);
  return { text: projection === 'model' ? modelText(safe) : safe, redactions: namedCounts(counts) };
}
