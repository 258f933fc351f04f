import { isAlnum, isBlank, isQuote } from './characters.ts';
import { maskCookies } from './cookies.ts';
import { onStem } from './names.ts';
import { isPlaceholder } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { mark, type Sheet } from './sheet.ts';

const curlRule = ruleIndex('command-user');
const ircRule = ruleIndex('irc-command');
const pemRule = ruleIndex('private-key');

/** How much of a command line is read. */
const reach = 1500;

const userOption = /\s(?:-u|-U|--user|--proxy-user)[ =]{0,2}["']?([^\s"':]{0,100}):([^\s"']{1,300})/g;
const cookieOption = /\s(?:-b|--cookie)[ =]{1,2}(["'])([^"'\r\n]{1,1000})\1/g;

/** Credentials in the options of a curl command: `-u name:password`, `-b "cookies"`. */
export function onCurl(sheet: Sheet, end: number): number {
  if (!isBlank(sheet.text.charCodeAt(end)) || end < sheet.commandDone) return end;
  const line = /^[^\r\n]*/.exec(sheet.text.slice(end, Math.min(sheet.to, end + reach)))?.[0] ?? '';
  sheet.commandDone = end + line.length;
  for (const match of line.matchAll(userOption)) {
    const secret = match[2] ?? '';
    const to = end + match.index + match[0].length;
    if (!isPlaceholder(secret)) mark(sheet, curlRule, to - secret.length, to);
  }
  for (const match of line.matchAll(cookieOption)) {
    const to = end + match.index + match[0].length - 1;
    maskCookies(sheet, to - (match[2] ?? '').length, to);
  }
  return end;
}

/** IRC services and bots: `IDENTIFY [nick] password`, `!invite nick key`. Other uses of the words are names. */
export function onCommand(sheet: Sheet, start: number, end: number): number {
  const { text } = sheet;
  const bang = text.charCodeAt(start - 1);
  const isInvite = (text.charCodeAt(start) | 32) === 105 && end - start === 6;
  const isCommand = isInvite ? bang === 33 : bang === 58 || text.slice(start, end) === 'IDENTIFY';
  if (!isCommand || !isBlank(text.charCodeAt(end))) return isInvite ? onStem(sheet, start, end) : end;
  const words: [number, number][] = [];
  let at = end;
  while (at < sheet.to && words.length < 4) {
    while (isBlank(text.charCodeAt(at))) at++;
    const from = at;
    while (
      at < sheet.to &&
      at < from + 200 &&
      text.charCodeAt(at) > 32 &&
      !isQuote(text.charCodeAt(at)) &&
      text.charCodeAt(at) !== 92
    )
      at++;
    if (at === from) break;
    words.push([from, at]);
  }
  const last = words.at(-1);
  if (last === undefined || (isInvite && words.length < 2)) return end;
  const written = text.slice(last[0], last[1]);
  if (!isPlaceholder(written)) mark(sheet, ircRule, last[0], last[1]);
  return last[1];
}

const pemHead = /BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;

/** The body of a PEM private key, up to its end line or as far as the text goes. */
export function onPrivateKey(sheet: Sheet, start: number, end: number): number {
  const { text } = sheet;
  if (text.charCodeAt(start - 1) !== 45) return end;
  pemHead.lastIndex = start;
  if (pemHead.exec(text) === null) return end;
  const from = pemHead.lastIndex;
  const limit = Math.min(sheet.to, from + 4096);
  let at = from;
  while (at < limit && !(text.charCodeAt(at) === 45 && text.startsWith('-----END', at))) at++;
  while (at > from && !isAlnum(text.charCodeAt(at - 1)) && text.charCodeAt(at - 1) !== 61) at--;
  mark(sheet, pemRule, from, at);
  return Math.max(end, at);
}
