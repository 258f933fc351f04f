import { isAlnum } from './characters.ts';
import type { KeyKind } from './classify-key.ts';
import { isEmptyWord, isPlaceholder, isStateWord } from './marker.ts';
import { isCamel, isCode, isMeasure, isMixedHex, isTokenish, isUuid, looksRandom, shapeOf } from './shapes.ts';

/** How a value was bound to its name. */
export interface Binding {
  /** Name and value touch, or are quoted as in JSON; false in prose and labels. */
  readonly tight: boolean;
  /** A parameter of an address or a form body: `name=value`. */
  readonly parameter: boolean;
  /** Nothing but blanks stands between the two. */
  readonly loose?: boolean;
  /** A word such as "is", or a colon some words on, stands between the two. */
  readonly told?: boolean;
  /** The name is an identifier of several words, which prose has none of. */
  readonly compound?: boolean;
}

/** Whether `value`, bound to a name of this kind, is a secret. */
export function isSecretValue(kind: KeyKind, value: string, binding: Binding): boolean {
  if (value === '') return false;
  if (kind === 'secret' && binding.tight && value.length > 16 && isRun(value)) return !/^x+$/i.test(value);
  if (isPlaceholder(value)) return false;
  switch (kind) {
    case 'password':
      return isPassword(value, binding);
    case 'secret':
      return binding.tight ? isTightSecret(value) : isLooseSecret(value, binding);
    case 'pass':
      return binding.tight ? isTightSecret(value) && value.length >= 4 : isTokenish(value, 8) && isStrong(value, 12);
    case 'code':
    case 'recovery':
      return isCodeValue(value, binding);
    case 'session':
      return !isUuid(value) && isStrong(value, 12);
    case 'weak':
      return isUuid(value) || (binding.tight ? isWeakSecret(value) : isStrong(value, 12));
    case 'hash':
      return (binding.parameter || binding.tight) && isSessionHash(value);
    case 'cookie':
    case 'authorization':
    default:
      // Cookies and authorizations have a syntax of their own; what is left of them here goes.
      return true;
  }
}

const shortWord = /^[A-Za-z]{1,4}[.,;:!?]?$/;

function isPassword(value: string, binding: Binding): boolean {
  if (isEmptyWord(value)) return false;
  if (binding.tight) return true;
  if (binding.loose === true) return binding.told === true ? isPasswordLike(value) : isLooseSecret(value, binding);
  if (/^[A-Za-z_$][\w$.]*\(/.test(value) || /\.(?:password|pass|pwd)$/i.test(value)) return false;
  return !isStateWord(value) && !shortWord.test(value) && !/^[([{<]/.test(value) && !/^\d+-\d+$/.test(value);
}

/** Letters and digits only: most keys are, and nothing else has to be asked of a long one. */
function isRun(value: string): boolean {
  for (let i = 0; i < value.length; i++) if (!isAlnum(value.charCodeAt(i))) return false;
  return true;
}

function isTightSecret(value: string): boolean {
  if (value.length < 4 || isStateWord(value) || isMeasure(value)) return value.length >= 6 && /^\d+$/.test(value);
  // Keys and tokens have no blanks in them: a sentence about one stays.
  if (/\s/.test(value)) return isStrong(value, 10);
  return !/^[a-z]+_[a-z_]+$/.test(value);
}

/** A call or a property path: `keyOf(…`, `house.resolveSecret`. */
function isCodeText(value: string): boolean {
  return /^[A-Za-z_$][\w$.]*\(/.test(value) || /^[A-Za-z_$][A-Za-z_$]*(?:\??\.[A-Za-z_$][A-Za-z_$]*){1,4}$/.test(value);
}

function isLooseSecret(value: string, { loose = false, compound = false }: Binding): boolean {
  if (isStateWord(value)) return false;
  if (isCodeText(value)) return false;
  if (compound && !loose && value.length >= 8 && /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) && !isCamel(value)) return true;
  if (!loose && isMixedWord(value)) return true;
  return (
    isUuid(value) ||
    (loose ? isTokenish(value, 8) && isStrong(value, 8) : isTokenish(value, 6) || /^\d{6,}$/.test(value))
  );
}

function isCodeValue(value: string, { tight, loose = false }: Binding): boolean {
  const bare = value.replace(/[.,;:!?]+$/, '');
  if (isStateWord(bare)) return false;
  if (loose) return (/^\d{4,8}$/.test(bare) && !/^(?:19|20)\d\d$/.test(bare)) || (/[- ]/.test(bare) && isCode(bare));
  if (tight)
    return (
      /^\d{3,}$/.test(bare) ||
      isTokenish(bare, 4) ||
      (bare.length >= 6 && !/\s/.test(bare) && !isMeasure(bare) && !/^[a-z]+$/.test(bare))
    );
  return isCode(bare) || isTokenish(bare, 8);
}

/** A run of capitals and small letters in no order that a name would have. */
export function isMixedWord(value: string): boolean {
  if (!/^[A-Za-z]{10,}$/.test(value)) return false;
  const { turns, lowers, uppers } = shapeOf(value, 0, value.length);
  return lowers > 0 && uppers > 0 && turns >= 4;
}

/** A word that could be a password and hardly anything else: no blanks, and a digit, a sign or irregular case in it. */
export function isPasswordLike(value: string): boolean {
  if (
    !/^[\x21-\x7e]{5,}$/.test(value) ||
    isMeasure(value) ||
    isStateWord(value) ||
    /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
  )
    return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return true;
  return isTokenish(value, 5) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) || /[^\w.,:;!?/=-]|[!?](?=\w)/.test(value);
}

/** A run in `value` that nobody would write by hand: long hex, or random from `least` characters on. */
export function isStrong(value: string, least: number): boolean {
  for (let start = 0; start < value.length; start++) {
    if (!isAlnum(value.charCodeAt(start))) continue;
    let end = start + 1;
    while (end < value.length && isAlnum(value.charCodeAt(end))) end++;
    if (end - start >= Math.min(12, least)) {
      const shape = shapeOf(value, start, end);
      if ((shape.length >= 12 && isMixedHex(shape)) || (shape.length >= least && looksRandom(shape))) return true;
    }
    start = end;
  }
  return false;
}

function isWeakSecret(value: string): boolean {
  return value.length >= 8 && !isMeasure(value) && isStrong(value, 8);
}

/** `hash=` of a session (32 hex, or base62), not the info-hash of a torrent client (40 hex), nor the name of a digest. */
function isSessionHash(value: string): boolean {
  const shape = shapeOf(value, 0, value.length);
  return shape.hex ? value.length === 32 : value.length >= 20 && looksRandom(shape);
}
