import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wholeText } from './look.ts';
import type { SnapshotWire } from './wire.ts';

const url = 'http://127.0.0.1/';

/** A window as the upstream cuts it (source: lib/snapshot.js). */
function windowOf(text: string, offset: number): SnapshotWire {
  if (text.length <= 80_000) return { url, snapshot: text, truncated: false, totalChars: text.length };
  const start = Math.min(Math.max(0, offset), text.length - 5_000);
  const end = start + 74_800;
  const hasMore = end < text.length - 5_000;
  const marker = hasMore ? `\n[... truncated at char ${end} of ${text.length}. ...]\n` : '\n';
  return {
    url,
    snapshot: text.slice(start, end) + marker + text.slice(-5_000),
    truncated: true,
    totalChars: text.length,
    hasMore,
    nextOffset: hasMore ? end : null,
  };
}

/** `length` characters in lines, no two windows of which are alike. */
function pageOf(length: number, mark = 'line'): string {
  let text = '';
  for (let at = 0; text.length < length; at += 1) text += `- text: ${mark} ${at}\n`;
  return text.slice(0, length);
}

describe('S004-64 a long page', () => {
  test('is read whole from windows that overlap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400_000 }), async (length) => {
        const page = pageOf(length);
        const read = await wholeText(async (offset) => windowOf(page, offset));
        expect(read?.text === page).toBe(true);
      }),
      { numRuns: 40, examples: [[80_000], [80_001], [79_800], [149_600], [154_600], [154_601], [84_800], [224_400]] },
    );
  });

  test('S000-80 ends on a whole line where it is too long to be read', async () => {
    const page = pageOf(1_300_000);
    const read = await wholeText(async (offset) => windowOf(page, offset));
    expect(read?.truncated).toBe(true);
    expect(read?.text.endsWith('\n')).toBe(true);
    expect(page.startsWith(read?.text ?? 'x')).toBe(true);
  });

  test.each([
    [
      'was cleared by a click, so that the first window comes again',
      (page: string, offset: number) => windowOf(page, offset === 0 ? 0 : 0),
    ],
    [
      'became another page of the same length',
      (page: string, offset: number) => windowOf(offset === 0 ? page : pageOf(page.length, 'lime'), offset),
    ],
    ['grew', (page: string, offset: number) => windowOf(offset === 0 ? page : `${page}\n- text: more`, offset)],
    [
      'went to another address',
      (page: string, offset: number) => ({ ...windowOf(page, offset), url: `${url}${offset}` }),
    ],
  ])('is not put together when it %s', async (_what, answer) => {
    const page = pageOf(200_000);
    expect(await wholeText(async (offset) => answer(page, offset))).toBeNull();
  });
});
