import { redactedMark, type Redacted } from './redact.ts';

/** Shorter values would hit innocent text everywhere; they are left to the rules that know where secrets stand. */
const shortestKnown = 4;

/** The secrets that were given out, in every form in which a page or a log may show them. Values stay in here. */
export class KnownSecrets {
  readonly #forms = new Set<string>();
  #pattern: RegExp | null = null;

  /** Remembers a value from now on. Values shorter than four characters are not remembered. */
  learn(value: string): void {
    if (value.length < shortestKnown) return;
    const before = this.#forms.size;
    for (const form of formsOf(value)) this.#forms.add(form);
    if (this.#forms.size !== before) this.#pattern = null;
  }

  /** Replaces every known value, the longest first, so that no rest of one is left. */
  redact(text: string): Redacted {
    if (this.#forms.size === 0) return { text, redactions: {} };
    this.#pattern ??= patternOf(this.#forms);
    let count = 0;
    const clean = text.replace(this.#pattern, () => {
      count += 1;
      return redactedMark;
    });
    return { text: clean, redactions: count === 0 ? {} : { 'known-secret': count } };
  }
}

function patternOf(forms: ReadonlySet<string>): RegExp {
  const longestFirst = [...forms].toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
}

/** Plain, percent (once and twice), JSON, HTML, hex, and base64 at the three places where it can start in a longer text. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8');
  const percent = encodeURIComponent(value);
  const strict = percent.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const html = value.replace(
    /[&<>"']/g,
    (char) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[char] ?? ''};`,
  );
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Characters that also depend on what stands before and after are no part of the form.
    const inner = text.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
    return inner.length < 6 ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [
    value,
    value.trim().replace(/\s+/g, ' '),
    percent,
    strict,
    percent.toLowerCase(),
    encodeURIComponent(percent),
    percent.replaceAll('%20', '+'),
    JSON.stringify(value).slice(1, -1),
    html,
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64,
  ].filter((form) => form.length >= shortestKnown);
}
