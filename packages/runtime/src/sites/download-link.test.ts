import { describe, expect, test } from 'vitest';
import { loadDefinition } from './definition.ts';
import { downloadIsOnDetails, readDownload, rowDownload } from './download-link.ts';
import { parsePage } from './page.ts';

const hash = '0123456789abcdef0123456789abcdef01234567';
const definitionOf = (download: string) =>
  loadDefinition(
    `id: synthetic\nname: Synthetic\nlinks: [https://tracker.example/]\nsearch: {path: a, rows: {selector: tr}, fields: {title: {selector: td}}}\n${download}`,
    'synthetic.yml',
  );
const reading = (download: string, html: string, row: Readonly<Record<string, string>> = {}) =>
  readDownload(
    parsePage('https://tracker.example/t/details.php?id=7', html),
    definitionOf(download),
    row,
    new Map([['Config.kind', 'dl']]),
  );

describe('the download of an entry', () => {
  const two = `download:
  selectors:
    - {selector: "a.{{ .Config.kind }}", attribute: href}
    - {selector: 'a[href^="magnet:?"]', attribute: href}`;

  test.each([
    [
      'the first selector',
      '<a class=dl href="get.php?id=7">x</a>',
      'https://tracker.example/t/get.php?id=7',
      'torrent',
      'a.dl',
    ],
    [
      'the next one',
      `<a href="magnet:?xt=urn:btih:${hash}">x</a>`,
      `magnet:?xt=urn:btih:${hash}`,
      'magnet',
      'a[href^="magnet:?"]',
    ],
  ] as const)('comes from %s', (...[, html, url, kind, selector]) => {
    expect(reading(two, html)).toMatchObject({ link: { url, kind, selector } });
  });

  test('is none where no selector matches, although the row has the address of the page', () => {
    expect(reading(two, '<p>removed</p>', { download: 'https://tracker.example/t/details.php?id=7' })).toEqual({
      link: null,
      tried: ['a.dl', 'a[href^="magnet:?"]'],
    });
  });

  test('may stand in the text of a script', () => {
    const inScript = `download: {selectors: [{selector: 'script:contains("torrentLink")', filters: [{name: regexp, args: 'torrentLink = "(.+?)"'}]}]}`;
    expect(reading(inScript, '<script>var torrentLink = "/get/7";</script>').link?.url).toBe(
      'https://tracker.example/get/7',
    );
  });

  test('may be made of an info hash, which has to be one', () => {
    const byHash = 'download: {infohash: {hash: {selector: code}, title: {selector: h1}}}';
    expect(reading(byHash, `<code> ${hash} </code>`).link).toEqual({
      url: `magnet:?xt=urn:btih:${hash}`,
      kind: 'infohash',
      selector: 'code',
    });
    expect(reading(byHash, '<code>unknown</code>')).toEqual({ link: null, tried: ['code'] });
  });

  test('comes with the row where the definition has nothing else', () => {
    const row = { download: 'https://tracker.example/get/7' };
    expect(downloadIsOnDetails(definitionOf(''))).toBe(false);
    expect(reading('', '<a class=dl href=x>', row)).toEqual({
      link: { url: row.download, kind: 'torrent', selector: null },
      tried: [],
    });
    expect(rowDownload({ magnet: 'MAGNET:?xt=urn:btih:x' })?.kind).toBe('magnet');
    expect(rowDownload({ download: '', infohash: hash })?.kind).toBe('infohash');
    expect(rowDownload({ infohash: 'none' })).toBeNull();
    expect(rowDownload({})).toBeNull();
  });
});
