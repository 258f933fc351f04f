/** One kind of secret: how it looks, and lines that prove the rule. `redact.test.ts` walks this table; a rule without examples fails it. */
export interface RedactionRule {
  /** Counted in results, named in audit lines. Stable. */
  readonly id: string;
  /** Where such secrets come from, so that the rule can be judged in five years. */
  readonly why: string;
  /** Global, with one named group `secret`: what it holds goes, all around it stays. No nested quantifiers: linear time. */
  readonly find: RegExp;
  /** Must lose `s3cr3t…` completely. */
  readonly leaks: readonly string[];
  /** Must come out unchanged. */
  readonly keeps: readonly string[];
}

/** Names of parameters, keys and headers that hold a credential, without word borders. */
const credentialWord =
  'passkey|pass_?key|authkey|auth_?key|torrent_pass|rss_?key|rsskey|api_?key|apikey|access_?key|access_?token|auth_?token|refresh_?token|csrf_?token|_token|token|secret|passwd|password|downhash|session_?id|sessid|sid|sign|signature|hash_?pass|pwd|otp|totp|pin';

/** Every rule, in the order in which a secret is counted. */
export const redactionRules: readonly RedactionRule[] = [
  {
    id: 'url-userinfo',
    why: 'RFC 3986 section 3.2.1: user:password@host in proxies, old feeds and database addresses',
    find: /\b[a-z][a-z0-9+.-]{0,20}:\/\/(?<secret>[^\s/@:"'<>]{0,200}:[^\s/@"'<>]{1,200})@/gi,
    leaks: ['http://me:s3cr3t0123456789@tracker.example/rss', 'postgres://app:s3cr3t0123456789@127.0.0.1:5432/db'],
    keeps: ['mailto:me@tracker.example', 'https://tracker.example/@user'],
  },
  {
    id: 'query-credential',
    why: 'NexusPHP and UNIT3D put passkey, authkey, torrent_pass, rsskey or apikey into links',
    find: new RegExp(`[?&;](?:amp;)?(?:${credentialWord})(?:=|%3D)(?<secret>[^\\s&;#"'<>\\]]{3,400})`, 'gi'),
    leaks: [
      '/download.php?id=7&passkey=s3cr3t0123456789',
      '?id=7&amp;authkey=s3cr3t0123456789',
      '?id=7&downhash=1.s3cr3t0123456789',
    ],
    keeps: ['/torrents.php?id=7&page=2', '/search?tokens=3'],
  },
  {
    id: 'path-passkey',
    why: 'announce and RSS addresses carry 32 hex digits in the path; a 40 digit info-hash is public and must survive',
    find: /\/(?<secret>[0-9a-f]{32})(?=\/|$|[\s"'<>?#)\]])/gi,
    leaks: ['https://t.example/5eC2e700005ec2e700005ec2e7000000/announce', '/rss/5ec2e700005ec2e700005ec2e7000000'],
    keeps: [
      'magnet:?xt=urn:btih:0123456789abcdef0123456789abcdef01234567',
      '/torrent/0123456789abcdef0123456789abcdef01234567',
    ],
  },
  {
    id: 'path-token',
    why: 'UNIT3D: /torrent/download/7.<token> and /rss/7.<token>; long mixed tokens in a path stand for an account',
    find: /\/(?:rss|download|announce|feed)\/(?:\d{1,12}[./])?(?<secret>(?=[a-z0-9]{0,60}\d)[a-z0-9]{24,39}|[a-z0-9]{41,128})(?=\/|$|[\s"'<>?#)\]])/gi,
    leaks: ['/rss/7.s3cr3t0123456789abcdefgh', '/announce/s3cr3t0123456789abcdefgh'],
    keeps: ['/download/1234', '/torrents/7', '/rss/latest'],
  },
  {
    id: 'authorization',
    why: 'RFC 9110 section 11.6.2: one scheme, then the credentials; schemes stay, they help an operator',
    find: /\b(?:proxy-)?authorization["']?[ \t]*[:=][ \t]*["']?[\w-]{1,40} (?<secret>[^\s"',;]{1,8000})/gi,
    leaks: ['Authorization: Bearer s3cr3t.0123456789', '"authorization":"Basic s3cr3tczNjcjN0"'],
    keeps: ['WWW-Authenticate: Basic realm="tracker"', 'authorization code flow'],
  },
  {
    id: 'bearer',
    why: 'the scheme with its token, quoted in messages without the header name',
    find: /\bbearer (?<secret>[a-z0-9._~+/-]{8,8000}=*)/gi,
    leaks: ['sent Bearer s3cr3t0123456789'],
    keeps: ['bearer of news'],
  },
  {
    id: 'cookie',
    why: 'RFC 6265 section 4.2: pairs in one line; all of them go, since trackers name sessions as they like',
    find: /\bcookie["']?[ \t]*:[ \t]*["']?(?<secret>[\w.-]{1,256}=[^\r\n"']{1,8000})/gi,
    leaks: ['Cookie: uid=7; pass=s3cr3t0123456789', '"cookie":"c_secure_pass=s3cr3t0123456789"'],
    keeps: ['Cookie policy', 'Cookies: accepted'],
  },
  {
    id: 'session-cookie',
    why: 'names of session cookies as trackers use them (c_secure_*, PHPSESSID, remember_web_*, cf_clearance)',
    find: /\b(?:c_secure_\w{1,20}|phpsessid|\w{1,40}_session|remember_web_\w{1,60}|cf_clearance|xsrf-token|laravel_token|sessionid)=(?<secret>[^\s;,"'<>&]{3,4096})/gi,
    leaks: ['c_secure_pass=s3cr3t0123456789', 'laravel_session=s3cr3t0123456789'],
    keeps: ['phpsessid is a cookie'],
  },
  {
    id: 'key-value',
    why: 'configuration, logs and JSON: a name that says what it holds, then the value',
    find: new RegExp(
      `(?<![\\w?&;])["']?(?:[a-z]{1,20}[_-])?(?:${credentialWord})["']?[ \\t]*[:=][ \\t]*["']?(?<secret>(?!\\[redacted\\])[^\\s"',;&<>{}\\[\\]]{4,4096})`,
      'gi',
    ),
    leaks: ['passkey: s3cr3t0123456789', '{"apiKey":"s3cr3t0123456789"}', 'password=s3cr3t0123456789'],
    keeps: ['token ring', 'password: ', 'Signed: yes'],
  },
  {
    id: 'field-value',
    why: 'camofox 1.17 prints the value of password boxes into the accessibility text (recording 05-snapshot)',
    find: /(?:textbox|searchbox|spinbutton|combobox)(?: "(?:[^"\\\n]|\\.){0,400}(?:pass|passwort|contrase|senha|mot de passe|парол|密码|密碼|口令|パスワード|비밀번호|hasło|heslo|jelsz|otp|2fa|code|验证码|驗證碼|pin|key|token|secret|密钥|cookie|api)(?:[^"\\\n]|\\.){0,400}")(?: \[[^\]\n]{1,40}\]){0,6}: (?<secret>[^\n]{1,4096})/gi,
    leaks: [
      '- textbox "Password" [e2]: s3cr3t0123456789',
      '- textbox "密码" [e4]: s3cr3t0123456789',
      '- textbox "API key": "s3cr3t0123456789"',
    ],
    keeps: ['- textbox "Search" [e3]: linux iso', '- link "Forgot password?" [e5]'],
  },
  {
    id: 'token-value',
    why: 'a text box without a telling label that holds one long token holds a key',
    find: /(?:textbox)(?: "(?:[^"\\\n]|\\.){0,400}")?(?: \[[^\]\n]{1,40}\]){0,6}: "?(?<secret>(?=[^\s"\n]{0,200}\d)[^\s"\n]{20,4096})"?$/gim,
    leaks: ['- textbox [e2]: s3cr3t0123456789abcdef', '- textbox "Your feed" [e2]: https://t.example/s3cr3t0123456789'],
    keeps: ['- textbox "About" [e2]: likes long walks and linux distributions'],
  },
  {
    id: 'labelled-cell',
    why: 'user pages show the passkey in a table: the label in one cell, the key in the next',
    find: /(?:cell|rowheader|columnheader|term|text|row|paragraph|strong|definition)[^\n]{0,80}(?:passkey|密钥|秘钥|rss ?key|api ?key|api ?token|cookie)[^\n]{0,40}\n[^\n]{0,200}?(?<secret>[a-z0-9]{20,39}(?![a-z0-9])|[a-z0-9]{41,128})/gi,
    leaks: ['- cell "Passkey"\n- cell "s3cr3t0123456789abcdef"', '- cell "密钥"\n  - cell "s3cr3t0123456789abcdef"'],
    keeps: ['- cell "Passkey"\n- cell "hidden"'],
  },
  {
    id: 'labelled-text',
    why: 'the same in one line: "密钥 0123…", "Passkey 0123…"',
    find: /(?:passkey|密钥|秘钥|rss ?key|api ?key)[^\na-z0-9]{1,12}(?:[a-z]{1,12} )?(?<secret>[a-z0-9]{20,39}(?![a-z0-9])|[a-z0-9]{41,128})/gi,
    leaks: ['- row "Passkey s3cr3t0123456789abcdef"'],
    keeps: ['- row "Passkey reset"'],
  },
];
