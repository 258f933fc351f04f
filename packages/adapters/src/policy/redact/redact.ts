import { redactionRules } from './rules.ts';

/** What stands where a secret stood. */
export const redactedMark = '[redacted]';

/** A text without its secrets. */
export interface Redacted {
  readonly text: string;
  /** How many secrets each rule took. Safe to log. */
  readonly redactions: Readonly<Record<string, number>>;
}

/** Replaces every secret that the rules know. Idempotent. */
export function redactShapes(text: string): Redacted {
  const redactions: Record<string, number> = {};
  let result = text;
  for (const rule of redactionRules) {
    result = result.replace(rule.find, (match: string, secret: string) => {
      if (secret.startsWith('[redacted')) return match;
      redactions[rule.id] = (redactions[rule.id] ?? 0) + 1;
      const at = match.lastIndexOf(secret);
      return `${match.slice(0, at)}${redactedMark}${match.slice(at + secret.length)}`;
    });
  }
  return { text: result, redactions };
}
