import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { redact } from './redact.ts';

const folder = new URL('../../../fixtures/redaction/snapshots/', import.meta.url);
const Sidecar = z.object({ secrets: z.array(z.string()) });
// No. 08 has codes in a list: behind a cut nothing tells them from other items. No. 18 quotes a key without its name.
const files = readdirSync(folder).filter((file) => file.endsWith('.txt') && !/^(?:08|18)/.test(file));

const clean = (text: string) => redact(text, { surface: 'a11y' }).text;

/** What of `secret` shows when the text around it was cut at `cut`: at least five characters, or nothing. */
function shown(text: string, cut: number, secret: string, at: number): string[] {
  const head = clean(text.slice(0, cut));
  const tail = clean(text.slice(cut));
  const left = secret.slice(0, Math.max(0, cut - at));
  const right = secret.slice(Math.max(0, Math.min(secret.length, cut - at)));
  const seen = [
    left.length >= 5 && head.endsWith(left),
    right.length >= 5 && (tail.split('\n', 1)[0] ?? '').includes(right),
    cut <= at ? tail.includes(secret) : cut >= at + secret.length && head.includes(secret),
  ];
  return seen.some(Boolean) ? [`${text.slice(cut - 30, cut)} | ${text.slice(cut, cut + 40)}`] : [];
}

test.each(files)('a secret cannot straddle the cut of a window, wherever it falls: %s', (file) => {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const { secrets } = Sidecar.parse(JSON.parse(readFileSync(new URL(file.replace('.txt', '.json'), folder), 'utf8')));
  const leaks = secrets.flatMap((secret) =>
    Array.from({ length: secret.length + 40 }, (_, i) => text.indexOf(secret) - 38 + i)
      .filter((cut) => cut > 1 && cut < text.length)
      .flatMap((cut) => shown(text, cut, secret, text.indexOf(secret))),
  );
  expect(leaks).toEqual([]);
});

test('the seam that camofox puts between head and tail is a cut on both sides', () => {
  const seam =
    '[... truncated at char 74800 of 190270. Call snapshot with offset=74800 to see more. Pagination links below. ...]';
  const text = `- main:\n  - link "dl" [e1]:\n    - /url: /announce/5ec2e7ab\n${seam}\nhunter2 horse\n- link "Next" [e2]`;
  const safe = clean(text);
  expect(safe).not.toMatch(/5ec2e7|hunter2|horse/);
  expect(safe).toContain(seam);
  expect(safe).toContain('- link "Next" [e2]');
});
