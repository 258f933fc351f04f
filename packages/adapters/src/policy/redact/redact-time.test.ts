import { describe, expect, test } from 'vitest';
import { redact } from './redact.ts';
import { redactionRules } from './rules.ts';

const size = 20_000;
/** A hundred times what ordinary text takes on a slow machine; anything quadratic takes longer by far. */
const mostMs = 1000;

const spun = (start: string) => start.repeat(Math.ceil(size / start.length));

/** Text that almost matches is what makes a careless rule look back: beginnings of `line`, spun out three ways. */
const nearMisses = (line: string) =>
  [0.3, 0.6, 0.85, 1].flatMap((part) => {
    const start = line.slice(0, Math.max(1, Math.round(line.length * part)));
    return [spun(start), spun(`${start}\n`), start + (start.at(-1) ?? '').repeat(size)];
  });

/** Processor time, which other programs on the machine do not prolong. */
function timeMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const slow = (texts: readonly string[]) =>
  texts.filter((text) => timeMs(() => redact(text, { surface: 'a11y' })) > mostMs);

test.each(redactionRules)('$id reads near misses of its examples in linear time', ({ leaks }) => {
  expect(slow(leaks.flatMap(nearMisses)).map((text) => text.slice(0, 80))).toEqual([]);
});

const hostile = [
  '"',
  '\\',
  '@',
  'a@',
  '<',
  '<a ',
  '&amp;',
  '%25',
  '%',
  'key',
  'key=',
  'key=a&',
  'key=x,',
  'session:',
  '"password",',
  '{"type":"password",',
  '- cell "Passkey"\n',
  '- text: recovery code\n',
  '- textbox "x":\n',
  '- row "Passkey ',
  'Cookie: ',
  'Authorization: ',
  'Bearer ',
  'curl -u ',
  '0123456789abcdef',
  '/0123456789abcdef0123456789abcdef',
  'eyJ',
  'eyJhbGciOiJ9.',
  'cGFzc2tleT0x',
  'cGFzc2tleT0xcGFzc2tleT0x/',
  '\tTRUE\t',
  ' ',
  '密码',
  '密码：',
  'pa\u200B',
  String.raw`\u0026`,
  String.raw`\u0070`,
  '&#112;',
  'params: ["',
  'login("a",',
  '<td>Passkey</td>',
  '<input type="password" ',
  'name="password"\r\n',
  'http://',
  'http://a:b',
  '-----BEGIN PRIVATE KEY-----',
  '!invite a ',
  'token.',
  'passkey)',
  'passkey[',
  '{"a":',
  '\n[... truncated at char 1 of 2. x ...]\n',
  'a1b2-',
  'iVBORw0KGgo/',
];

describe('hostile pages', () => {
  test.each(hostile)('%j over and over', (piece) => {
    expect(slow([spun(piece), `<input name="password" ${spun(piece)}`, `"password":"${spun(piece)}`])).toEqual([]);
  });
});
