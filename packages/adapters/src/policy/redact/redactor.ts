import { BrowserError } from '@wheelhouse/contracts';
import { KnownSecrets } from './known.ts';
import { type Redacted, redactedMark, redactShapes } from './redact.ts';
import { type Projection, projectUrl } from './url-projection.ts';

/** Takes secrets out of all that leaves the layer. One for a process: it knows the values that were given out. */
export interface Redactor {
  text(text: string): Redacted;
  url(url: string, projection: Projection): string;
  /** A copy of a JSON value: texts redacted, values under telling keys gone. */
  json(value: unknown): unknown;
  /** What may be said of any failure: our own errors as they are, strangers by name and code only. */
  error(error: unknown): { readonly name: string; readonly code: string | null; readonly message: string };
  /** Remembers a value that was resolved; from now on it is taken out in every encoding. */
  learn(value: string): void;
}

const tellingKey =
  /pass(word|wd|key)?$|secret|token|api_?key|auth_?key|rss_?key|cookie|authorization|torrent_pass|downhash|otp$/i;

/** A redactor that knows no values yet. */
export function createRedactor(): Redactor {
  const known = new KnownSecrets();
  const text = (raw: string): Redacted => {
    const first = known.redact(raw);
    const then = redactShapes(first.text);
    return { text: then.text, redactions: { ...first.redactions, ...then.redactions } };
  };
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value).text;
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        tellingKey.test(key) && (typeof inner === 'string' || typeof inner === 'number') ? redactedMark : json(inner),
      ]),
    );
  };
  return {
    text,
    json,
    url: (url, projection) => known.redact(projectUrl(known.redact(url).text, projection)).text,
    error: (error) => {
      if (BrowserError.is(error)) return { name: error.name, code: error.code, message: text(error.message).text };
      const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
      return { name: error instanceof Error ? error.name : typeof error, code, message: 'a failure of another layer' };
    },
    learn: (value) => known.learn(value),
  };
}
