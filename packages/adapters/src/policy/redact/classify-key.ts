import { isDigit, isLower, isUpper, plainText } from './characters.ts';
import {
  aboutWords,
  keyNouns,
  keyOwners,
  codeParts,
  codeWords,
  passwordParts,
  passwordWords,
  publicKeys,
  recoveryParts,
  secretEndings,
  sessionWords,
  weakWords,
} from './key-words.ts';

/**
 * What a name says of its value.
 *
 * `password`: any value goes. `secret`: any value that is no word for a state. `pass`: as `secret`, but only where a
 * value is assigned. `code`, `recovery`: digits and groups. `session`, `weak`, `hash`: only what looks like a token.
 * `cookie`, `authorization`: a value with a syntax of its own.
 */
export type KeyKind =
  | 'password'
  | 'secret'
  | 'pass'
  | 'code'
  | 'recovery'
  | 'session'
  | 'weak'
  | 'hash'
  | 'cookie'
  | 'authorization';

const known = new Map<string, KeyKind | null>();
/** Names come from pages, so the memory of them is bounded. */
const mostKnown = 4000;

/** What the identifier `name` names, or null. Any case, camel case, `_`, `-`, `.` and `[]`; full-width and accented letters too. */
export function classifyKey(name: string): KeyKind | null {
  const before = known.get(name);
  if (before !== undefined) return before;
  const kind = classify(name);
  if (known.size >= mostKnown) known.clear();
  known.set(name, kind);
  return kind;
}

/** The words of an identifier, lower case: `X-Plex-Token` and `xPlexToken` give `x plex token`. */
export function wordsOf(name: string): string[] {
  const words: string[] = [];
  let start = 0;
  const push = (end: number) => {
    if (end > start) words.push(name.slice(start, end).toLowerCase());
  };
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i);
    const letter = isLower(c) || isUpper(c) || isDigit(c);
    if (!letter) {
      push(i);
      start = i + 1;
    } else if (isUpper(c) && i > start) {
      const before = name.charCodeAt(i - 1);
      if (!isUpper(before) || isLower(name.charCodeAt(i + 1))) {
        push(i);
        start = i;
      }
    }
  }
  push(name.length);
  return words;
}

function classify(raw: string): KeyKind | null {
  const words = wordsOf(plainAscii(raw));
  // `password2`, `hashv2`, `csrf_token_1`
  while (words.length > 1 && /^v?\d+$/.test(words.at(-1) ?? '')) words.pop();
  const last = (words.at(-1) ?? '').replace(/(?<=[a-z]{3})v?\d+$/, '');
  if (last === '') return null;
  words[words.length - 1] = last;
  const joined = words.join('');
  if (words.length > 8 || (publicKeys.has(joined) && joined !== 'hash')) return null;
  if (words.length > 1 && publicKeys.has(words.slice(-2).join(''))) return null;
  const kind = rawKind(words, joined, last);
  if (kind === null || kind === 'authorization' || kind === 'cookie' || kind === 'hash' || kind === 'session')
    return kind;
  if (
    kind === 'secret' &&
    /(?:token|secret)$/.test(last) &&
    words.every((word) => !aboutWords.has(word) || ofTokens.has(word))
  ) {
    return joinedAbout.test(joined) ? 'weak' : kind;
  }
  return isAbout(words, joined) ? 'weak' : kind;
}

/** Folds full-width and accented letters, keeps case so that camel case can be read. */
function plainAscii(raw: string): string {
  for (let i = 0; i < raw.length; i++) if (raw.charCodeAt(i) > 127) return plainText(raw);
  return raw;
}

function rawKind(words: readonly string[], joined: string, last: string): KeyKind | null {
  if (last === 'authorization') return 'authorization';
  if (joined === 'cookie' || joined === 'setcookie' || joined.endsWith('documentcookie') || joined === 'cookie2')
    return 'cookie';
  if (words.length > 1 && last === 'cookie') return 'cookie';
  if (passwordParts.some((part) => joined.includes(part)) || words.some((word) => passwordWords.has(word)))
    return 'password';
  if (recoveryParts.some((part) => joined.includes(part))) return 'recovery';
  if (secretEndings.some((end) => joined.endsWith(end))) return 'secret';
  if (codeParts.some((part) => joined.includes(part)) || words.some((word) => codeWords.has(word))) return 'code';
  if (joined.includes('sessid')) return 'secret';
  if (last === 'pass') return 'pass';
  if (last.endsWith('pass') && last.length > 5) return 'weak';
  if (words.some((word) => sessionWords.has(word))) return 'session';
  if (last === 'hash')
    return words.length > 1 &&
      words.some((word) => /^(?:user|member|login|logout|form|down|please|pass|session)$/.test(word))
      ? 'secret'
      : 'hash';
  if (words.length > 1 && keyNouns.has(last) && words.some((word) => keyOwners.has(word))) return 'secret';
  if (weakWords.has(last) || /(?:key|auth|sid)$/.test(last)) return 'weak';
  // The noun is not the last word: `token_value`, `apiKeyHeader`, `hash_please`.
  if (/(?:passkey|apikey|token|secret|authkey|rsskey)/.test(joined)) return 'weak';
  return null;
}

/** Words that tell one token from another: `id_token`, `remember_token`. */
const ofTokens: ReadonlySet<string> = new Set(['id', 'form', 'remember', 'reset', 'left', 'page', 'header', 'state']);

const joinedAbout = /^(?:use|get|has|is|max|min|num|show|free)(?:pass|token|key|secret|auth)/;

function isAbout(words: readonly string[], joined: string): boolean {
  if (words.length === 1) return joinedAbout.test(joined);
  return words.some((word) => aboutWords.has(word));
}
