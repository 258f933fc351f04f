import { describe, expect, test } from 'vitest';
import { loadDefinition } from './definition.ts';
import { findLoginError, formDemands, readLoginState } from './login-page.ts';
import { parsePage } from './page.ts';

const variables = new Map([['Config.username', 'anna']]);
const definitionOf = (login: string) =>
  loadDefinition(
    `id: synthetic\nname: Synthetic\nlinks: [https://tracker.example/]\nlogin:\n${login.replaceAll(/^/gm, '  ')}\nsearch: {path: a, rows: {selector: tr}, fields: {title: {selector: td}}}`,
    'synthetic.yml',
  );
const pageOf = (html: string) => parsePage('https://tracker.example/index.php', html);

describe('who is logged in', () => {
  const definition = definitionOf(
    'test: {path: /, selector: \'a[href="logout.php"], b:contains("{{ .Config.username }}")\'}',
  );

  test.each([
    ['the link that only members see', '<a href="logout.php">out</a>', true, '1 matching elements'],
    ['a selector with a setting in it', '<b>anna</b>', true, '1 matching elements'],
    ['a login form instead', '<form><input type=PASSWORD></form>', false, 'no match; the page asks for a password'],
    ['something else', '<p>hello</p>', false, 'no match'],
  ])('by the test of the definition: %s', (_, html, loggedIn, found) => {
    expect(readLoginState(pageOf(html), definition, variables)).toMatchObject({ loggedIn, found });
  });

  test.each([
    ['<p>hello</p>', true],
    ['<input type="password">', false],
  ])('without a test, by whether the page asks for a password: %s', (html, loggedIn) => {
    expect(readLoginState(pageOf(html), definitionOf('path: login.php'), variables)).toMatchObject({
      loggedIn,
      selector: null,
    });
  });
});

describe('why a login was refused', () => {
  const definition = definitionOf(`error:
  - selector: :root:contains("Account is Banned")
    message: {text: banned}
  - selector: td.embedded:has(h2:contains("failed"))
    message: {selector: td.text, remove: b}
  - selector: div.error`);

  test.each([
    ['<div class=error> Wrong\n password </div>', 'div.error', 'Wrong password'],
    ['<td class=embedded>', null, null],
    [
      '<table><td class=embedded><h2>Login failed!</h2></td><td class=text>5 <b>bold</b> left</td></table>',
      'td.embedded:has(h2:contains("failed"))',
      '5 left',
    ],
    ['<p>Your Account is Banned</p>', ':root:contains("Account is Banned")', 'banned'],
    ['<p>welcome</p>', null, null],
  ])('%s', (html, selector, message) => {
    expect(findLoginError(pageOf(html), definition, variables)).toEqual(
      selector === null ? null : { selector, message },
    );
  });

  test('a very long message is cut', () => {
    const found = findLoginError(pageOf(`<div class=error>${'x'.repeat(9_000)}</div>`), definition, variables);
    expect(found?.message).toHaveLength(300);
  });
});

test.each([
  ['<img src="pic.php?1">', { captcha: true, secondFactor: false }],
  ['<div class="cf-turnstile"></div>', { captcha: true, secondFactor: false }],
  ['<img alt="CAPTCHA">', { captcha: true, secondFactor: false }],
  ['<input name="otp">', { captcha: false, secondFactor: true }],
  ['<input type=hidden name="otp">', { captcha: false, secondFactor: false }],
  ['<input type=password><img src="logo.png">', { captcha: false, secondFactor: false }],
])('what a form demands of a person: %s', (html, expected) => {
  const { login } = definitionOf('captcha: {type: image, selector: \'img[src^="pic.php"]\', input: code}');
  expect(formDemands(pageOf(html), login, variables)).toEqual(expected);
});
