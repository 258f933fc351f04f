import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readBencode } from './bencode.ts';
import { judgeTorrent } from './torrent.ts';

const folder = new URL('../../fixtures/torrents/', import.meta.url);
const Manifest = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      what: z.string(),
      valid: z.boolean(),
      expect: z.string().optional(),
      infoHashV1: z.string().nullish(),
      infoHashV2: z.string().nullish(),
    }),
  ),
});
const { files } = Manifest.parse(JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')));

const judged = (file: string) => judgeTorrent(readFileSync(new URL(file, folder)));

test.each(files.filter(({ valid }) => valid))(
  'S004-26 $file ($what) is sound, with its info-hashes',
  ({ file, infoHashV1, infoHashV2 }) => {
    const facts = { infoHashV1: infoHashV1 ?? null, infoHashV2: infoHashV2 ?? null };
    expect(judged(file)).toMatchObject({ valid: true, facts });
  },
);

test.each(files.filter(({ valid }) => !valid))('S004-26 $file ($what) is refused', ({ file, expect: problem }) => {
  expect(judged(file)).toEqual({ valid: false, problem });
});

test('a torrent cut anywhere is no torrent', () => {
  const whole = readFileSync(new URL('07-hybrid-v1-v2.torrent', folder));
  for (let at = 0; at < whole.length; at += 1) expect(judgeTorrent(whole.subarray(0, at)).valid).toBe(false);
});

test('no bytes make the judge throw', () => {
  const alphabet = [...Buffer.from('ilde0123456789:-infopathname')];
  const bytes = fc.uint8Array({ maxLength: 200 });
  const likely = fc.array(fc.constantFrom(...alphabet), { maxLength: 200 }).map((codes) => Uint8Array.from(codes));
  fc.assert(
    fc.property(fc.oneof(bytes, likely), (input) => {
      expect(judgeTorrent(input).valid).toBeTypeOf('boolean');
    }),
    { numRuns: 2_000 },
  );
});

test('what was encoded is read back, byte for byte', () => {
  const { tree } = fc.letrec<{ tree: string | bigint | unknown[] }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string({ maxLength: 20 }),
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      fc.array(tie('tree')),
    ),
  }));
  const encode = (value: unknown): string =>
    typeof value === 'bigint'
      ? `i${value}e`
      : typeof value === 'string'
        ? `${Buffer.byteLength(value)}:${value}`
        : `l${(value as unknown[]).map(encode).join('')}e`;
  const decode = (value: ReturnType<typeof readBencode>): unknown =>
    value.kind === 'integer'
      ? value.value
      : value.kind === 'string'
        ? Buffer.from(value.bytes).toString('utf8')
        : value.kind === 'list'
          ? value.items.map(decode)
          : null;
  fc.assert(
    fc.property(tree, (value) => {
      expect(decode(readBencode(Buffer.from(encode(value))))).toEqual(value);
    }),
  );
});

test.each([
  ['C:\\Windows', 'path-traversal'],
  ['a\\..\\b', 'path-traversal'],
  ['c:evil', 'path-traversal'],
  ['aux.mkv', 'path'],
  ['line\nbreak', 'path'],
  ['', 'path'],
])('a name %j leads nowhere', (name, problem) => {
  const info = `d6:lengthi1e4:name${Buffer.byteLength(name)}:${name}12:piece lengthi16384e6:pieces20:${'x'.repeat(20)}e`;
  expect(judgeTorrent(Buffer.from(`d4:info${info}e`))).toEqual({ valid: false, problem });
});
