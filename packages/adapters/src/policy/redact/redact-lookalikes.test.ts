import { assert, constantFrom, property, record, string } from 'fast-check';
import { expect, test } from 'vitest';
import { redact } from './redact.ts';

const letters = (alphabet: string, length: number) =>
  string({ unit: constantFrom(...Array.from(alphabet)), minLength: length, maxLength: length });
const hex = '0123456789abcdef';

const words = constantFrom(
  'Token',
  'Key',
  'Pass',
  'Passkey',
  'Password',
  'Secret',
  'Auth',
  'Cookie',
  'Session',
  'Login',
  'Hash',
  'Pin',
  'Harbor',
  'Quiet',
  'of',
  'the',
);
const title = record({
  name: words,
  more: words,
  sep: constantFrom('.', ' '),
  part: constantFrom('2019', '1998', 'S01E03', 'S03E11E12'),
  how: constantFrom('1080p.WEB-DL.x264', '2160p.UHD.BluRay.HEVC', '720p.HDTV.DDP5.1.H.264'),
  group: constantFrom('GRPX', 'NTb', 'TOKEN', 'KEY', 'FraMeSToR', 'd3g', 'CHDWEB'),
}).map(({ name, more, sep, part, how, group }) => `${[name, more, part, ...how.split('.')].join(sep)}-${group}`);

const digest = constantFrom(
  'MD5',
  'SHA-1',
  'sha256',
  'Info hash',
  'Infohash',
  'ETag',
  'Checksum',
  '散列值',
  '种子散列值',
  'commit',
);
const publics: Readonly<Record<string, ReturnType<typeof letters>>> = {
  title,
  'title in a link': title.map((t) => `- link "${t}" [e12]:\n  - /url: details.php?id=99812&hit=1`),
  'title in a row': title.map((t) => `- row "${t} 1.37 GiB 41 3 2025-11-02 04:11":\n  - cell "${t}"\n  - cell "41"`),
  'title in JSON': title.map((t) => JSON.stringify({ name: t, size: 83_211, id: 4410 })),
  digest: record({ label: digest, value: letters(hex, 32) }).map(({ label, value }) => `${label}: ${value}`),
  'info-hash': letters(hex, 40).map((h) => `magnet:?xt=urn:btih:${h}&tr=udp%3A%2F%2Fopen.example%3A1337%2Fannounce`),
  'info-hash in JSON': letters(hex, 40).map((h) => JSON.stringify({ hash: h, state: 'stalledUP' })),
  'info-hash in a path': letters(hex, 40).map((h) => `https://idx.example/torrent/${h}/Quiet+Harbor`),
  'checksum line': record({ h: letters(hex, 32), t: title }).map(({ h, t }) => `${h} *${t}.mkv`),
  picture: letters(hex, 32).map((h) => `https://img.example/posters/${h}.jpg`),
  'session id': letters(hex, 12).map((h) => `session 1d5dc20b-0e26-4462-a1db-${h} tab 3 opened`),
  trace: letters(hex, 16).map((h) => `traceparent: 00-cfca4a60fdbea7956885129aa01e8501-${h}-01`),
  'page number': constantFrom('pid', 'uid', 'sid', 'auth', 'api', 'pass', 'tokens', 'hash', 'key').map(
    (k) => `?${k}=10&z=1`,
  ),
  state: constantFrom(
    'token: missing',
    'password: required',
    'passkey is hidden',
    'cookie: none',
    '- alert: Wrong password. 3 attempts left',
  ),
  search: constantFrom('Search', '搜索', 'Title', 'Поиск', '検索', 'Email').map(
    (l) => `- textbox "${l}" [e3]: token of affection`,
  ),
};

test.each(Object.entries(publics))('what only looks like a secret comes out unchanged: %s', (_kind, texts) => {
  assert(
    property(texts, (text) => {
      expect(redact(text).text).toBe(text);
    }),
    { numRuns: 60 },
  );
});
