import { readFileSync } from 'node:fs';
import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { z } from 'zod';
import { expect, test } from 'vitest';
import { KnownSecrets } from './known.ts';
import { redact } from './redact.ts';
import { createRedactStream, redactChunks } from './stream.ts';

const Row = z.object({ input: z.string() });
const inputs = ['redaction-corpus.jsonl', 'redaction-negatives.jsonl'].flatMap((file) =>
  readFileSync(new URL(`../../../fixtures/redaction/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => Row.parse(JSON.parse(line)).input),
);

/** Cuts a text at the given places (per mille of its length). */
function cutAt(text: string, places: readonly number[]): string[] {
  const cuts = [
    0,
    ...places.map((place) => Math.floor((place * text.length) / 1000)).toSorted((a, b) => a - b),
    text.length,
  ];
  return cuts.slice(1).map((cut, i) => text.slice(cuts[i], cut));
}

function streamed(chunks: readonly string[], known?: KnownSecrets): string {
  const stream = createRedactStream({ known });
  return [...chunks.map((chunk) => stream.push(chunk)), stream.end()].join('');
}

test('pieces put together read as the whole, wherever a text of several blocks is cut', () => {
  const filler = constantFrom(
    'a line of words and nothing else in it\n',
    'x',
    'passkey=',
    '/0123456789abcdef',
    '密',
    '{"a":"b"},',
    '- cell "1"\n',
  );
  const piece = tuple(constantFrom(...inputs), filler, integer({ min: 0, max: 4000 }), constantFrom('\n', ' ', ''));
  assert(
    property(
      array(piece, { minLength: 2, maxLength: 12 }),
      array(integer({ min: 0, max: 1000 }), { maxLength: 30 }),
      (pieces, places) => {
        const text = pieces.map(([input, fill, times, end]) => input + end + fill.repeat(times) + end).join('');
        expect(streamed(cutAt(text, places))).toBe(redact(text).text);
      },
    ),
    { numRuns: 25 },
  );
});

test('a text that arrives letter by letter reads the same', () => {
  const text = inputs.join('\n');
  expect(streamed(Array.from({ length: text.length }, (_, i) => text[i] ?? ''))).toBe(redact(text).text);
});

test('secrets at every place around the border of a block go', () => {
  const secret = '5ec2e7c8e2b7d64c6c1ca2b8f9fba0d1';
  for (let shift = -60; shift <= 60; shift += 1) {
    const text = `${'x y '.repeat(17_000).slice(0, 65_536 + shift)} see /dl?id=1&passkey=${secret}&x=1 ${'y z '.repeat(20_000)}`;
    expect(streamed([text]), String(shift)).not.toContain('5ec2e7');
  }
});

test('a known secret is found across pieces, however small', () => {
  const known = new KnownSecrets();
  known.learn('correct horse battery staple');
  const text = 'say correct%20horse%20battery%20staple or correct horse battery staple';
  expect(streamed(Array.from(text), known)).toBe('say [redacted] or [redacted]');
});

test('a secret longer than anything that is held is dropped while it passes', () => {
  const stream = createRedactStream();
  const out = [stream.push('passkey=')];
  for (let i = 0; i < 200; i++) out.push(stream.push('s3cr3t'.repeat(1000)));
  out.push(stream.push(' and then\n'), stream.end());
  const whole = out.join('');
  expect(whole).toBe('passkey=[redacted] and then\n');
  expect(whole).toBe(redact(`passkey=${'s3cr3t'.repeat(200_000)} and then\n`).text);
});

test('memory is bounded: no more than a block and its surroundings is held back', () => {
  const stream = createRedactStream();
  let given = 0;
  let taken = 0;
  for (let i = 0; i < 400; i++) {
    const chunk = 'nothing here but words\n'.repeat(100);
    given += chunk.length;
    taken += stream.push(chunk).length;
    expect(given - taken).toBeLessThan(80_000 + chunk.length);
  }
});

test('the generator form ends with the rest', async () => {
  const out: string[] = [];
  for await (const part of redactChunks(['?pass', 'key=s3cr3t', 'word&x=1'])) out.push(part);
  expect(out.join('')).toBe('?passkey=[redacted]&x=1');
});
