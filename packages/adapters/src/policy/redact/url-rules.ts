import type { RedactionRule } from './rule.ts';

/** Secrets in addresses that no parameter name gives away. Parameters with a telling name are under `name-rules.ts`. */
export const urlRules: readonly RedactionRule[] = [
  {
    id: 'url-userinfo',
    why: 'RFC 3986 section 3.2.1: name and password before the host, in proxies, databases, web seeds and old feeds; also percent-encoded inside a magnet',
    surfaces: ['url', 'error', 'log', 'magnet'],
    leaks: [
      'http://me:s3cr3tpw@tracker.example/rss',
      'http://s3cr3tpw@tracker.example/',
      'redis://:s3cr3tpw@cache:6379/0',
      'magnet:?dn=x&tr=http%3A%2F%2Fu%3As3cr3tpw%40t.example%2Fannounce',
    ],
    keeps: [
      'https://tracker.example/@user',
      'mailto:me@tracker.example',
      'https://t.example/path:with@signs/a',
      'https://t.example/?email=fox@mail.example',
    ],
  },
  {
    id: 'bare-userinfo',
    why: 'resolvers and proxies report `name:password@host` without the scheme',
    surfaces: ['error', 'log'],
    leaks: ['getaddrinfo ENOTFOUND fox:s3cr3tpw1@t.example'],
    keeps: ['image@sha256:6e5b96b9', 'xmpp:fox@t.example', 'at 12:30 @home'],
  },
  {
    id: 'query-token',
    why: 'Trackers name key parameters with one letter or a word of their own: `r=`, `tp=`, `torrents_notify=`',
    surfaces: ['url', 'html', 'a11y'],
    leaks: [
      '/getnzb?i=37292&r=5ec2e7c921954a97e72aba6288099f2e',
      '/rss?u=4178260;tp=5ec2e744ca6626e7a212fa0dd8d1313b;l5',
    ],
    keeps: [
      '/info?hashes=f77471e2c8b1ecf567e0eb5b469413fb20d4f416',
      '/watch?v=pEOIeCMfI4s',
      '/api?id=09a80c20c6c4571099cf961c5075351e',
    ],
  },
  {
    id: 'announce-key',
    why: 'Announce and scrape addresses carry the passkey as a path segment on either side of the word',
    surfaces: ['url', 'magnet', 'log', 'a11y'],
    leaks: [
      'https://t.example/5ec2e700005ec2e700005ec2e7000000/announce',
      'udp://t.example:6969/announce/5ec2e7ecf16cb4d0b8e0ce1aa02f4e1d00aa33ff',
      'magnet:?tr=https%3A%2F%2Ft.example%2F5ec2e700005ec2e700005ec2e7000000%2Fannounce',
      'd8:announce63:https://t.example/announce/5ec2e7616e01bed9207da13bf2187831e',
    ],
    keeps: [
      'https://t.example/announce.php',
      'udp://open.example:6969/announce',
      'https://t.example/forums/announcements/12',
    ],
  },
  {
    id: 'feed-key',
    why: 'RSS, download and API addresses of UNIT3D, TorrentLeech, AnimeBytes, Sharewood and others carry the key in their path',
    surfaces: ['url', 'html', 'json', 'a11y'],
    leaks: [
      'https://u.example/torrent/download/88213.5ec2e718856a35c715bc3a4313df9c46',
      'https://tl.example/rss/download/240115/s3cr3tEjHNxDpVBCRaoQ/Quiet.Harbor.S01.torrent',
      String.raw`{"u": "https:\/\/s.example\/api\/5ec2e7aef74a2400d2fad4cefb7dce45\/last-torrents"}`,
    ],
    keeps: [
      'https://t.example/torrents/download/88213',
      'https://cache.example/torrent/3AEA4FEC00072C116E0AB7C916D1E27E32222C73.torrent',
    ],
  },
  {
    id: 'path-token',
    why: 'Some hosts serve a feed under nothing but its key; a segment that looks random is one, unless it names a picture or a script',
    surfaces: ['url', 'a11y', 'error'],
    leaks: ['https://rss.example/s3cr3tBpeLN9DGNMroEMH', "open '/data/blobs/5ec2e7aedfa76e532ec0d662ea9117f0/a'"],
    keeps: [
      'https://image.example/t/p/w500/VfuU7zOoYQGoxaYACYVHS3MLiRX.jpg',
      'https://img.example/avatars/cc2f68f64fcc41ddec7b460073338c65.png',
      '/_next/static/chunks/bb3ce9e675e3379f.js',
      'https://idx.example/torrent/5695ccaaa37b34b96226a28309a2205eaeebe459/Quiet+Harbor+2021',
    ],
  },
  {
    id: 'one-time-link',
    why: 'Invitations, password resets, confirmations and web hooks: whoever has the address has the account. 40 and 64 hex digits and UUIDs count here',
    surfaces: ['url', 'a11y', 'error', 'json'],
    leaks: [
      'https://x.example/invite/5ec2e769c277f087414d8d1466c30c413bc615b0',
      'https://x.example/reset-password/5ec2e74527feedb186501a27bc7cbdca0f5e7275c3bf2c018eddc6403559df70?email=f',
      'https://n.example/api/v1/notification/prowlarr/5ec2e7ce-a828-40c1-acd4-5ec2e70b10fd',
    ],
    keeps: ['https://x.example/invite/new', 'https://x.example/register', 'https://x.example/notifications/88213'],
  },
];
