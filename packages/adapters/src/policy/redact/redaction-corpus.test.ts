import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { redact } from './redact.ts';
import type { Surface } from './rules.ts';

const folder = new URL('../../../fixtures/redaction/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
const lines = (path: string): unknown[] =>
  read(path)
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

const surfaces = ['url', 'a11y', 'log', 'json', 'header', 'html', 'error', 'magnet'] as const;
const Row = z.object({
  id: z.string(),
  surface: z.enum(surfaces),
  class: z.string(),
  input: z.string(),
  secrets: z.array(z.string()),
  decoded: z.array(z.string()).default([]),
  keep: z.array(z.string()),
});
const Negative = z.object({ id: z.string(), kind: z.string(), input: z.string() });
const Sidecar = z.object({ secrets: z.array(z.string()), keep: z.array(z.string()) });

// Addresses of people and home folders are not what this engine promises to remove.
const rows = z
  .array(Row)
  .parse(lines('redaction-corpus.jsonl'))
  .filter((row) => row.class !== 'identity');
const negatives = z.array(Negative).parse(lines('redaction-negatives.jsonl'));
const snapshots = readdirSync(new URL('snapshots/', folder)).filter((file) => file.endsWith('.txt'));

/** What is wrong with a redacted text, as words; empty when nothing is. */
function faults(row: { secrets: string[]; keep: string[]; decoded?: string[] }, text: string): string[] {
  return [
    ...[...row.secrets, ...(row.decoded ?? [])].filter((secret) => text.includes(secret)).map((s) => `leaks ${s}`),
    ...row.keep.filter((kept) => !text.includes(kept)).map((kept) => `loses ${kept}`),
  ];
}

describe.each(surfaces)('%s', (surface) => {
  const own = rows.filter((row) => row.surface === surface);

  test('no secret of the corpus survives, and what an operator needs does', () => {
    expect(own.length).toBeGreaterThan(20);
    const wrong = own.flatMap((row) => faults(row, redact(row.input, { surface }).text).map((f) => `${row.id} ${f}`));
    expect(wrong).toEqual([]);
  });

  test('the same without being told where the text comes from, and inside a longer text', () => {
    const wrong = own.flatMap((row) => [
      ...faults(row, redact(row.input).text).map((fault) => `${row.id} ${fault}`),
      ...faults(row, redact(`first line\n${row.input}\nlast line`).text).map((fault) => `${row.id} inside ${fault}`),
    ]);
    expect(wrong).toEqual([]);
  });

  test('redacting a second time changes nothing', () => {
    for (const { input } of own) {
      const once = redact(input, { surface }).text;
      expect(redact(once, { surface })).toEqual({ text: once, redactions: {} });
    }
  });

  test('the model projection hides the secrets as well', () => {
    const wrong = own.flatMap((row) =>
      faults({ ...row, keep: [] }, redact(row.input, { surface, projection: 'model' }).text).map(
        (f) => `${row.id} ${f}`,
      ),
    );
    expect(wrong).toEqual([]);
  });
});

test.each([undefined, ...surfaces] as const)(
  'look-alikes come out byte for byte (%s)',
  (surface: Surface | undefined) => {
    const changed = negatives.flatMap(({ id, input }) => {
      const { text } = redact(input, { surface });
      return text === input ? [] : [`${id} ${text}`];
    });
    expect(negatives.length).toBeGreaterThan(200);
    expect(changed).toEqual([]);
  },
);

test.each(snapshots)('S004-31 snapshot %s loses its secrets and keeps its page', (file) => {
  const text = read(`snapshots/${file}`);
  const sidecar = Sidecar.parse(JSON.parse(read(`snapshots/${file.replace('.txt', '.json')}`)));
  const once = redact(text, { surface: 'a11y' }).text;
  expect(faults(sidecar, once)).toEqual([]);
  expect(redact(once, { surface: 'a11y' }).text).toBe(once);
  expect(once === text).toBe(sidecar.secrets.length === 0);
});
