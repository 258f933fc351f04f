import { createHmac } from 'node:crypto';

const stepMs = 30_000;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The six-digit code of RFC 6238 (SHA-1, 30 seconds) for a base32 secret at a time in milliseconds. */
export function totp(secretBase32: string, atMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / stepMs)));
  const digest = createHmac('sha1', fromBase32(secretBase32)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** Whether a code is right now, or was or will be within one step (30 seconds), as RFC 6238 section 5.2 allows. */
export function isTotp(secretBase32: string, code: string, atMs: number): boolean {
  return [-stepMs, 0, stepMs].some((drift) => totp(secretBase32, atMs + drift) === code.trim());
}

/** Bytes as base32 without padding (RFC 4648), the form in which authenticator apps take secrets. */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((group) => alphabet[parseInt(group.padEnd(5, '0'), 2)] ?? '').join('');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((group) => parseInt(group, 2)));
}
