import { BrowserError } from '@wheelhouse/contracts';
import type { Redactor, Surface } from '@wheelhouse/adapters';

/** Where a text comes from, as far as the rules care; and what doors make their outputs safe with. */
export { createRedactor, type Redactor, type Surface } from '@wheelhouse/adapters';

/** Takes the secrets out of one text. Names the rules that took any. */
export function scrub(
  redactor: Redactor,
  text: string,
  surface?: Surface,
): { readonly text: string; readonly rules: readonly string[] } {
  const { text: safe, redactions } = redactor.text(text, surface);
  return { text: safe, rules: Object.keys(redactions) };
}

/** An error of ours whose sentence holds no secret. Messages are safe by contract; this is for the day when one is not. */
export function safeFailure(redactor: Redactor, error: BrowserError): BrowserError {
  const { text } = redactor.text(error.message, 'error');
  return text === error.message ? error : BrowserError.with(error, { message: text });
}

/** The same for a text that arrives in pieces, cut anywhere. Memory is bounded. */
export async function* scrubStream(redactor: Redactor, source: AsyncIterable<string>): AsyncGenerator<string> {
  const stream = redactor.stream('log');
  for await (const chunk of source) {
    const safe = stream.push(chunk);
    if (safe !== '') yield safe;
  }
  const rest = stream.end();
  if (rest !== '') yield rest;
}
