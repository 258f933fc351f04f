import { createRedactor, redactionRules } from '@wheelhouse/adapters';
import { describe, expect, test } from 'vitest';
import { createCanaries } from '../canary/canaries.ts';
import { encodedForms, encodings } from '../canary/encodings.ts';
import { ruleLines } from '../canary/rule-lines.ts';
import { createSearch } from '../canary/search.ts';

const rules = ruleLines('test');

/** Canaries that are found after the lines of one rule went through a redactor, as `rule encoding`. */
function found(rule: string, without: readonly string[]) {
  const search = createSearch(rules.canaries.filter(({ name }) => name === `rule ${rule}`));
  const redactor = createRedactor({ without });
  for (const value of rules.known) redactor.learn(value);
  for (const { line, isSnapshot, rule: of } of rules.lines) {
    if (of === rule) search.look('text', 'line', redactor.text(line, isSnapshot ? 'a11y' : 'log').text);
  }
  return search.leaks.length;
}

describe.each(redactionRules)('$id', ({ id }) => {
  test('keeps its canaries from being found, and nothing else does', () => {
    expect(found(id, [])).toBe(0);
    expect(found(id, [id])).toBeGreaterThan(0);
  });
});

test('every canary is found in every encoding, wherever it begins', () => {
  const canaries = Object.entries(createCanaries('test')).map(([name, value]) => ({ name, value }));
  const missed = canaries.flatMap(({ name, value }) =>
    encodedForms(value).filter(({ encoding, bytes }) => {
      const search = createSearch(canaries);
      search.look('text', 'place', Buffer.concat([Buffer.from('ab'), bytes, Buffer.from('c')]));
      return !search.leaks.some((leak) => leak.canary === name && leak.encoding === encoding);
    }),
  );
  expect(missed).toEqual([]);
  expect(encodings).toHaveLength(14);
});

test('a secret inside of base64 is found at each of the three places', () => {
  for (const before of ['', 'x', 'xy', 'xyz']) {
    const search = createSearch([{ name: 'one', value: 'passkey-of-somebody' }]);
    search.look('text', 'place', Buffer.from(`${before}passkey-of-somebody&x`).toString('base64'));
    expect(search.leaks).toHaveLength(1);
  }
});
