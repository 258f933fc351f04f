import { describe, expect, test } from 'vitest';
import { KnownSecrets } from './known.ts';
import { redact, redactByRules, type RedactOptions } from './redact.ts';
import { type RedactionRule, redactionRules } from './rules.ts';

const canary = /s3cr3t\w*|5ec2e7\w*/i;

/** Whether a text shows the canary, plain or behind one encoding. */
function shows(text: string): boolean {
  const decoded = [
    text.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    text.replace(/&#(\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code))),
    ...Array.from(text.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g), ([run]) => Buffer.from(run, 'base64').toString('latin1')),
  ];
  return [text, ...decoded].some((one) => canary.test(one));
}

/** How a rule's own examples are looked at. */
function optionsFor(rule: RedactionRule): RedactOptions {
  const known = new KnownSecrets();
  if (rule.id === 'known-secret') known.learn('s3cr3tPhrase');
  return { known, surface: rule.surfaces.includes('a11y') ? 'a11y' : rule.surfaces[0] };
}

describe.each(redactionRules)('$id', (rule) => {
  test('has examples in both directions', () => {
    expect(rule.leaks.length).toBeGreaterThan(0);
    expect(rule.keeps.length).toBeGreaterThan(0);
  });

  test.each(rule.leaks)('takes the secret out of %s', (line) => {
    expect(shows(line)).toBe(true);
    const { text, redactions } = redact(line, optionsFor(rule));
    expect(text).not.toSatisfy(shows);
    expect(redactions).toHaveProperty([rule.id]);
  });

  test.each(rule.keeps)('leaves %s alone', (line) => {
    expect(redact(line, optionsFor(rule))).toEqual({ text: line, redactions: {} });
  });

  test('is needed: without it one of its examples leaks', () => {
    const without = { without: [rule.id] };
    expect(rule.leaks.some((line) => shows(redactByRules(line, without, optionsFor(rule)).text))).toBe(true);
  });
});

test('ids are used once', () => {
  expect(new Set(redactionRules.map((rule) => rule.id)).size).toBe(redactionRules.length);
});

test('a secret that spells like its own key still goes', () => {
  expect(redact('/x?passkey=passkey9').text).toBe('/x?passkey=[redacted]');
});

test('redacting all examples twice changes nothing more', () => {
  const once = redact(redactionRules.flatMap((rule) => rule.leaks).join('\n')).text;
  expect(redact(once)).toEqual({ text: once, redactions: {} });
});

test('counts tell how often each rule hit, and no value', () => {
  const { redactions } = redact('?passkey=s3cr3tword&passkey=s3cr3tother&password=s3cr3t');
  expect(redactions).toEqual({ 'secret-value': 2, 'password-value': 1 });
});

test.each(['?%70%61%73%73%6b%65%79=s3cr3tword&x=1', String.raw`"\u0070\u0061\u0073\u0073key":"s3cr3tword"`])(
  'a name of which every letter is escaped is read: %s',
  (line) => {
    expect(redact(line).text).not.toMatch(canary);
  },
);
