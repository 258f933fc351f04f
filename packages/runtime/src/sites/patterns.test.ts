import { BrowserError } from '@wheelhouse/contracts';
import { assert as assertProperty, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, replaceAll } from './patterns.ts';

const replaced = (pattern: string, text: string, by: string) => replaceAll(compilePattern(pattern), text, by);
const first = (pattern: string, text: string) => compilePattern(pattern).all(text)[0]?.groups;

describe('patterns mean what they mean to .NET', () => {
  test.each([
    ['letters of any alphabet are word characters', String.raw`\w+`, 'Терминатор 2', ['Терминатор']],
    ['a no-break space is white space', String.raw`(\d+)\s(GB)`, '5\u00a0GB', ['5\u00a0GB', '5', 'GB']],
    ['a word ends at a Cyrillic word, not inside it', String.raw`\bот\b`, 'пот от', ['от']],
    [
      'a negated class inside brackets',
      String.raw`([\p{IsCJKUnifiedIdeographs}\W]+)`,
      'Film 电影 2',
      [' 电影 ', ' 电影 '],
    ],
    ['a Unicode block', String.raw`([\p{IsCyrillic} \-]+,+)`, 'x Кино-театр,y', [' Кино-театр,', ' Кино-театр,']],
    ['a dash after a class is a dash', String.raw`T[\s-_]?(\d{1,2})`, 'T-12', ['T-12', '12']],
    ['a dash after a range is a dash', '[a-c-x]+', 'a-xb!', ['a-xb']],
    ['a brace without a number is a brace', 'a{b}', 'a{b}', ['a{b}']],
    ['a code point', String.raw`([\u4e00-\u9fff]+)`, 'ab电影', ['电影', '电影']],
    ['needless escapes', String.raw`\ (\d+)\ \:\'\"\%`, ` 7 :'"%`, [` 7 :'"%`, '7']],
    ['a bracket at the start of a class', '[]x]+', 'x]', ['x]']],
    ['white space and letters outside ASCII are not \\S or \\W alike', String.raw`\W\S`, 'é è', [' è']],
  ])('%s', (_, pattern, text, expected) => {
    expect(first(pattern, text)).toEqual(expected);
  });

  test.each([
    ['look-ahead', '(?i)S(\\d)(?=E)', ['s1E2', 'S0$1', 'S01E2']],
    ['look-behind', '(?<=\\d)\\s+(?=\\d)', ['1 2', '-', '1-2']],
    ['a back reference', '(\\.MULTI)\\1', ['A.MULTI.MULTI', '$1', 'A.MULTI']],
    ['a dot stops at a line feed only', '(?<!x)a(.+)', ['a\rb\nc', '$1', '\rb\nc']],
  ] as const)('what RE2 refuses runs all the same: %s', (_, pattern, [text, by, expected]) => {
    expect(replaced(pattern, text, by)).toBe(expected);
  });

  test.each([
    ['$0-$&', 'ab-ab c'],
    ['${2}${1}', 'ba c'],
    ['$$1', '$1 c'],
    ['$9', '$9 c'],
    ['$10', '$10 c'],
    ['$x', '$x c'],
  ])('replacement %s', (by, expected) => {
    expect(replaced('(a)(b)', 'ab c', by)).toBe(expected);
  });

  test('offsets are right behind characters outside the basic plane', () => {
    expect(replaced('b', '😀b😀b', 'c')).toBe('😀c😀c');
  });
});

describe('a definition cannot hang the program', () => {
  test('a catastrophic pattern is linear in RE2', () => {
    expect(replaced('(a+)+$', `${'a'.repeat(5_000)}!`, '')).toBe(`${'a'.repeat(5_000)}!`);
  });

  test('a catastrophic pattern with look-ahead is stopped, and the next one still runs', () => {
    const slow = compilePattern('(?=(a+)+$)(a+)+$');
    expect(() => slow.all(`${'a'.repeat(40)}!`)).toThrow('takes too long');
    expect(replaced('a(?=b)', 'ab', 'x')).toBe('xb');
  });

  test.each(['((?>[^()]+|(?<o>\\()|(?<-o>\\)))*)', '(?(1)a|b)', '[a-z-[aeiou]]', '(', '[a', '\\', 'a(?!b(?i)c)'])(
    'what no engine has is refused by name: %s',
    (pattern) => {
      expect(() => compilePattern(pattern)).toThrow(BrowserError);
      expect(() => compilePattern(pattern)).toThrow('regular expression');
    },
  );

  test('any text as a pattern compiles or is refused, and never matches beyond the text', () => {
    const text = string({ unit: constantFrom(...Array.from(String.raw`ab1 \wdsWSbp{}[]()^$.*+?|-:=!<>,é语`)) });
    expect(() =>
      assertProperty(
        property(text, string(), (source, subject) => {
          try {
            for (const { start, end } of compilePattern(source).all(subject)) {
              if (start < 0 || end > subject.length || end < start) return false;
            }
            return true;
          } catch (error) {
            return BrowserError.is(error) && error.code === 'definition_unsupported';
          }
        }),
        { numRuns: 500 },
      ),
    ).not.toThrow();
  });
});
