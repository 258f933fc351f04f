import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrowserError } from '@wheelhouse/contracts';
import { DownloadDecoder } from './download-decoder.ts';

interface Sent {
  readonly id: string;
  readonly name: string;
  readonly file: Uint8Array;
}

const sent = fc.record({
  id: fc.uuid(),
  // Page text that imitates the answer around it.
  name: fc.oneof(
    fc.string(),
    fc.constantFrom('"dataBase64":"eA=="', '\\', 'x","dataBase64":"', '种子.torrent', '{"id":"'),
  ),
  file: fc.uint8Array({ maxLength: 300 }),
});

function answer(files: readonly Sent[]): Buffer {
  const downloads = files.map(({ id, name, file }) => ({
    id,
    suggestedFilename: name,
    bytes: file.length,
    failure: null,
    dataBase64: Buffer.from(file).toString('base64'),
  }));
  return Buffer.from(JSON.stringify({ tabId: 't', downloads }));
}

function decode(whole: Buffer, id: string, cuts: readonly number[]): { bytes: Buffer; records: number } {
  const decoder = new DownloadDecoder(id);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const cut of [...cuts.map((at) => at % (whole.length + 1)), whole.length].toSorted((a, b) => a - b)) {
    parts.push(decoder.push(whole.subarray(from, cut)));
    from = cut;
  }
  return { bytes: Buffer.concat(parts), records: decoder.end().length };
}

test('S004-57 a file arrives byte by byte, wherever the answer is cut and whatever its neighbours are called', () => {
  const files = fc.uniqueArray(sent, { minLength: 1, maxLength: 4, selector: ({ id }) => id });
  fc.assert(
    fc.property(files, fc.nat(), fc.array(fc.nat(), { maxLength: 12 }), (all, which, cuts) => {
      const wanted = all[which % all.length];
      const { bytes, records } = decode(answer(all), wanted?.id ?? '', cuts);
      expect(bytes.equals(Buffer.from(wanted?.file ?? []))).toBe(true);
      expect(records).toBe(all.length);
    }),
    { numRuns: 1_000 },
  );
});

test('one byte at a time is the same file', () => {
  const whole = answer([{ id: 'a', name: 'x', file: Buffer.from('fixture\n') }]);
  expect(decode(whole, 'a', [...whole.keys()]).bytes.toString()).toBe('fixture\n');
});

test.each([
  ['cut off', '{"downloads":[{"id":"a","dataBase64":"eA'],
  ['a page', '<html>"dataBase64":"eA=="</html>'],
  ['data before its id', '{"downloads":[{"dataBase64":"eA==","id":"a"}]}'],
  ['no list', '{"error":"gone"}'],
])('an answer that is %s is an error, never a shorter file', (_what, text) => {
  const read = () => {
    const decoder = new DownloadDecoder('a');
    decoder.push(Buffer.from(text));
    return decoder.end();
  };
  expect(read).toThrow(BrowserError);
});
