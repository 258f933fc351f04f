import type { KeyKind } from './classify-key.ts';
import { type Counts, namedCounts, plainSearch, redactWhole, type Search } from './engine.ts';
import { KnownSecrets } from './known.ts';
import { projectUrl } from './project-url.ts';
import type { Projection, Redacted } from './redact.ts';
import { safeError, type SafeError } from './redact-error.ts';
import { redactJson } from './redact-json.ts';
import { ruleOfKind } from './rule-of-kind.ts';
import { ruleSwitches, type Surface } from './rules.ts';
import { createRedactStream, type RedactStream } from './stream.ts';

/** Redaction with a memory: the secrets it was told, and how much it took. Make one a process, or one a session. */
export interface Redactor {
  /** As `redact`, in the operator projection. Give `a11y` for snapshots, so that cut windows are treated, too. */
  text(value: string, surface?: Surface): Redacted;
  /** A copy as plain data; secrets are found by key, by neighbouring fields and in every string. */
  json(value: unknown): unknown;
  /** As `projectUrl`. */
  url(value: string, projection: Projection): string;
  /** An error chain as plain data; never a raw message of somebody else's error. */
  error(error: unknown): SafeError;
  /** A stream that knows the same secrets. Its counts are its own. */
  stream(surface?: Surface): RedactStream;
  /**
   * Remembers a secret that was given out, so that it goes in every form: plain, percent-encoded up to three times,
   * escaped for JSON and HTML, base64 at any offset, base64url, hex. False for values under 4 characters, which are not
   * searched for; under 8, only whole words are. Ask for real secrets to be longer.
   */
  learn(value: string): boolean;
  /** How many secrets each rule took since this redactor was made. Never the values. */
  counts(): Record<string, number>;
}

/** What a redactor is made of. */
export interface RedactorOptions {
  /** Secrets that are shared with others. Default: its own. */
  readonly known?: KnownSecrets | undefined;
  /**
   * Rules that are off, by id: for proofs that each of them is needed. Nothing that ships sets it, and no environment
   * reaches it. Throws for an id that is not in the table.
   */
  readonly without?: readonly string[] | undefined;
}

/** Makes a redactor, with secrets of its own unless `known` is shared. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const known = options.known ?? new KnownSecrets();
  const { without } = options;
  const enabled = without === undefined ? plainSearch.enabled : ruleSwitches({ without });
  const search: Search = { ...plainSearch, enabled, known };
  const counts: Counts = new Map();
  const part = (value: string, surface: Surface) => redactWhole(value, { ...search, surface }, counts);
  const text = (value: string, surface?: Surface): Redacted => {
    const own: Counts = new Map();
    const safe = redactWhole(value, { ...search, surface }, own);
    for (const [rule, taken] of own) counts.set(rule, (counts.get(rule) ?? 0) + taken);
    return { text: safe, redactions: namedCounts(own) };
  };
  const url = (value: string, projection: Projection) => projectUrl(value, projection, search, counts);
  const error = (thrown: unknown) => safeError(thrown, (value) => part(value, 'error'));
  const count = (kind: KeyKind) => {
    const rule = ruleOfKind[kind];
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  };
  return {
    text,
    url,
    error,
    json: (value) =>
      redactJson(value, {
        text: (written) => part(written, 'json'),
        url: (address) => url(address, 'operator'),
        error,
        isOn: (kind) => enabled[ruleOfKind[kind]] === 1,
        count,
      }),
    stream: (surface) => createRedactStream({ known, surface, without }),
    learn: (value) => known.learn(value),
    counts: () => namedCounts(counts),
  };
}
