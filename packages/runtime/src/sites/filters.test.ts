import { BrowserError } from '@wheelhouse/contracts';
import { assert as assertProperty, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyFilters, checkFilter } from './filters.ts';
import { decimalNumber, sizeInBytes, wholeNumber } from './numbers.ts';

const none = new Map<string, string>();
const filtered = (text: string, name: string, args: readonly string[] = []) =>
  applyFilters(text, [{ name, args: [...args] }], none);

describe('filters', () => {
  test.each([
    ['re_replace', ['(?i)season (\\d+)', 'S$1'], 'Season 3', 'S3'],
    ['replace', ['$', '$&'], 'a$b$', 'a$&b$&'],
    ['replace', ['', 'x'], 'ab', 'ab'],
    ['append', ['z'], 'ab', 'abz'],
    ['prepend', ['z'], 'ab', 'zab'],
    ['dateparse', ['yyyy-MM-dd'], '2024-05-01', '2024-05-01T00:00:00Z'],
    ['timeparse', ['yyyy-MM-dd'], '2024-05-01', '2024-05-01T00:00:00Z'],
    ['regexp', ['id=(\\d+)'], 'x?id=12&id=13', '12'],
    ['regexp', ['id=\\d+'], 'x?id=12', ''],
    ['regexp', ['id=(\\d+)'], 'none', ''],
    ['querystring', ['cat'], 'browse.php?a=1&cat=a%20b#x', 'a b'],
    ['querystring', ['cat'], 'browse.php', ''],
    ['querystring', ['cat[]'], '?cat[]=5', '5'],
    ['split', ['|', '1'], 'a|b|c', 'b'],
    ['split', ['=', '-1'], 'a=b=c', 'c'],
    ['split', ['||', '1'], 'a|b', 'b'],
    ['split', ['|', '9'], 'a|b', ''],
    ['trim', [], '  a ', 'a'],
    ['trim', ['"'], '"a"b""', 'a"b'],
    ['toupper', [], 'aé', 'AÉ'],
    ['tolower', [], 'AÉ', 'aé'],
    ['urlencode', [], 'a b&c', 'a+b%26c'],
    ['urldecode', [], 'a+b%26c%', 'a+b%26c%'],
    ['urldecode', [], 'a+b%26c', 'a b&c'],
    ['htmldecode', [], '&lt;b&gt; &amp;eacute; &eacute;&#233;&#xe9; &nosuch;', '<b> &eacute; ééé &nosuch;'],
    ['htmlencode', [], '<a href="x">', '&#60;a href=&#34;x&#34;&#62;'],
    ['validfilename', [], 'a/b:c?', 'a_b_c_'],
    ['diacritics', ['replace'], 'Šđčćž é', 'Sđccz e'],
    ['validate', ['Action, Comedy, Sci_Fi'], 'comedy/ACTION (drama)', 'action, comedy'],
    ['hexdump', [], 'a', 'a'],
    ['strdump', [], 'a', 'a'],
  ])('%s %j', (name, args, text, expected) => {
    expect(() => checkFilter({ name, args })).not.toThrow();
    expect(filtered(text, name, args)).toBe(expected);
  });

  test('a chain runs in order, with templates in its arguments', () => {
    const chain = [
      { name: 'prepend', args: ['{{ .Config.sitelink }}'] },
      { name: 're_replace', args: ['/a$', '/{{ .Result._id }}'] },
    ];
    const variables = new Map([
      ['Config.sitelink', 'https://tracker.example/'],
      ['Result._id', '7'],
    ]);
    expect(applyFilters('a', chain, variables)).toBe('https://tracker.example/7');
  });

  test.each([
    [{ name: 'nosuch', args: [] }, 'filter nosuch'],
    [{ name: 'constructor', args: [] }, 'filter constructor'],
    [{ name: 're_replace', args: ['a'] }, 'too few arguments'],
    [{ name: 'regexp', args: ['('] }, 'regular expression ('],
    [{ name: 'dateparse', args: ['yyyy-QQ'] }, 'date layout'],
    [{ name: 'append', args: ['{{ nosuch .A }}'] }, 'template function nosuch'],
    [{ name: 'split', args: ['|', 'x'] }, 'filter split at x'],
    [{ name: 'diacritics', args: ['remove'] }, 'filter diacritics remove'],
    [{ name: 'jsonjoinarray', args: ['$.a', ','] }, 'filter jsonjoinarray'],
  ])('what cannot run is named: %j', (block, named) => {
    expect(() => checkFilter(block)).toThrow(named);
  });

  test('a chain that doubles its text is stopped', () => {
    const doubling = Array.from({ length: 40 }, () => ({ name: 're_replace', args: ['^(.*)$', '$1$1'] }));
    expect(() => applyFilters('ab', doubling, none)).toThrow('over 1,000,000 characters');
  });

  test('any text passes through any filter', () => {
    const names = [
      'trim',
      'querystring',
      'split',
      'htmldecode',
      'urldecode',
      'validate',
      'fuzzytime',
      'timeago',
      'dateparse',
      'diacritics',
      'regexp',
      'validfilename',
    ];
    const args: Readonly<Record<string, string[]>> = {
      split: ['|', '-1'],
      dateparse: ['yyyy-MM-dd HH:mm'],
      regexp: ['(.)$'],
    };
    expect(() =>
      assertProperty(
        property(constantFrom(...names), string({ unit: 'binary' }), (name, text) => {
          try {
            return typeof filtered(text, name, args[name] ?? ['x']) === 'string';
          } catch (error) {
            return BrowserError.is(error);
          }
        }),
      ),
    ).not.toThrow();
  });
});

describe('numbers as sites write them', () => {
  test.each([
    ['1.4 GB', 1_503_238_553],
    ['1,4 GiB', 1_503_238_553],
    ['700 MB', 734_003_200],
    ['1,023.5 KB', 1_048_064],
    ['2 TiB', 2_199_023_255_552],
    ['1234567', 1_234_567],
    ['1,234,567', 1_234_567],
    ['', 0],
    ['n/a', 0],
  ])('size %s', (text, bytes) => {
    expect(sizeInBytes(text)).toBe(bytes);
  });

  test.each([
    ['1,234', 1234, 1.234],
    ['12', 12, 12],
    ['x 3 seeds', 3, 3],
    ['---', 0, 0],
    ['0.5', 5, 0.5],
    ['1.234,5', 12_345, 1234.5],
  ])('%s', (text, whole, decimal) => {
    expect([wholeNumber(text), decimalNumber(text)]).toEqual([whole, decimal]);
  });
});
