import type { RedactionRule } from './rule.ts';

/** Secrets in running text: by what stands near, by their own shape, by an encoding, or because they are known. */
export const textRules: readonly RedactionRule[] = [
  {
    id: 'near-name',
    why: 'Messages mention a credential and its value in one breath: `typed "…" into e2 (Password)`, `<b>…</b> ist dein Passkey`',
    surfaces: ['log', 'error', 'html', 'a11y'],
    leaks: [
      'typed "s3cr3tB4cc5" into e2 (Password)',
      '<b>s3cr3tB4cc5</b> ist dein Passkey',
      'password of fox was s3cr3tB4cc5',
    ],
    keeps: [
      '- alert: Invalid username or password',
      'Passkey.2019.S01E03.720p.WEB-DL.AAC2.0.H.264-TOKEN',
      'Apikey Band - Token Ring (1998) [FLAC 24-96]',
    ],
  },
  {
    id: 'command-user',
    why: 'curl commands, pasted into issues and printed by runners',
    surfaces: ['log', 'error'],
    leaks: ['curl -u fox:s3cr3t https://t.example/api'],
    keeps: ['curl -o a.torrent https://t.example/x', 'curly -u a:b'],
  },
  {
    id: 'irc-command',
    why: 'Announce bots and NickServ take keys and passwords as words of a message',
    surfaces: ['log', 'json'],
    leaks: ['PRIVMSG TrackerBot :!invite saltpine s3cr3t', 'PRIVMSG NickServ :IDENTIFY saltpine s3cr3t'],
    keeps: ['please identify yourself', 'invite a friend'],
  },
  {
    id: 'private-key',
    why: 'RFC 7468: PEM private keys in settings and error messages',
    surfaces: ['log', 'json', 'error'],
    leaks: ['-----BEGIN RSA PRIVATE KEY-----\ns3cr3t\n-----END RSA PRIVATE KEY-----'],
    keeps: ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
  },
  {
    id: 'bare-token',
    why: '32 hex digits and random base62 from 20 characters on are keys wherever they stand, unless the words before them say digest or id',
    surfaces: ['log', 'html', 'json', 'header', 'a11y'],
    leaks: [
      "copyToClipboard('5ec2e71a55b855cc25932e50efe1be4c')",
      'filename="[5ec2e7e78e11b641e11d40b67c58f4b9].Quiet.Harbor.torrent"',
      '5170|s3cr3tTKb2Df5RUIZGrDLl1M5zyed',
    ],
    keeps: [
      'md5: 709602fdad736b154a5159e0f1d86fba  Quiet.Harbor.2021.mkv',
      '4580ba8a4c4d012143da790a7bfc250d *sample.mkv',
      'ETag: "90a955cc6985d7febfe99539e1e9ffec"',
      'Info Hash: e9697098bc28ad4993d1a87d0164209f71ffbecb',
      'traceparent: 00-cfca4a60fdbea7956885129aa01e8501-60f699dbba96ef7c-01',
      'Unique ID : 16941069730407973356605463624240401480 (0xF4664881CF4F10222A60EA1F314968ED)',
    ],
  },
  {
    id: 'jwt',
    why: 'RFC 7519 and the encrypted cookies of Laravel: JSON in base64 that begins with eyJ',
    surfaces: ['header', 'json', 'log'],
    leaks: ['got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MjUxOSJ9.s3cr3t here'],
    keeps: ['eyJoZWxsbyI6IndvcmxkIGFuZCBhbGwifQ'],
  },
  {
    id: 'base64',
    why: 'Download proxies and cursors wrap a whole address in base64; what they wrap is searched as if it stood there',
    surfaces: ['url', 'log', 'json'],
    leaks: [
      'base64 aHR0cHM6Ly90LmV4YW1wbGUvZGw/aWQ9MSZwYXNza2V5PXMzY3IzdHdvcmQ= done',
      'https://j.example/dl/x?path=aHR0cHM6Ly90LmV4YW1wbGUvZGw/aWQ9MSZwYXNza2V5PXMzY3IzdHdvcmQ=&file=a',
    ],
    keeps: [
      'data:text/plain;base64,SGVsbG8gd29ybGQ=',
      'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
    ],
  },
  {
    id: 'encoded-text',
    why: 'Addresses of which every character is escaped, names included',
    surfaces: ['url', 'log', 'html'],
    leaks: [
      'see %3f%70%61%73%73%6b%65%79%3d%73%33%63%72%33%74%77%6f%72%64%26%78',
      '<a href="&#112;&#97;&#115;&#115;&#107;&#101;&#121;&#61;&#115;&#51;&#99;&#114;&#51;&#116;&#119;&#111;&#114;&#100;">',
    ],
    keeps: ['data:image/svg+xml,%3Csvg%20viewBox=%220%200%201%201%22/%3E', '%E5%AF%86%E7%A0%81'],
  },
  {
    id: 'known-secret',
    why: 'Values that the resolver gave out go in every form, even where nothing beside them tells',
    surfaces: ['text', 'log', 'a11y', 'json', 'html', 'url'],
    leaks: ['greetings from s3cr3tPhrase', '<p>s3cr3t&#80;hrase, s3cr3tPhrase</p>'],
    keeps: ['the weather is fine'],
  },
];
