import type { RedactionRule } from './rule.ts';

/**
 * Values whose name gives them away, by the strength of the name. The names themselves are in `key-words.ts` and
 * `field-labels.ts`; how a value is bound to its name (`=`, `:`, JSON, headers, any level of escaping) in `gap.ts`.
 */
export const nameRules: readonly RedactionRule[] = [
  {
    id: 'password-value',
    why: 'Login posts, connection strings, settings and messages with a password; any value is one',
    surfaces: ['log', 'json', 'url', 'html'],
    leaks: [
      'username=fox&password=s3cr3t&remember=on',
      'Host=pg;Password=s3cr3t%@_!;Port=5432',
      '{"growl_password":"s3cr3t"}',
      'wget --http-password=s3cr3t https://t.example/x',
      'jelszo=s3cr3t&email=x',
      'ｐａｓｓｗｏｒｄ=s3cr3t&id=3',
      '密码：s3cr3t9，请勿泄露',
    ],
    keeps: [
      '?keyword=password&search_area=0',
      'password: null',
      '"password":""',
      '- text: "密码长度: 6-40 个字符"',
      'Password.The.Game.Show.S02E11.1080p',
    ],
  },
  {
    id: 'secret-value',
    why: 'Passkeys, API keys, tokens and CSRF hashes under the names that NexusPHP, Gazelle, UNIT3D, XenForo, Laravel and the *arr programs use',
    surfaces: ['url', 'json', 'header', 'html', 'log', 'a11y'],
    leaks: [
      'https://t.example/download.php?id=1&passkey=s3cr3tword',
      '?returnto=dl%3Fid%3D1%26authkey%3Ds3cr3tword%26x%3D1',
      'next=%252Fdl%253Fid%253D1%2526passkey%253Ds3cr3tword',
      String.raw`{"u":"https:\/\/t.example\/dl?id=1\u0026torrent_pass=s3cr3tword\u0026page=3"}`,
      '<a href="download.php?id=8&amp;passkey&#61;s3cr3tword">',
      String.raw`{"body":"{\"passkey\":\"s3cr3tword\"}"}`,
      'X-Plex-Token: s3cr3t3JFbzH9',
      'Passkey is: s3cr3t88fbb8b.',
      'node app.js --apikey s3cr3tword --port 9000',
    ],
    keeps: [
      '"hasPasskey":true,"passkeyLength":32',
      '&usetoken=1',
      '?token_count=12',
      'token: undefined',
      'passkey=***',
      'You have 3 freeleech tokens left',
      '?secretsanta=2025',
    ],
  },
  {
    id: 'code-value',
    why: 'One-time passwords, PINs and recovery codes: few digits, which only their name gives away',
    surfaces: ['log', 'url', 'json', 'html'],
    leaks: ['two_step_code=s3cr3t12', 'OTP code: s3cr3t-12', '{"backup_code": "s3cr3t-77ab"}'],
    keeps: ['?two_step=off', '?pinned=1', 'PIN.1988.Uncut.1080p', '2FA.Explained.2024.Udemy'],
  },
  {
    id: 'session-value',
    why: 'Session ids and login hashes. UUIDs stay (operators follow sessions by them), and so does a 40 digit `hash`, which is an info-hash',
    surfaces: ['url', 'header', 'log'],
    leaks: [
      'ucp.php?mode=logout&sid=s3cr3tB4cc5dab',
      'logout?session=s3cr3tKzxf2OeW3E',
      '?hash=s3cr3tB4cc5dabX9s3cr3tB4',
    ],
    keeps: [
      '?session=3&class=4',
      '?sid=4&sk=t',
      '?hash=sha1',
      'session 1d5dc20b-0e26-4462-a1db-74bb4df1469d tab 3 opened',
      '?hash=474ec7fb9c503e0a63927929ed24285d77af1fa2',
    ],
  },
  {
    id: 'weak-value',
    why: '`key`, `pid`, `rid`, `auth`, `sign` and `api` mean a credential on one site and a page number on the next: the value decides',
    surfaces: ['url', 'log', 'a11y', 'json'],
    leaks: [
      '?p=torrents&pid=10&key=s3cr3tBdf71d',
      'notifier.php: api=5ec2e7c8-95e2-4ed5-a70b-5ec2e7da2457',
      'auth=s3cr3tX9y2',
    ],
    keeps: [
      '?pid=10',
      '?key=imdb&value=tt0111161',
      '?auth=0',
      'auth=none',
      '?sort_key=added',
      'const key = event.key;',
      'for (const [key, value] of params) {}',
    ],
  },
  {
    id: 'cookie',
    why: 'RFC 6265: all cookies but small numbers and short words, since trackers name their sessions as they like',
    surfaces: ['header', 'log', 'json', 'a11y', 'html'],
    leaks: [
      'Cookie: lang=chs; love=s3cr3t5014eb73b; theme=2',
      'Set-Cookie: xf_user=4410%2Cs3cr3t; Max-Age=31536000; HttpOnly',
      'document.cookie = "tlx=s3cr3tPKzxf2; path=/"',
      '{"headers": [["cookie", "tlx=s3cr3tAeEIyn4D8"]]}',
    ],
    keeps: [
      'Cookie names: c_secure_uid, c_secure_pass',
      'Set-Cookie: (3 cookies)',
      'Cookie: lang=chs; theme=2',
      '- cell "Cookie policy"',
    ],
  },
  {
    id: 'authorization',
    why: 'RFC 9110 section 11.6.2: one scheme, then the credentials. The scheme and the realm help an operator and stay',
    surfaces: ['header', 'json', 'log'],
    leaks: [
      'Authorization: Token s3cr3tab',
      'Authorization: Digest username="fox", realm="t", response="s3cr3t99"',
      '{"headers": {"authorization": "s3cr3tPF"}}',
    ],
    keeps: [
      'WWW-Authenticate: Basic realm="tracker"',
      'Access-Control-Allow-Headers: Authorization, X-API-Key',
      'Authorization: Bearer [REDACTED]',
    ],
  },
  {
    id: 'bearer',
    why: 'RFC 6750: the scheme shows up in messages and code without its header',
    surfaces: ['log', 'json', 'error'],
    leaks: ['got Bearer s3cr3t-OXPZFw6p from the vault'],
    keeps: ['The.Bearer.2018.German.DL.1080p', 'Basic (removed)', 'the bearer of this letter'],
  },
  {
    id: 'netscape-cookie',
    why: 'cookies.txt as curl, wget, yt-dlp and browser extensions write it',
    surfaces: ['log'],
    leaks: ['.example.com\tTRUE\t/\tTRUE\t1798000000\ttlx\ts3cr3t9f0e7c2688'],
    keeps: ['.example.com\tTRUE\t/\tTRUE\t1798000000\tlang\ten'],
  },
];
