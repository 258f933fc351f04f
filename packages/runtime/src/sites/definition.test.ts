import { BrowserError } from '@wheelhouse/contracts';
import { assert as assertProperty, constantFrom, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadDefinition } from './definition.ts';

const whole = `---
id: synthetic
name: Synthetic
description: "A site"
language: en-US
type: private
encoding: UTF-8
links:
  - https://tracker.example/
caps:
  categorymappings:
    - {id: 1, cat: Movies}
settings:
  - name: username
    type: text
  - name: limit
    default: 50
login:
  path: login.php
  inputs:
    username: "{{ .Config.username }}"
    keep: 1
  error:
    - selector: .error
  test:
    path: /
    selector: a[href="logout.php"]
search:
  path: browse.php
  keywordsfilters:
  inputs:
    cat: 0
  rows:
    selector: tr
    after: 1
  fields:
    title:
      selector: a
      filters:
        - name: append
          args: 5
        - name: replace
          args: [a, 1]
    size:
      text: 0
    grabs:
      selector: td
      optional: yes
download:
  selectors:
    - selector: a.dl
      attribute: href
`;

const messageOf = (source: string) => {
  try {
    loadDefinition(source, 'synthetic.yml');
  } catch (error) {
    if (BrowserError.is(error) && error.code === 'invalid_definition') return error.message;
    throw error;
  }
  return 'loaded';
};

describe('a definition', () => {
  test('is read with its defaults, and every scalar as text', () => {
    const definition = loadDefinition(whole, 'synthetic.yml');
    expect(definition.login).toMatchObject({ method: 'form', form: 'form', selectors: false, inputs: { keep: '1' } });
    expect(definition.settings[1]).toEqual({ name: 'limit', type: 'text', default: '50' });
    expect(definition.search).toMatchObject({
      paths: [],
      inputs: { cat: '0' },
      keywordsfilters: [],
      allowEmptyInputs: false,
    });
    expect(definition.search.rows).toMatchObject({ selector: 'tr', after: '1', filters: [] });
    expect(definition.search.fields['title']?.filters).toEqual([
      { name: 'append', args: ['5'] },
      { name: 'replace', args: ['a', '1'] },
    ]);
    expect(definition.search.fields['size']).toMatchObject({ text: '0', optional: false });
    expect(definition.search.fields['grabs']?.optional).toBe(true);
    expect(definition.unread).toEqual([]);
  });

  test('says which of its keys are not read', () => {
    const more = whole.replace('    after: 1', '    nosuch: 1').replace('      attribute: href', '      other: {a: 1}');
    expect(loadDefinition(more, 'x.yml').unread).toEqual(['search.rows.nosuch', 'download.selectors.other']);
  });

  test.each([
    ['broken YAML', 'id: [', /^synthetic\.yml:\d+: not YAML/],
    ['two documents', 'id: a\n---\nid: b', /^synthetic\.yml:\d+: not YAML: multiple docs/],
    ['an empty file', '', /^synthetic\.yml:1: the file: /],
    ['a list instead of a map', '- a', /^synthetic\.yml:1: the file: /],
    [
      'a wrong shape, by its line',
      whole.replace('    selector: tr', '    selector: [tr]'),
      /^synthetic\.yml:34: search\.rows\.selector: /,
    ],
    [
      'a wrong shape inside a list',
      whole.replace('        - name: append', '        - nome: append'),
      /^synthetic\.yml:40: search\.fields\.title\.filters\.0\.name: /,
    ],
    [
      'what is missing, by the line of what should have it',
      whole.replace('links:\n  - https://tracker.example/', 'links: []'),
      /^synthetic\.yml:8: links: /,
    ],
    ['an id that is no name', whole.replace('id: synthetic', 'id: ../etc'), /^synthetic\.yml:2: id: letters, digits/],
    [
      'a bomb of aliases',
      `a: &a [x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(30)}]\nc: &c [${'*b,'.repeat(30)}]\nd: [${'*c,'.repeat(30)}]`,
      /^synthetic\.yml: not YAML: too many aliases/,
    ],
    ['bottomless nesting', '['.repeat(250_000), /^synthetic\.yml:1: not YAML: nested over 50 deep/],
    ['more than a quarter of a megabyte', `# ${'x'.repeat(256 * 1024)}`, /^synthetic\.yml: larger than/],
  ])('that cannot be used says where: %s', (_, source, expected) => {
    expect(messageOf(source)).toMatch(expected);
  });

  test('any change of a file still loads, or is refused with a reason', () => {
    const parts = whole.split('\n');
    const line = constantFrom(...parts.keys());
    expect(() =>
      assertProperty(
        property(line, string(), constantFrom('replace', 'remove', 'twice', 'indent'), (at, text, change) => {
          const lines = [...parts];
          const old = lines[at] ?? '';
          if (change === 'remove') lines.splice(at, 1);
          else if (change === 'twice') lines.splice(at, 0, old);
          else lines[at] = change === 'indent' ? `  ${old}` : text;
          return typeof messageOf(lines.join('\n')) === 'string';
        }),
        { numRuns: 200 },
      ),
    ).not.toThrow();
  });
});
