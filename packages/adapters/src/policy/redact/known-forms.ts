import { marker } from './marker.ts';

/** A known secret in one way of writing it; escapes of single characters are read where they stand, see `written.ts`. */
export interface SecretForm {
  readonly text: string;
  /** Letters of either case count as equal. */
  readonly anyCase: boolean;
  /** Only as a whole word, since parts of words read the same. */
  readonly whole: boolean;
}

/** Shortest secret that is searched for, characters. Anything shorter would mask half of every page. */
export const shortestSecret = 4;
/** From this length on a secret is found inside words, too; below, only as a word of its own. */
const shortestInside = 8;
/** Least length of a derived form (base64, hex): shorter ones occur by chance. */
const shortestDerived = 8;

/**
 * The ways of writing `secret` as a whole: as it is, with its blanks squeezed, as `+` or
 * unbreakable, in base64 and in hex.
 */
export function formsOf(secret: string): SecretForm[] {
  const whole = secret.length < shortestInside;
  const forms = new Map<string, SecretForm>();
  const add = (text: string, anyCase: boolean, least: number) => {
    if (text.length >= least && !marker.includes(text)) forms.set(text, { text, anyCase, whole });
  };
  add(secret, false, shortestSecret);
  const squeezed = secret.replace(/\s+/g, ' ');
  add(squeezed, false, shortestSecret);
  add(squeezed.replaceAll(' ', '+'), false, shortestSecret);
  add(squeezed.replaceAll(' ', '\u00a0'), false, shortestSecret);
  const bytes = new TextEncoder().encode(secret);
  for (const code of base64Forms(bytes)) {
    add(code, false, shortestDerived);
    add(code.replaceAll('+', '-').replaceAll('/', '_'), false, shortestDerived);
  }
  add(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''), true, shortestDerived);
  return [...forms.values()];
}

/** What a base64 text contains when the secret lies in it at each of the three possible places; bits shared with neighbours are left out. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const code = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '');
    const from = offset === 0 ? 0 : offset + 1;
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return code.slice(from, whole);
  });
}
