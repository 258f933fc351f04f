import { describe, expect, test } from 'vitest';
import { loadDefinition } from './definition.ts';
import { parsePage } from './page.ts';
import { readRows } from './rows.ts';
import type { TemplateValue } from './template.ts';

const base = 'https://tracker.example/browse.php';
const definitionOf = (search: string) =>
  loadDefinition(
    `id: synthetic\nname: Synthetic\nlinks: [https://tracker.example/]\nsearch:\n  paths: [{path: browse.php}]\n${search.replaceAll(/^/gm, '  ')}`,
    'synthetic.yml',
  );
const reading = (search: string, html: string, more: readonly [string, TemplateValue][] = []) =>
  readRows(parsePage(base, html), definitionOf(search), new Map([['Keywords', ''], ...more]));

const table = `<table><tr><th>head</th></tr>
  <tr class="t"><td><a href="browse.php?cat=5"><img></a></td><td><a href="details.php?id=7&hit=1" title="Full.Name.2024">Full.Na…</a>
    <span>NEW</span> <img class="free"></td><td>2024-05-01<br>10:20:30</td><td>1.5&nbsp;GB</td><td>1,234</td><td>5</td><td><a href="download.php?id=7">dl</a></td></tr>
  <tr class="t"><td><a href="browse.php?cat=6"><img></a></td><td><a href="details.php?id=8">Short</a></td><td>yesterday</td><td>700 MB</td><td>0</td><td>-</td><td><a href="download.php?id=8">dl</a></td></tr>
</table>`;

const classic = `
rows:
  selector: tr.t
fields:
  category: {selector: 'a[href^="browse.php?cat="]', attribute: href, filters: [{name: querystring, args: cat}]}
  title_default: {selector: 'a[href^="details.php"]'}
  title_optional: {selector: 'a[title][href^="details.php"]', attribute: title, optional: true}
  title: {text: "{{ if .Result.title_optional }}{{ .Result.title_optional }}{{ else }}{{ .Result.title_default }}{{ end }}"}
  details: {selector: 'a[href^="details.php"]', attribute: href}
  download: {selector: 'a[href^="download.php"]', attribute: href}
  date: {selector: 'td:nth-child(3)', filters: [{name: append, args: " +00:00"}, {name: dateparse, args: "yyyy-MM-ddHH:mm:ss zzz"}]}
  size: {selector: 'td:nth-child(4)'}
  seeders: {selector: 'td:nth-child(5)'}
  leechers: {selector: 'td:nth-child(6)'}
  poster: {selector: img.cover, attribute: src}
  description: {selector: .none, default: "{{ .Result.title }} from {{ .Result.category }}", optional: true}
  downloadvolumefactor: {case: {img.free: 0, "*": 1}}
  uploadvolumefactor: {text: 1}
`;

describe('a list is read as the programs read it that the format comes from', () => {
  test('a NexusPHP-like table becomes rows of typed values', () => {
    const { rows, matched, missing, unsupported } = reading(classic, table);
    expect({ matched, unsupported }).toEqual({ matched: 2, unsupported: [] });
    expect(rows[0]).toEqual({
      category: '5',
      title_default: 'Full.Na…',
      title_optional: 'Full.Name.2024',
      title: 'Full.Name.2024',
      details: 'https://tracker.example/details.php?id=7&hit=1',
      download: 'https://tracker.example/download.php?id=7',
      date: '2024-05-01T10:20:30Z',
      size: '1610612736',
      seeders: '1234',
      leechers: '5',
      description: 'Full.Name.2024 from 5',
      downloadvolumefactor: '0',
      uploadvolumefactor: '1',
    });
    expect(rows[1]).toMatchObject({ title: 'Short', leechers: '0', downloadvolumefactor: '1' });
    expect(rows[1]?.['date']).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(missing).toEqual([]);
  });

  test('line feeds reach the filters as they are in the page', () => {
    const { rows } = reading(
      'rows: {selector: p}\nfields: {title: {selector: p, filters: [{name: regexp, args: "Lang:(.+?)\\n"}]}}',
      '<p>Lang: en\nSub: fr</p>',
    );
    expect(rows[0]?.['title']).toBe(' en');
  });

  test('a part that one field takes out is gone for the fields after it, and still in the page for the next reading', () => {
    const search =
      'rows: {selector: p}\nfields: {before: {selector: span}, title: {selector: b, remove: span}, after: {selector: span, optional: true, default: none}}';
    const page = parsePage(base, '<p><b>a<span>b</span></b></p>');
    const definition = definitionOf(search);
    const expected = [{ before: 'b', title: 'a', after: 'none' }];
    expect(readRows(page, definition, new Map()).rows).toEqual(expected);
    expect(readRows(page, definition, new Map()).rows).toEqual(expected);
  });

  test('two lines an entry, three times over', () => {
    const html = `<table>${[1, 2, 3].map((n) => `<tr><td class=a>t${n}</td></tr><tr><td class=b>s${n}</td></tr>`).join('')}</table>`;
    const search = 'rows: {selector: tr, after: 1}\nfields: {title: {selector: td.a}, description: {selector: td.b}}';
    const { rows, matched } = reading(search, html);
    expect(matched).toBe(6);
    expect(rows).toEqual([1, 2, 3].map((n) => ({ title: `t${n}`, description: `s${n}` })));
  });

  test('dates that stand in a line above, or in the part of the table before', () => {
    const html = `<table><tr><td class=d>Torrents of 2024-05-01</td></tr><tr class=t><td>one</td></tr><tr class=t><td>two</td></tr>
      <tbody><tr><td class=d>Torrents of 2024-05-02</td></tr><tbody><tr class=t><td>three</td></tr></table>`;
    const search = `rows: {selector: tr.t, dateheaders: {selector: td.d, filters: [{name: replace, args: ["Torrents of ", ""]}, {name: dateparse, args: yyyy-MM-dd}]}}
fields: {title: {selector: td}}`;
    expect(reading(search, html).rows.map((row) => [row['title'], row['date']?.slice(0, 10)])).toEqual([
      ['one', '2024-05-01'],
      ['two', '2024-05-01'],
      ['three', '2024-05-02'],
    ]);
  });

  test('keywords drop rows without them where the definition says so', () => {
    const search = 'rows: {selector: p, filters: [{name: andmatch}]}\nfields: {title: {selector: p}}';
    const html = '<p>Some.Show.S01</p><p>Other Show</p>';
    const titles = (keywords: string) =>
      reading(search, html, [['Keywords', keywords]]).rows.map((row) => row['title']);
    expect(titles('show some')).toEqual(['Some.Show.S01']);
    expect(titles('')).toEqual(['Some.Show.S01', 'Other Show']);
  });

  test('a field may be added to', () => {
    const search = 'rows: {selector: p}\nfields: {title: {text: a}, title|append: {text: "-b"}}';
    expect(reading(search, '<p>x</p>').rows).toEqual([{ title: 'a-b' }]);
  });
});

describe('what is missing is named with the selector that should have matched', () => {
  test('a required field without its element, in how many rows', () => {
    const { missing } = reading(classic.replace('a[href^="download.php"]', 'a.gone'), table);
    expect(missing).toEqual([{ field: 'download', selector: 'a.gone', rows: 2 }]);
  });

  test('an address made of an id that is missing is missing too, by the selector of the id', () => {
    const search = `rows: {selector: p}\nfields: {_id: {selector: "a.{{ .Config.kind }}", attribute: href}, title: {selector: p}, details: {text: "details.php?id={{ .Result._id }}"}}`;
    const { rows, missing } = reading(search, '<p>x</p>', [['Config.kind', 'gone']]);
    expect(rows).toEqual([{ title: 'x' }]);
    expect(missing).toEqual([
      { field: '_id', selector: 'a.gone', rows: 1 },
      { field: 'details', selector: 'a.gone', rows: 1 },
    ]);
  });

  test('an element that is there but says nothing is a missing title, not a missing comment', () => {
    const { missing } = reading(
      'rows: {selector: p}\nfields: {title: {selector: b}, x: {selector: b}}',
      '<p><b> </b></p>',
    );
    expect(missing.map(({ field }) => field)).toEqual(['title']);
  });

  test('a field that cannot be read is reported by its feature, and the others are read', () => {
    const search =
      'rows: {selector: p}\nfields: {bad: {selector: p, filters: [{name: nosuch}]}, worse: {selector: "p:nosuch"}, title: {selector: p}}';
    const { rows, unsupported } = reading(search, '<p>x</p>');
    expect(rows).toEqual([{ title: 'x' }]);
    expect(unsupported).toEqual(['filter nosuch', 'selector p:nosuch']);
  });

  test('a page without rows has none', () => {
    expect(reading(classic, '<p>nothing found</p>')).toMatchObject({ selector: 'tr.t', matched: 0, rows: [] });
  });

  test('a page of many thousand rows is read to a bound', () => {
    const { matched, rows } = reading('rows: {selector: p}\nfields: {title: {selector: p}}', '<p>x</p>'.repeat(3_000));
    expect([matched, rows.length]).toEqual([3_000, 2_000]);
  });
});
