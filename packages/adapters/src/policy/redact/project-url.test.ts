import { describe, expect, test } from 'vitest';
import { projectUrl } from './project-url.ts';
import { redact } from './redact.ts';

describe('S000-73 S000-74 for models every value goes, keys stay, and the fragment goes', () => {
  test.each([
    ['https://t.example/list?cat=401&page=2#top', 'https://t.example/list?cat=[redacted]&page=[redacted]'],
    ['https://t.example/list', 'https://t.example/list'],
    ['/relative?q=x', '/relative?q=[redacted]'],
    ['?cat=401', '?cat=[redacted]'],
    ['https://t.example/list?download', 'https://t.example/list?download'],
    ['https://t.example/list?a b<c>', 'https://t.example/list?[redacted]'],
    ['https://t.example/f;id=7;rows=20', 'https://t.example/f;id=[redacted];rows=[redacted]'],
    ['https://t.example/?a[]=1&b%5B0%5D=2', 'https://t.example/?a[]=[redacted]&b%5B0%5D=[redacted]'],
    ['https://fox:s3cr3t@t.example/a', 'https://t.example/a'],
    [
      'https://t.example/announce/5ec2e7616e01bed9207da13bf2187831?x=1',
      'https://t.example/announce/[redacted]?x=[redacted]',
    ],
    ['data:text/html,<b>s3cr3t', 'data:[redacted]'],
    ['javascript:login("s3cr3t")', 'javascript:[redacted]'],
    ['about:blank', 'about:blank'],
    ['not an address at all', 'not an address at all'],
    ['', ''],
  ])('%s', (url, expected) => {
    expect(projectUrl(url, 'model')).toBe(expected);
    expect(projectUrl(projectUrl(url, 'model'), 'model')).toBe(expected);
  });
});

describe('for operators only credentials go', () => {
  test.each([
    ['https://t.example/list?cat=401&page=2#top', 'https://t.example/list?cat=401&page=2#top'],
    ['https://t.example/dl?id=7&passkey=s3cr3tword#top', 'https://t.example/dl?id=7&passkey=[redacted]#top'],
    ['https://t.example/cb#access_token=s3cr3tword&state=1', 'https://t.example/cb#access_token=[redacted]&state=1'],
    ['https://fox:s3cr3t@t.example:8443/a?x=1', 'https://t.example:8443/a?x=1'],
    ['https://t.example/5ec2e7616e01bed9207da13bf2187831/announce', 'https://t.example/[redacted]/announce'],
    [
      'https://t.example/?next=%2Fdl%3Fpasskey%3Ds3cr3tword%26id%3D7',
      'https://t.example/?next=%2Fdl%3Fpasskey%3D[redacted]%26id%3D7',
    ],
  ])('%s', (url, expected) => {
    expect(projectUrl(url, 'operator')).toBe(expected);
  });
});

test('a text for a model has no query value in any of its addresses', () => {
  const text = [
    '- link "RSS" [e3]:',
    '  - /url: "torrentrss.php?rows=10&icat=1#x"',
    '- text: see https://t.example/a?b=c&d=e#frag, or ?page=3',
    '{"u":"https:\\/\\/t.example\\/a?id=7\\u0026page=3"}',
  ].join('\n');
  expect(redact(text, { projection: 'model' }).text).toBe(
    [
      '- link "RSS" [e3]:',
      '  - /url: "torrentrss.php?rows=[redacted]&icat=[redacted]"',
      '- text: see https://t.example/a?b=[redacted]&d=[redacted] or ?page=[redacted]',
      '{"u":"https:\\/\\/t.example\\/a?id=[redacted]\\u0026page=[redacted]"}',
    ].join('\n'),
  );
});
