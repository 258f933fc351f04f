/** Bytes of the upper half of a one-byte encoding, by their characters. */
const tables = new Map<string, ReadonlyMap<string, number>>();

/**
 * Text as forms send it (`application/x-www-form-urlencoded`), in the encoding of the site: old trackers look for
 * Cyrillic words in windows-1251. What the encoding does not have goes as a character reference, as browsers do.
 * An unknown encoding is taken for UTF-8.
 */
export function formEncoded(text: string, encoding: string): string {
  const utf8 = new TextEncoder();
  const table = tableOf(encoding.toLowerCase());
  return Array.from(text, (char) => Array.from(bytesOf(char), written).join('')).join('');

  function bytesOf(char: string): Iterable<number> {
    if (table === null || char < '\u0080') return utf8.encode(char);
    const byte = table.get(char);
    return byte === undefined ? utf8.encode(`&#${char.codePointAt(0)};`) : [byte];
  }
}

function written(byte: number): string {
  const char = String.fromCharCode(byte);
  if (char === ' ') return '+';
  return /[\w*.-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function tableOf(encoding: string): ReadonlyMap<string, number> | null {
  if (/^utf-?8$/.test(encoding)) return null;
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const decoder = decoderOf(encoding);
  if (decoder === null) return null;
  const table = new Map<string, number>();
  for (let byte = 0x80; byte <= 0xff; byte += 1) table.set(decoder.decode(Uint8Array.of(byte)), byte);
  table.delete('\ufffd');
  tables.set(encoding, table);
  return table;
}

function decoderOf(encoding: string) {
  try {
    return new TextDecoder(encoding);
  } catch {
    return null;
  }
}
