/** One way in which a secret may be written. */
export interface Encoded {
  readonly encoding: string;
  readonly bytes: Buffer;
}

const percent = (bytes: Uint8Array, upper: boolean) =>
  Array.from(bytes, (byte) => {
    const hex = byte.toString(16).padStart(2, '0');
    return `%${upper ? hex.toUpperCase() : hex}`;
  }).join('');
const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const units = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
const json = (text: string) => JSON.stringify(text).slice(1, -1);

const ways: Readonly<Record<string, (value: string) => readonly string[]>> = {
  plain: (value) => [value],
  percent: (value) => [encodeURIComponent(value), new URLSearchParams({ v: value }).toString().slice(2)],
  'percent of all': (value) => [percent(Buffer.from(value), true), percent(Buffer.from(value), false)],
  'double percent': (value) => [
    encodeURIComponent(encodeURIComponent(value)),
    percent(Buffer.from(value), true).replaceAll('%', '%25'),
  ],
  json: (value) => [json(value), json(value).replaceAll('/', '\\/')],
  'json twice': (value) => [json(json(value))],
  'json of all': (value) => [
    units(value)
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  ],
  html: (value) => [value.replaceAll(/[&<>"']/g, (sign) => named[sign] ?? sign)],
  'html decimal': (value) => [Array.from(value, (sign) => `&#${sign.codePointAt(0)};`).join('')],
  'html hex': (value) => [Array.from(value, (sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join('')],
  'base64 at 0': (value) => base64(value, 0),
  'base64 at 1': (value) => base64(value, 1),
  'base64 at 2': (value) => base64(value, 2),
  hex: (value) => [Buffer.from(value).toString('hex'), Buffer.from(value).toString('hex').toUpperCase()],
};

/** Names of all encodings. */
export const encodings: readonly string[] = Object.keys(ways);

/** Base64 and base64url of a value that begins at this place of a group of three; what neighbours share is left out. */
function base64(value: string, offset: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const from = offset === 0 ? 0 : offset + 1;
  const code = bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6));
  return [code, code.replaceAll('+', '-').replaceAll('/', '_')];
}

/** A secret in every encoding, each text once. */
export function encodedForms(value: string): readonly Encoded[] {
  const seen = new Set<string>();
  return Object.entries(ways).flatMap(([encoding, write]) =>
    write(value)
      .filter((text) => !seen.has(text) && seen.add(text).size > 0)
      .map((text) => ({ encoding, bytes: Buffer.from(text) })),
  );
}
