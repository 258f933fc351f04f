import { isAlnum, isDigit } from './characters.ts';

/** What stands in the place of a secret. */
export const marker = '[redacted]';

/**
 * Words that stand where a value is missing, or for its state. Never a secret, except where a password may be any word
 * (see `isEmptyWord`).
 */
const stateWords: ReadonlySet<string> = new Set(
  `absent active anonymous any auto basic bearer boolean changed code cookie csrf default deny denied digest disabled
   email empty enabled error expired failed false field forbidden form found generated guest header hidden incorrect
   integer invalid is key login logout locked manual masked missing must name needed no none not null number object
   off ok on only optional or password present query rejected removed required reset revoked secret session set string
   text token true type unauthorized undefined unknown unset user valid value verified was wrong yes`.split(/\s+/),
);

const emptyWords: ReadonlySet<string> = new Set(['null', 'none', 'undefined', 'true', 'false', 'nil', 'nan', 'n/a']);

const placeholder =
  /^(?:[[<({*]{0,2}(?:redacted|removed|hidden|masked|filtered|omitted|secret|protected)[\]>)}*]{0,2}|(?:\*|•|●|x|X|\.|-|_|…){2,}|%5Bredacted%5D|%s|\?)$/i;
/** Where a secret lives, in the form of `SecretRef`: never the secret itself. */
const reference = /^(?:env:[A-Za-z_]\w{0,127}|credential:[\w.-]{1,128}|site:[\w.-]{1,128}|file:\/\S{1,900})$/;
const template = /^(?:\$\{|\{\{|<%|%\(|#\{|\$\()/;

/** True where a value was masked already, by us or by whoever wrote the text, or is a template's gap or a reference to a secret. */
export function isPlaceholder(value: string): boolean {
  const c = value.charCodeAt(0);
  // Most values are too long for a placeholder that begins with a letter.
  if (isAlnum(c) && ((c | 32) === 120 ? (value.charCodeAt(1) | 32) !== 120 : value.length > 14 && !value.includes(':')))
    return false;
  return value.startsWith(marker) || placeholder.test(value) || template.test(value) || reference.test(value);
}

/** True for words such as `null`, `none` and `true`. */
export function isEmptyWord(value: string): boolean {
  return emptyWords.has(value.toLowerCase());
}

function hasDigit(value: string): boolean {
  for (let i = 0; i < value.length; i++) if (isDigit(value.charCodeAt(i))) return true;
  return false;
}

/** True for a word that describes a credential rather than being one: `missing`, `expired`, `required`. */
export function isStateWord(value: string): boolean {
  if (value.length > 16 || hasDigit(value)) return false;
  return stateWords.has(value.toLowerCase().replace(/[.,;:!?]+$/, '')) || isEmptyWord(value);
}
