import { BrowserError } from '@wheelhouse/contracts';
import { array, assert as assertProperty, constantFrom, pre, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSelector, parsePage, select } from './page.ts';
import { cssSelectors } from './selector-syntax.ts';

const page = parsePage(
  'https://tracker.example/browse.php',
  `<html><head><title>Browse</title></head><body><div id=wrap class="Box">
    <table id="t"><tbody>
      <tr class="row"><td><a href="details.php?id=1&hit=1">One (2024)</a></td><td><a href="download.php?id=1">get</a></td><td></td></tr>
      <tr class="row free"><td><a href="details.php?id=2">Two HDTV</a></td><td><a href="download.php?id=2">get</a></td><td><b>x</b></td></tr>
      <tr class="ad"><td colspan="3">say "hi(" to us, [now]</td></tr>
    </tbody></table><font color="RED">warning</font></div></body></html>`,
);
const count = (selector: string) => select(page, selector).length;

describe('selectors as definitions write them', () => {
  test.each([
    ['tr.row', 2],
    ['table#t > tbody > tr:has(a[href^="details.php?id="])', 2],
    ['a[href^="details.php"][href*=hit]', 1],
    ['a[href^=details.php?id=]', 2],
    ["a[href='download.php?id=2']", 1],
    ['a[href$="=2"], a[href$="hit=1"]', 3],
    ['tr:not(.ad) > td:nth-child(2) a', 2],
    ['tr:nth-last-child(1)', 1],
    ['td:last-child:empty', 1],
    ['tr td:first-of-type', 3],
    ['tr:contains("HDTV")', 1],
    ['tr:contains(hdtv)', 0],
    ["td:contains('One (2024)')", 1],
    ['td:contains(One \\(2024\\))', 1],
    ['td:contains("hi(")', 1],
    ['td:contains("\\"hi(\\"")', 1],
    ['td:contains("[now]")', 1],
    ['a:not(:contains("HDTV"))a:not([href*="download"])', 1],
    ['td:nth-child(1) a:contains("One"),:contains("nothing")', 1],
    ['tr.row:has(td > b), ', 1],
    [':root:contains("warning")', 1],
    ['font[color="red" i]', 1],
    ['div[class="Box"]', 1],
    ['div[class~=Box]', 1],
    ['td[colspan]', 1],
    ['*', 23],
  ])('%s matches %d', (selector, expected) => {
    expect(count(selector)).toBe(expected);
  });

  test.each([
    ['td:nth-child(2n+1)', 'td:is(:nth-child(1), :nth-child(3))'],
    ['td:nth-child( -n + 2 )', 'td:not(:nth-child(3))'],
    ['td:nth-child(odd)', 'td:nth-last-child(odd)'],
    ['td:nth-child(even)', 'td:has(a[href^="download"])'],
    ['td:nth-last-child(n+2)', 'td:not(:last-child)'],
    ['tr > td:first-child', 'td:nth-of-type(1)'],
    ['tr:last-of-type', 'tr:nth-last-of-type(1)'],
    ['font:first-of-type', 'font'],
    ['td:nth-child(0), td:nth-child(-1), td:nth-child(9)', 'td:nth-child(-n)'],
  ])('counting: %s is %s', (selector, same) => {
    expect(select(page, selector).toArray()).toEqual(select(page, same).toArray());
  });

  test('counting follows what is taken out', () => {
    const cut = parsePage('about:blank', '<p>1</p><p>2</p><p>3</p>');
    expect(select(cut, 'p:nth-child(2)').text()).toBe('2');
    select(cut, 'p:first-child').remove();
    expect(select(cut, 'p:nth-child(2)').text()).toBe('3');
    expect(select(cut, 'p:last-child').text()).toBe('3');
  });

  test('inside a row, a selector may begin outside it, and may be the row itself', () => {
    const row = select(page, 'tr.free');
    expect(select(page, 'table#t td > a', row)).toHaveLength(2);
    expect(select(page, 'table#t td:nth-child(2) > a, td:last-child b', row)).toHaveLength(2);
    expect(select(page, 'tr.free', row).is('tr')).toBe(true);
    expect(select(page, ':root title', row).text()).toBe('Browse');
    expect(select(page, 'tr.ad', row)).toHaveLength(0);
  });

  test.each([
    'tr:has()',
    'a[href',
    'a:contains("x"',
    'a:nosuch(1)',
    'td:nth-child(x)',
    'a >',
    'a,,b',
    'td:nth-child(2 of a)',
    'a >> b',
    '',
    '!',
    `a${':not(a'.repeat(30)}${')'.repeat(30)}`,
    'a'.repeat(20_000),
  ])('one that does not compile is named: %s', (selector) => {
    expect(() => checkSelector(selector)).toThrow(BrowserError);
  });

  test('any text as a selector matches, or is refused', () => {
    const pieces = constantFrom(
      'a',
      'td',
      '.row',
      '#t',
      '[',
      ']',
      '(',
      ')',
      ':has',
      ':contains',
      ':not',
      '"',
      "'",
      '\\',
      '=',
      '^=',
      ' ',
      '>',
      ',',
      'href',
      '1',
      ':',
      '*',
      'é',
    );
    expect(() =>
      assertProperty(
        property(array(pieces, { maxLength: 12 }), (parts) => {
          try {
            return count(parts.join('')) >= 0;
          } catch (error) {
            return BrowserError.is(error) && error.code === 'definition_unsupported';
          }
        }),
        { numRuns: 1_000 },
      ),
    ).not.toThrow();
  });

  test('any text can be looked for with :contains, however it is quoted', () => {
    expect(() =>
      assertProperty(
        property(string({ unit: 'grapheme', minLength: 1 }), (text) => {
          // What a parser of HTML keeps as it is.
          pre(!/[\0\r\n\f"\\]|^\s|\s$/.test(text));
          const with1 = parsePage('about:blank', `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`);
          return select(with1, `p:contains("${text}")`).length === 1;
        }),
      ),
    ).not.toThrow();
  });
});

test('a page over 16 million characters is not parsed', () => {
  expect(() => parsePage('about:blank', 'x'.repeat(16 * 1024 * 1024 + 1))).toThrow('larger than 16 MiB');
});

test('a page cannot hang or end the program by its depth', () => {
  const deep = (tag: string) => () => parsePage('about:blank', tag.repeat(200_000));
  for (const tag of [
    '<div>',
    '<DIV></x>',
    '<b a=1><p>',
    '<!----><i>',
    '<script></script><section>',
    '<div/>',
    '<a-b>',
  ]) {
    expect(deep(tag)).toThrow('nested over 512 elements deep');
  }
});

test('an element of very many children is not looked into', () => {
  const long = parsePage('about:blank', '<br>'.repeat(2_001));
  expect(() => select(long, 'br:nth-child(2)', select(long, 'body'))).toThrow('over 2000 children');
});

test.each([
  '<p>',
  '<br>',
  '<li>',
  '<tr><td>',
  '<script>',
  '<!--',
  '<div></div>',
  '<',
  '</div>',
  '<script>"<div>"</script>',
])('a long page is no deep page: %s', (tag) => {
  // What takes quadratic time takes longer here than a test may.
  const long = parsePage('about:blank', tag.repeat(20_000));
  for (const nth of ['nth-child(2n)', 'nth-last-child(3)', 'nth-of-type(3)', 'first-of-type', 'last-of-type']) {
    select(long, `p:${nth}, td:${nth}, br:${nth}, div:${nth}, script:${nth}`);
  }
  expect(long.text.length).toBeLessThan(200_000);
});

test('what is written for css-select stays the same when it is written again', () => {
  const once = cssSelectors('a[href^=x?id=]:has(b:contains("y("), i):nth-child(2), c');
  expect(once.flatMap((part) => cssSelectors(part))).toEqual(once);
});
