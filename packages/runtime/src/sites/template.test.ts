import { BrowserError } from '@wheelhouse/contracts';
import { array, assert as assertProperty, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileTemplate, renderTemplate, type TemplateValue } from './template.ts';

const variables = new Map<string, TemplateValue>([
  ['True', 'True'],
  ['False', ''],
  ['Keywords', 'some words'],
  ['Config.sort', 'added'],
  ['Config.cat-id', '7'],
  ['Config.blank', '  '],
  ['Config.checked', 'True'],
  ['Config.unchecked', ''],
  ['Categories', ['12', '34']],
  ['Result._id', '99'],
  ['Result.year', null],
  ['Today.Year', '2026'],
]);
const render = (source: string) => renderTemplate(source, variables);

describe('templates as definitions have them', () => {
  test.each([
    ['text without templates', 'browse.php', 'browse.php'],
    ['a value', 'a{{ .Config.sort }}b{{.Today.Year}}', 'aaddedb2026'],
    ['a name with a dash', '{{ .Config.cat-id }}', '7'],
    ['an unknown name is empty', '[{{ .Query.IMDBID }}]', '[]'],
    ['if and else', '{{ if .Keywords }}search{{ else }}latest{{ end }}', 'search'],
    ['no else', '{{ if .Query.Ep }}x{{ end }}', ''],
    ['blank is false', '{{ if .Config.blank }}x{{ else }}y{{ end }}', 'y'],
    ['else if', '{{ if .False }}1{{ else if .Keywords }}2{{ else }}3{{ end }}', '2'],
    ['nested', '{{ if .Keywords }}{{ if .False }}1{{ else }}2{{ end }}{{ else }}3{{ end }}', '2'],
    ['range over a list', '{{ range .Categories }}&c{{.}}=1{{end}}', '&c12=1&c34=1'],
    ['range with an index', '{{ range $i, $e := .Categories }}&c[{{$i}}]={{.}}{{$e}}{{end}}', '&c[0]=1212&c[1]=3434'],
    ['range over nothing', '{{ range .Query.None }}x{{ else }}all{{ end }}', 'all'],
    ['range over one text', '{{ range .Keywords }}[{{ . }}]{{ end }}', '[some words]'],
    ['join', '{{ join .Categories "," }}', '12,34'],
    ['a list as text', '{{ .Categories }}', '12,34'],
    ['re_replace', '{{ re_replace .Keywords "[\\s]+" "%" }}', 'some%words'],
    ['re_replace with a group', '{{ re_replace .Config.sort "(.).*" "$1" }}', 'a'],
    ['or', '{{ or .Result.year .Result._id }}', '99'],
    ['and gives the first that is empty', '[{{ and .Keywords .False .Config.sort }}]', '[]'],
    ['and gives the last', '{{ and (.Keywords) (.Config.sort) }}', 'added'],
    ['eq', '{{ if eq .Config.sort "added" }}y{{ else }}n{{ end }}', 'y'],
    ['ne', '{{ if ne .Config.sort "added" }}y{{ else }}n{{ end }}', 'n'],
    ['an unchecked box is .False', '{{ if eq .Config.unchecked .False }}y{{ else }}n{{ end }}', 'y'],
    ['a checked box is .True', '{{ if and (.Keywords) (eq .Config.checked .True) }}y{{ else }}n{{ end }}', 'y'],
    [
      'nested brackets',
      '{{ if or (eq .Config.sort "x") (or (eq .Config.sort "y") (ne .Keywords "")) }}y{{ end }}',
      'y',
    ],
    ['brackets left out', '{{ if and eq .Config.sort "added" eq .Config.checked "True" }}y{{ else }}n{{ end }}', 'y'],
    [
      'brackets left out, one false',
      '{{ if and eq .Config.sort "added" eq .Config.checked "no" }}y{{ else }}n{{ end }}',
      'n',
    ],
    ['a bracket too many', '{{ if and (.Keywords) (eq .Config.unchecked .False)) }}y{{ else }}n{{ end }}', 'y'],
    ['not', '{{ if not .False }}y{{ end }}', 'y'],
    ['white space is eaten', 'a {{- .Config.sort -}} b', 'aaddedb'],
    ['comments', 'a{{/* why */}}b', 'ab'],
    ['numbers and raw strings', '{{ if eq .Config.cat-id 7 }}{{ `a"b` }}{{ end }}', 'a"b'],
  ])('%s', (_, source, expected) => {
    expect(render(source)).toBe(expected);
  });

  test('in an address the values are escaped, and the text around them is not', () => {
    expect(renderTemplate('/s?q={{ .Keywords }}&c={{ join .Categories "," }}', variables, encodeURIComponent)).toBe(
      '/s?q=some%20words&c=12%2C34',
    );
  });
});

describe('what is not supported is named, and nothing runs away', () => {
  test.each([
    ['{{ printf "%d" .Keywords }}', 'template function printf'],
    ['{{ if .Keywords }}x', 'a block without {{ end }}'],
    ['x{{ end }}', '{{ end }} without a beginning'],
    ['{{ if .A }}1{{ else }}2{{ else }}3{{ end }}', 'two {{ else }}'],
    ['{{ }}', '{{  }}'],
    ['{{ .A .B }}', '{{ .A .B }}'],
    ['{{ if (.A }}x{{ end }}', '{{ (.A }}'],
    [`${'{{ if .A }}'.repeat(200)}${'{{ end }}'.repeat(200)}`, 'nested over 100 deep'],
    [`{{ ${'('.repeat(200)}.A${')'.repeat(200)} }}`, 'nested over 100 deep'],
  ])('%s', (source, named) => {
    expect(() => compileTemplate(source)).toThrow(named);
    expect(() => compileTemplate(source)).toThrow(BrowserError);
  });

  test('ranges in ranges cannot write without bounds', () => {
    const many = new Map<string, TemplateValue>([['L', Array.from({ length: 1_000 }, () => 'x')]]);
    const source = '{{ range .L }}{{ range .L }}{{ range .L }}0123456789{{ end }}{{ end }}{{ end }}';
    expect(() => renderTemplate(source, many)).toThrow('more than 100,000 characters');
  });

  test('any text renders or is refused', () => {
    const pieces = constantFrom(
      '{{',
      '}}',
      ' ',
      '-',
      'if',
      'else',
      'end',
      'range',
      '.Keywords',
      '.',
      '$i',
      '(',
      ')',
      '"',
      'eq',
      'and',
      'x',
      ':=',
      ',',
      '`',
    );
    expect(() =>
      assertProperty(
        property(array(pieces, { maxLength: 30 }), (parts) => {
          try {
            return typeof render(parts.join('')) === 'string';
          } catch (error) {
            return BrowserError.is(error) && error.code === 'definition_unsupported';
          }
        }),
        { numRuns: 1_000 },
      ),
    ).not.toThrow();
  });
});
