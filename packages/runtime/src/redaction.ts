import { createRedactStream, redact, type Surface } from '@wheelhouse/adapters';

/** Where a text comes from, as far as the rules care. */
export type { Surface } from '@wheelhouse/adapters';

/** Takes the secrets out of one text, by their shapes. Names the rules that took any. */
export function scrub(text: string, surface?: Surface): { readonly text: string; readonly rules: readonly string[] } {
  const { text: safe, redactions } = redact(text, { surface });
  return { text: safe, rules: Object.keys(redactions) };
}

/** The same for a text that arrives in pieces, cut anywhere. Memory is bounded. */
export async function* scrubStream(source: AsyncIterable<string>): AsyncGenerator<string> {
  const stream = createRedactStream({ surface: 'log' });
  for await (const chunk of source) {
    const safe = stream.push(chunk);
    if (safe !== '') yield safe;
  }
  const rest = stream.end();
  if (rest !== '') yield rest;
}
