/** What a torrent file can hold (BEP 3). Text is written as UTF-8. */
export type Bencodable = number | string | Buffer | readonly Bencodable[] | { readonly [key: string]: Bencodable };

/** Bencodes a value; keys of dictionaries are sorted by their bytes, as BEP 3 asks, so equal values have equal bytes. */
export function bencode(value: Bencodable): Buffer {
  if (typeof value === 'number') return Buffer.from(`i${value}e`);
  if (typeof value === 'string') return bencode(Buffer.from(value, 'utf8'));
  if (Buffer.isBuffer(value)) return Buffer.concat([Buffer.from(`${value.length}:`), value]);
  if (isList(value)) return Buffer.concat([Buffer.from('l'), ...value.map(bencode), Buffer.from('e')]);
  const entries = Object.entries(value)
    .map(([key, item]) => [Buffer.from(key, 'utf8'), item] as const)
    .toSorted(([one], [other]) => Buffer.compare(one, other));
  return Buffer.concat([
    Buffer.from('d'),
    ...entries.flatMap(([key, item]) => [bencode(key), bencode(item)]),
    Buffer.from('e'),
  ]);
}

function isList(value: Bencodable): value is readonly Bencodable[] {
  return Array.isArray(value);
}
