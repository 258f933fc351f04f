import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { redactByRules } from './redact.ts';
import { redactionRules, type Surface } from './rules.ts';

const Row = z.object({
  id: z.string(),
  surface: z.string(),
  class: z.string(),
  input: z.string(),
  secrets: z.array(z.string()),
});
const rows = readFileSync(new URL('../../../fixtures/redaction/redaction-corpus.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => Row.parse(JSON.parse(line)))
  .filter((row) => row.class !== 'identity');

/** Rules that only their examples prove: no row has their kind, or other rules take the same long values. */
const withoutRow: ReadonlySet<string> = new Set([
  'authorization',
  'bearer',
  'netscape-cookie',
  'markup-label',
  'recovery-codes',
  'cut-window',
  'private-key',
  'jwt',
  'known-secret',
  'encoded-text',
]);

const leaking = (without: readonly string[]) =>
  rows.filter(({ input, secrets, surface }) => {
    const { text } = redactByRules(input, { without }, { surface: surface as Surface });
    return secrets.some((secret) => text.includes(secret));
  });

test.each(redactionRules.map((rule) => rule.id))('without %s rows of the corpus leak', (id) => {
  expect(leaking([id]).length > 0).toBe(!withoutRow.has(id));
});

test('with no rule at all every row leaks, so that each of them tests something', () => {
  expect(leaking(redactionRules.map((rule) => rule.id)).length).toBe(rows.length);
});
