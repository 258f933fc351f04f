import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { AllowQuestion, answerAllowQuestion } from './allow-question.ts';

const Row = AllowQuestion.extend({
  id: z.string(),
  expect: z.enum(['allow', 'deny', 'invalid']),
  policy: z.string().optional(),
  nodeDependent: z.boolean().optional(),
});
const rows = readFileSync(new URL('../fixtures/allowlist-corpus.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => Row.parse(JSON.parse(line)));
const wrongOf = (of: typeof rows) =>
  of
    .map((row) => ({ id: row.id, expect: row.expect, got: answerAllowQuestion(row).decision }))
    .filter((row) => row.got !== row.expect);

test('no browser is sent, lands or clicks where the list does not say: all 1054 decisions', () => {
  expect(rows).toHaveLength(1054);
  expect(wrongOf(rows)).toEqual([]);
});

test('a host is the one that browsers visit, also on a Node whose own parser takes it for another', () => {
  const dependent = rows.filter((row) => row.nodeDependent === true);
  expect(dependent).toHaveLength(23);
  expect(wrongOf(dependent)).toEqual([]);
});

test('what a caller types is refused where a browser would repair it', () => {
  const repaired = ['extra-slashes', 'whitespace-stripped', 'empty-userinfo'];
  const affected = rows.filter(
    (row) => repaired.includes(row.policy ?? '') || /[\\%@]/.test(row.url.split(/[?#]/)[0] ?? ''),
  );
  const allowedForCallers = affected
    .map((row) => answerAllowQuestion({ ...row, from: 'caller' }))
    .filter(({ decision }) => decision === 'allow')
    .map(({ id }) => rows.find((row) => row.id === id)?.url);
  // What is left has its percent sign or at sign in the path, where nothing needs repair.
  const authority = (url: string | undefined) => /^https?:\/\/([^/]*)/i.exec(url ?? '')?.[1] ?? '@';
  expect(allowedForCallers.filter((url) => /[\\%@]/.test(authority(url)))).toEqual([]);
  expect(affected.length).toBeGreaterThan(100);
});

test('nothing is allowed to a caller that a browser would not be allowed to land on', () => {
  const wider = rows.filter(
    (row) =>
      row.base === undefined &&
      answerAllowQuestion({ ...row, from: 'caller' }).decision === 'allow' &&
      answerAllowQuestion({ ...row, from: 'landing' }).decision !== 'allow',
  );
  expect(wider).toEqual([]);
});

test('an answer never repeats what stands behind the host', () => {
  const secret = 'pk-4f1d9c';
  for (const url of [
    `https://evil.test/${secret}?passkey=${secret}#${secret}`,
    `https://user:${secret}@evil.test/`,
    `https://evil.test/ ${secret}`,
    `magnet:?tr=${secret}`,
  ]) {
    for (const from of ['caller', 'landing', 'href'] as const) {
      expect(answerAllowQuestion({ id: 1, url, allowlist: ['example.com'], from }).why).not.toContain(secret);
    }
  }
  const pasted = { id: 1, url: 'https://example.com/', allowlist: [`https://tracker.example/rss?passkey=${secret}`] };
  expect(answerAllowQuestion(pasted)).toMatchObject({ decision: 'invalid' });
  expect(answerAllowQuestion(pasted).why).not.toContain(secret);
});
