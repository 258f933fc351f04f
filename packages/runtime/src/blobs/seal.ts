import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { BrowserError } from '@wheelhouse/contracts';
import type { Keyring, SealingKey } from './keyring.ts';

/** What a sealed file begins with: format, key id, salt. */
const magic = Buffer.from('WHSEAL1\n', 'latin1');
const idBytes = 8;
const saltBytes = 32;
const headerBytes = magic.length + idBytes + saltBytes;
/** Bytes of the file in one sealed part. */
const partBytes = 64 * 1024;
const tagBytes = 16;

/**
 * Seals a stream with AES-256-GCM in parts of 64 KiB (the STREAM construction: Hoang, Reyhanitabar, Rogaway, Vizár
 * 2015). Every file has a key of its own, derived from the given one and a random salt; the nonce counts the parts and
 * marks the last one, so that parts cannot be swapped, dropped or cut off.
 */
export async function* seal(
  source: AsyncIterable<Uint8Array>,
  key: SealingKey,
): AsyncGenerator<Buffer, void, undefined> {
  const header = Buffer.concat([magic, Buffer.from(key.id, 'hex'), randomBytes(saltBytes)]);
  yield header;
  const fileKey = fileKeyOf(key, header);
  let count = 0;
  for await (const { part, last } of parts(source, partBytes)) {
    const cipher = createCipheriv('aes-256-gcm', fileKey, nonceOf(count, last), { authTagLength: tagBytes });
    yield Buffer.concat([cipher.update(part), cipher.final(), cipher.getAuthTag()]);
    count += 1;
  }
}

/**
 * Opens what `seal` made. Bytes are handed on only after their part was found genuine.
 *
 * @throws BrowserError `blob_unreadable` for another key, a changed, cut or foreign file
 */
export async function* unseal(
  source: AsyncIterable<Uint8Array>,
  keyring: Pick<Keyring, 'find'>,
): AsyncGenerator<Buffer, void, undefined> {
  let header: Buffer | null = null;
  let fileKey: Uint8Array = new Uint8Array();
  let count = 0;
  const whole = parts(source, partBytes + tagBytes, headerBytes);
  for await (const { part, last } of whole) {
    if (header === null) {
      if (part.length < headerBytes || !part.subarray(0, magic.length).equals(magic) || last) throw unreadable();
      header = part;
      fileKey = fileKeyOf(
        await keyring.find(part.subarray(magic.length, magic.length + idBytes).toString('hex')),
        part,
      );
      continue;
    }
    if (part.length < tagBytes) throw unreadable();
    const decipher = createDecipheriv('aes-256-gcm', fileKey, nonceOf(count, last), { authTagLength: tagBytes });
    decipher.setAuthTag(part.subarray(part.length - tagBytes));
    const open = decipher.update(part.subarray(0, part.length - tagBytes));
    try {
      decipher.final();
    } catch (cause) {
      throw unreadable(cause);
    }
    yield open;
    count += 1;
  }
}

function fileKeyOf({ key }: SealingKey, header: Buffer): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, header.subarray(-saltBytes), header.subarray(0, -saltBytes), 32));
}

function nonceOf(count: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(count, 7);
  nonce.writeUInt8(last ? 1 : 0, 11);
  return nonce;
}

/**
 * The same bytes in parts of one size, after a first one of its own size if that is given; the last may be shorter, and
 * is empty for an empty stream.
 */
async function* parts(source: AsyncIterable<Uint8Array>, size: number, first?: number) {
  let held: Buffer[] = [];
  let length = 0;
  let want = first ?? size;
  for await (const chunk of source) {
    held.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    length += chunk.length;
    // A full part is kept back until more follows: it may be the last.
    if (length <= want) continue;
    let joined = Buffer.concat(held, length);
    while (joined.length > want) {
      yield { part: joined.subarray(0, want), last: false };
      joined = joined.subarray(want);
      want = size;
    }
    held = [joined];
    length = joined.length;
  }
  yield { part: Buffer.concat(held, length), last: true };
}

function unreadable(cause?: unknown): BrowserError {
  return new BrowserError('blob_unreadable', 'a stored file was changed, cut, or is none of ours', { cause });
}
