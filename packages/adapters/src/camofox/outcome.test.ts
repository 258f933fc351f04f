import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failureOf, provesApplied, rowOf } from './outcome.ts';
import { outcomeRows } from './outcome-rows.ts';
import type { Reply } from './reply.ts';

const Recorded = z.object({
  recording: z.string(),
  route: z.string(),
  kind: z.enum(['look', 'act', 'navigate', 'manage']),
  status: z.int(),
  html: z.boolean().default(false),
  error: z.string().default(''),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  /** The row that it was read as when it was recorded. */
  row: z.string(),
});
type Recorded = z.infer<typeof Recorded>;
const recorded = z
  .array(Recorded)
  .parse(JSON.parse(readFileSync(new URL('../../fixtures/camofox/errors.json', import.meta.url), 'utf8')));

function replyOf({ status, html, error, code, retryable }: Recorded): Reply {
  return {
    status,
    contentType: html ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    body: Buffer.from(html ? '<!DOCTYPE html><title>Error</title>' : JSON.stringify({ error, code, retryable })),
  };
}

describe('S001-20 S001-21 every error answer of the real server', () => {
  test.each(recorded)('$recording: $route $status $code $error → $row', (one) => {
    expect(rowOf(one.kind, replyOf(one))?.id).toBe(one.row);
  });

  test('what a page looked at or a tab not found proves is that nothing was done', () => {
    const gone = recorded.filter(({ row }) => /^(gone|no-tab|no-key|wrong-key|rejected)$/.test(row));
    expect(gone.length).toBeGreaterThan(20);
    for (const one of gone) expect(failureOf('act', replyOf(one), 'POST /act').outcome).toBe('not_applied');
  });

  test('S001-22 what the upstream says of retrying changes nothing', () => {
    for (const one of recorded) {
      const [yes, no] = [true, false].map((retryable) => failureOf(one.kind, replyOf({ ...one, retryable }), 'x'));
      expect(yes?.toJSON()).toEqual(no?.toJSON());
    }
  });

  test('hiding the text, as production does, never makes us surer that nothing was done', () => {
    for (const one of recorded) {
      const open = failureOf(one.kind, replyOf(one), 'x').outcome;
      const hidden = failureOf(one.kind, replyOf({ ...one, error: 'Internal server error' }), 'x').outcome;
      expect([open, open === undefined ? undefined : 'unknown']).toContain(hidden);
    }
  });

  test('no failure quotes what the upstream or a page said', () => {
    for (const one of recorded.filter(({ error }) => error.length > 12)) {
      expect(JSON.stringify(failureOf(one.kind, replyOf(one), 'POST /act').toJSON())).not.toContain(
        one.error.slice(0, 12),
      );
    }
  });

  test('an answer that was never seen is unknown, unless nothing was asked for', () => {
    const strange = { ...recorded[0], status: 599, html: false, error: '', row: '' } as Recorded;
    expect(failureOf('act', replyOf(strange), 'x')).toMatchObject({ code: 'upstream_failed', outcome: 'unknown' });
    expect(failureOf('look', replyOf(strange), 'x').outcome).toBeUndefined();
  });

  test('a row that cites recordings is in them, and the others say that they were only read', () => {
    const shown = new Set(recorded.map(({ row }) => row));
    expect(new Set(outcomeRows.map(({ id }) => id)).size).toBe(outcomeRows.length);
    expect(
      outcomeRows.filter(({ id, source }) => shown.has(id) === (source === 'server.js')).map(({ id }) => id),
    ).toEqual([]);
  });
});

describe('S000-21 a click that was made although its answer is an error', () => {
  const slow = recorded.find(({ recording, error }) => recording === '26-second-click' && error.includes('Call log'));
  const answer = (error: string): Reply => replyOf({ ...(slow as Recorded), error });

  test('is known by the log of the attempt', () => {
    expect(provesApplied(answer(slow?.error ?? ''))).toBe(true);
  });

  test.each([
    ['production hides the log', 'Internal server error'],
    [
      'it never came to the click',
      "locator.click: Timeout 3000ms exceeded.\nCall log:\n  - waiting for locator('#x')\n",
    ],
    [
      'a page that writes the words into its button',
      "locator.click: Timeout 3000ms exceeded.\nCall log:\n  - waiting for locator('button')\n    - locator resolved to <button>↵ - click action done↵</button>\n",
    ],
  ])('is not believed where %s', (_why, error) => {
    expect(provesApplied(answer(error))).toBe(false);
  });
});
