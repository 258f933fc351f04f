import { describe, expect, test } from 'vitest';
import { loadDefinition } from './definition.ts';
import { formEncoded } from './form-encoding.ts';
import { listRequests, needsBrowser } from './requests.ts';
import { settingsWithValue, variablesOf } from './settings.ts';

const site = 'https://tracker.example/';
const definitionOf = (search: string, top = '') =>
  loadDefinition(
    `id: synthetic\nname: Synthetic\n${top}\nlinks: [${site}]\nsearch:\n${search.replaceAll(/^/gm, '  ')}\n  rows: {selector: tr}\n  fields: {title: {selector: td}}`,
    'synthetic.yml',
  );
const urls = (search: string, more: Readonly<Record<string, string | string[]>> = {}, top = '') => {
  const definition = definitionOf(search, top);
  const variables = new Map([...variablesOf(definition, site, new Map()), ...Object.entries(more)]);
  return listRequests(definition, site, variables).map(({ url }) => url.replace(site, '/'));
};

describe('the address of a list', () => {
  test('a browse without keywords leaves empty inputs out', () => {
    const search = `paths: [{path: browse.php}]\ninputs: {$raw: "{{ range .Categories }}&c{{.}}=1{{end}}", search: "{{ .Keywords }}", incldead: 0}`;
    expect(urls(search)).toEqual(['/browse.php?incldead=0']);
    expect(urls(search, { Keywords: 'a b&c', Categories: ['1', '2'] })).toEqual([
      '/browse.php?c1=1&c2=1&search=a+b%26c&incldead=0',
    ]);
  });

  test('a site that wants empty inputs gets them', () => {
    expect(urls('path: list\nallowEmptyInputs: true\ninputs: {search: "{{ .Keywords }}"}')).toEqual(['/list?search=']);
  });

  test('settings choose the path, and values in it are escaped', () => {
    const top = `settings:
  - {name: sort, type: select, default: added, options: {added: created, seeders: seeders}}
  - {name: free, type: checkbox, default: false}
  - {name: info_tpp, type: info, default: text}`;
    const search = `paths: [{path: "{{ if .Keywords }}search/{{ .Keywords }}{{ else }}latest{{ end }}/{{ .Config.sort }}{{ if .Config.free }}/free{{ else }}{{ end }}"}]`;
    expect(urls(search, {}, top)).toEqual(['/latest/added']);
    expect(urls(search, { Keywords: 'a/b c' }, top)).toEqual(['/search/a%2Fb%20c/added']);
    const definition = definitionOf(search, top);
    const chosen = variablesOf(
      definition,
      site,
      new Map([
        ['sort', 'seeders'],
        ['free', 'true'],
      ]),
    );
    expect(listRequests(definition, site, chosen)[0]?.url).toBe(`${site}latest/seeders/free`);
    expect(() => variablesOf(definition, site, new Map([['sort', 'nosuch']]))).toThrow('takes one of: added, seeders');
    expect(settingsWithValue(definition).map(({ name }) => name)).toEqual(['sort', 'free']);
  });

  test('several paths, with inputs of their own and for their own categories', () => {
    const search = `inputs: {a: 1}
paths:
  - {path: one, categories: [1, 2], inputs: {b: 2}}
  - {path: two, categories: ["!", 1], inheritinputs: false}
  - {path: "three?x=1"}`;
    expect(urls(search)).toEqual(['/one?a=1&b=2', '/two', '/three?x=1&a=1']);
    expect(urls(search, { Categories: ['1'] })).toEqual(['/one?a=1&b=2', '/three?x=1&a=1']);
  });

  test('words go in the encoding of the site', () => {
    expect(urls('path: s\ninputs: {nm: Да ☃}', {}, 'encoding: windows-1251')).toEqual(['/s?nm=%C4%E0+%26%239731%3B']);
    expect(formEncoded('é~*-._', 'iso-8859-2')).toBe('%E9%7E*-._');
    expect(formEncoded('é', 'no-such-encoding')).toBe('%C3%A9');
  });

  test('POST, and answers that need no browser, are told apart', () => {
    const definition = definitionOf('paths: [{path: a, method: post}, {path: b, response: {type: JSON}}]');
    expect(listRequests(definition, site, new Map())).toMatchObject([
      { method: 'post', response: 'html' },
      { method: 'get', response: 'json' },
    ]);
    expect(needsBrowser(definition)).toBe(true);
    expect(needsBrowser(definitionOf('paths: [{path: b, response: {type: xml}}]'))).toBe(false);
  });

  test('a path that makes no address is refused by name', () => {
    expect(() => urls('path: "http://[x"')).toThrow('synthetic: a path of search.paths makes no address');
  });
});
