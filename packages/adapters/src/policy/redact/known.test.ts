import { inspect } from 'node:util';
import { assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { KnownSecrets } from './known.ts';
import { redact, redactByRules } from './redact.ts';

const knowing = (...values: string[]) => {
  const known = new KnownSecrets();
  for (const value of values) known.learn(value);
  return known;
};

const every = (secret: string, write: (byte: number) => string) => Array.from(Buffer.from(secret), write).join('');
const hex2 = (n: number) => n.toString(16).padStart(2, '0');

/** Ways in which programs write a value, by name. */
const writings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (s) => s,
  encodeURIComponent: (s) => encodeURIComponent(s),
  'percent, lower case': (s) => encodeURIComponent(s).replace(/%../g, (e) => e.toLowerCase()),
  'percent, strict': (s) =>
    every(s, (b) => (/\w/.test(String.fromCharCode(b)) ? String.fromCharCode(b) : `%${hex2(b)}`)),
  'percent, every byte': (s) => every(s, (b) => `%${hex2(b)}`),
  'percent, twice': (s) => encodeURIComponent(encodeURIComponent(s)),
  'percent, three times': (s) => encodeURIComponent(encodeURIComponent(encodeURIComponent(s))),
  'form with plus': (s) => new URLSearchParams({ x: s }).toString().slice(2),
  JSON: (s) => JSON.stringify(s).slice(1, -1),
  'JSON in JSON': (s) => JSON.stringify(JSON.stringify(s)).slice(3, -3),
  'JSON, ASCII only': (s) =>
    JSON.stringify(s)
      .slice(1, -1)
      .replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON, slashes': (s) => JSON.stringify(s).slice(1, -1).replaceAll('/', '\\/'),
  HTML: (s) => s.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? '&#39;'),
  'HTML, numbers': (s) => Array.from(s, (c) => `&#${c.codePointAt(0)};`).join(''),
  'HTML, hex': (s) => Array.from(s, (c) => `&#x${(c.codePointAt(0) ?? 0).toString(16)};`).join(''),
  base64: (s) => Buffer.from(s).toString('base64'),
  'base64 behind one byte': (s) => Buffer.from(`a${s}`).toString('base64'),
  'base64 behind two bytes': (s) => Buffer.from(`ab${s}zz`).toString('base64'),
  base64url: (s) => Buffer.from(`user:${s}`).toString('base64url'),
  'base64 in an address': (s) => encodeURIComponent(Buffer.from(`user:${s}`).toString('base64')),
  hex: (s) => Buffer.from(s).toString('hex'),
  'hex, upper case': (s) => Buffer.from(s).toString('hex').toUpperCase(),
};

const letters = Array.from('aBc9!@#$%^&*()+/="<>\'~ -_.,;:?{}|äß密😀');
const secretText = string({ unit: constantFrom(...letters), minLength: 9, maxLength: 40 }).filter(
  (s) => s.trim().length >= 9 && new Set(s).size > 4,
);

test.each(Object.entries(writings))('S004-38 a secret that was given out is found as %s', (_name, write) => {
  assert(
    property(secretText, constantFrom('', ' ', '"', '=', ','), (secret, side) => {
      const text = `seen: ${side}${write(secret.trim())}${side} end`;
      const { text: safe, redactions } = redactByRules(text, { only: ['known-secret'] }, { known: knowing(secret) });
      expect(redactions, text).toHaveProperty('known-secret');
      expect(safe).not.toContain(write(secret.trim()));
    }),
    { numRuns: 60 },
  );
});

test('values under 4 characters are refused, those under 8 go only as whole words', () => {
  const known = new KnownSecrets();
  expect(known.learn('abc')).toBe(false);
  expect(known.learn('moon')).toBe(true);
  expect(redact('moon, moonlight, %6doon', { known }).text).toBe('[redacted], moonlight, [redacted]');
});

test('a secret inside another goes together with it', () => {
  expect(redact('x=abcdefgh-ijklmnop', { known: knowing('abcdefgh', 'abcdefgh-ijklmnop') }).text).toBe('x=[redacted]');
});

test('no printer shows what is known', () => {
  const known = knowing('Tr0ub4dor-horse');
  expect(
    [inspect(known, { showHidden: true, depth: 9 }), JSON.stringify(known), Object.keys(known).join()].join(),
  ).not.toContain('horse');
});

test('thousands of secrets take one pass', () => {
  const known = knowing(...Array.from({ length: 2000 }, (_, i) => `secret-number-${i}-${(i * 7919) % 1e6}`));
  const text = 'nothing to see here, move along; 100% & more\n'.repeat(20_000);
  const began = performance.now();
  expect(redact(text, { known }).text).toBe(text);
  expect(performance.now() - began).toBeLessThan(3000);
});
