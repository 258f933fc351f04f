import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFixtureSite } from '@wheelhouse/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findDefinition } from './catalog.ts';
import { checkDefinitions, checkSteps } from './check.ts';
import { loadDefinition } from './definition.ts';
import { isSecretSetting } from './settings.ts';

const good = `id: good
name: Good
links: [https://good.example/]
login: {path: login.php, method: post, inputs: {username: "{{ .Config.username }}"}, test: {selector: a.logout}}
search:
  paths: [{path: browse.php}]
  rows: {selector: "tr{{ if .Config.free }}:has(img.free){{ else }}{{ end }}"}
  fields:
    title: {selector: a, filters: [{name: re_replace, args: ["(?i)\\\\bS(\\\\d)(?=E)", S0$1]}]}
    download: {selector: 'a[href^="download.php"]', attribute: href}
`;
const poor = good
  .replace('id: good', 'id: poor')
  .replace('method: post', 'method: dance')
  .replace('tr{{ if .Config.free }}:has(img.free)', 'tr{{ if .Config.free }}:has(')
  .replace('rows: {', 'nosuch: 1\n  rows: {')
  .replace('re_replace', 'dance')
  .concat('download: {before: {path: thanks.php}, selectors: [{selector: "a:nosuch"}]}\n');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wheelhouse-sites-'));
  await writeFile(join(folder, 'good.yml'), good);
  await writeFile(join(folder, 'poor.yaml'), poor);
  await writeFile(join(folder, 'api.yml'), good.replace('browse.php}', 'api, response: {type: json}}'));
  await writeFile(join(folder, 'broken.yml'), 'id: broken\nname: [');
  await writeFile(join(folder, 'notes.txt'), 'not a definition');
});
afterAll(() => rm(folder, { recursive: true }));

describe('a folder of definitions', () => {
  test('is counted: loaded, in need of a browser, and fully supported step by step', async () => {
    expect(await checkDefinitions(folder)).toEqual({
      total: 4,
      loaded: 3,
      crashed: 0,
      html: 2,
      noBrowserNeeded: 1,
      steps: {
        loginState: { html: 2, full: 1 },
        listRows: { html: 2, full: 1 },
        downloadLink: { html: 2, full: 1 },
      },
      unsupported: {
        'login method dance': 1,
        'selector tr:has(': 1,
        'filter dance': 1,
        'search.nosuch': 1,
        'selector a:nosuch': 1,
        'download.before': 1,
      },
      places: [
        { file: 'poor.yaml', step: 'loginState', feature: 'login method dance', path: 'login.method' },
        { file: 'poor.yaml', step: 'listRows', feature: 'selector tr:has(', path: 'search.rows.selector' },
        { file: 'poor.yaml', step: 'listRows', feature: 'filter dance', path: 'search.fields.title.filters' },
        { file: 'poor.yaml', step: 'listRows', feature: 'search.nosuch', path: 'search.nosuch' },
        { file: 'poor.yaml', step: 'downloadLink', feature: 'selector a:nosuch', path: 'download.selectors.selector' },
        { file: 'poor.yaml', step: 'downloadLink', feature: 'download.before', path: 'download.before' },
      ],
      failed: [{ file: 'broken.yml', message: expect.stringMatching(/^broken\.yml:\d: not YAML/) }],
    });
  });

  test('that is not there is refused', async () => {
    await expect(checkDefinitions(join(folder, 'nosuch'))).rejects.toThrow('cannot be read');
  });

  test.each(['nexusphp', 'unit3d'] as const)('the %s fixture site is fully supported', async (family) => {
    await using site = await startFixtureSite({ family });
    const definition = loadDefinition(site.definition(), 'fixture.yml');
    expect(checkSteps(definition)).toEqual({ loginState: [], listRows: [], downloadLink: [] });
  });
});

describe('a definition is found', () => {
  test('by the name of its file, whatever its case, or by its path', async () => {
    expect((await findDefinition('GOOD', [join(folder, 'nosuch'), folder])).id).toBe('good');
    expect((await findDefinition('poor', [folder])).id).toBe('poor');
    expect((await findDefinition(join(folder, 'good.yml'), [])).id).toBe('good');
  });

  test.each([
    ['godo', 'there is no definition called godo; did you mean good?'],
    ['something', 'there is no definition called something'],
    ['./nosuch.yml', 'the definition file ./nosuch.yml cannot be read'],
    ['broken', /broken\.yml:\d: not YAML/],
  ])('or not: %s', async (site, message) => {
    await expect(findDefinition(site, [folder])).rejects.toThrow(message);
  });

  test('and without folders, that is what is said', async () => {
    await expect(findDefinition('good', [])).rejects.toThrow('no definition folders are configured');
  });
});

test.each([
  ['password', 'password', true],
  ['x', 'password', true],
  ['cookie', 'text', true],
  ['apikey', 'text', true],
  ['rsskey', 'text', true],
  ['pin', 'text', true],
  ['2facode', 'text', true],
  ['alt2fatoken', 'text', true],
  ['passid', 'text', true],
  ['username', 'text', false],
  ['sort', 'select', false],
  ['usetoken', 'checkbox', false],
  ['useragent', 'text', false],
  ['apiurl', 'text', false],
  ['cat-id', 'text', false],
  ['shipping', 'text', false],
  ['keywords', 'text', false],
])('the setting %s of type %s is secret: %s', (name, type, secret) => {
  expect(isSecretSetting({ name, type })).toBe(secret);
});
