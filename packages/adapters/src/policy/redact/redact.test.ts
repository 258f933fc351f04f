import { describe, expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';
import { redactShapes } from './redact.ts';
import { redactionRules } from './rules.ts';

const canary = /s3cr3t\w*|5ec2e7\w*/i;

describe.each(redactionRules)('$id', (rule) => {
  test('has examples in both directions', () => {
    expect(rule.leaks.length).toBeGreaterThan(0);
    expect(rule.keeps.length).toBeGreaterThan(0);
  });

  test.each(rule.leaks)('takes the secret out of %s', (line) => {
    expect(line).toMatch(canary);
    expect(redactShapes(line).text).not.toMatch(canary);
  });

  test.each(rule.keeps)('leaves %s alone', (line) => {
    expect(redactShapes(line)).toEqual({ text: line, redactions: {} });
  });
});

test('redacting twice changes nothing more', () => {
  const once = redactShapes(redactionRules.flatMap((rule) => rule.leaks).join('\n')).text;
  expect(redactShapes(once).text).toBe(once);
});

test('S004-38 a password that was typed is found again in every encoding', () => {
  const redactor = createRedactor();
  const secret = 'Tr0ub4dor & "3"/ü';
  redactor.learn(secret);
  const bytes = Buffer.from(secret);
  const shown = [
    `welcome ${secret}!`,
    `?x=${encodeURIComponent(secret)}`,
    `?x=${encodeURIComponent(encodeURIComponent(secret))}`,
    JSON.stringify({ x: secret }),
    bytes.toString('hex'),
    ...['', 'a', 'ab'].map((before) => Buffer.from(`${before}${secret}`).toString('base64')),
  ];
  for (const text of shown) {
    expect(redactor.text(text).redactions, text).toHaveProperty('known-secret');
  }
});
