/** Longest accessible name that is judged; a longer one hides something and counts as sensitive (S000-37). */
const longestName = 200;

/** Words of labels, ids and names of fields that take credentials. Latin ones stand alone or begin a word. */
const credentialWords: readonly string[] = [
  // English, and what programmers call fields everywhere
  'pass(?:word|phrase|code|wd|key)?s?\\b',
  'pwd\\b',
  'pswd',
  'passwort',
  'otp\\b',
  'totp\\b',
  'one.?time',
  '2fa\\b',
  'mfa\\b',
  'two.?(?:factor|step)',
  '(?:verification|security|confirmation|authentication|auth|recovery|backup|access).?codes?\\b',
  'pin\\b',
  'pin.?code',
  'cvv',
  'cvc',
  'card.?(?:number|no\\b)',
  'credit.?card',
  '(?:api|access|auth|rss|private|secret|signing|encryption|license).?keys?\\b',
  'secrets?\\b',
  'tokens?\\b',
  'authenticator',
  'credentials?\\b',
  'security.?(?:answer|question)',
  'seed.?phrase',
  // Other Latin alphabets
  'contrase',
  'clave\\b',
  'senha',
  'palavra.?passe',
  'mot.?de.?passe',
  'kennwort',
  'sicherheitscode',
  'bestätigungscode',
  'hasł',
  'haslo',
  'heslo',
  'jelsz',
  'wachtwoord',
  'lösen',
  'losenord',
  'passord',
  'adgangskode',
  'kodeord',
  'salasana',
  'lozink',
  'parol',
  'şifre',
  'sifre',
  'mật khẩu',
  'mat khau',
  'kata sandi',
  'codice di (?:sicurezza|verifica)',
  'code de (?:sécurité|vérification|securite|verification)',
  'código de (?:seguridad|verificación|segurança|verificação)',
];

/** Scripts without spaces or word borders that a pattern could use. */
const otherScripts: readonly string[] = [
  '密码|密碼|口令|密钥|密鑰|秘钥|秘鑰|验证码|驗證碼|校验码|认证码|認證碼|动态码|安全码|安全碼|两步|兩步|二步|卡号|卡號|安全问题|令牌',
  'パスワード|暗証|認証コード|確認コード|セキュリティコード|ワンタイム|合言葉|カード番号',
  '비밀번호|비번|암호|인증번호|인증 ?코드|보안 ?코드|카드 ?번호',
  'парол|код подтвержд|код безопас|код из (?:смс|sms)|пин-?код|секретн|токен',
  'κωδικ',
  'סיסמ|קוד אימות',
  'كلمة ?(?:المرور|السر)|رمز ?(?:عبور|التحقق)',
  'पासवर्ड|รหัสผ่าน',
];

const telling = new RegExp(
  `(?:^|[^\\p{L}\\p{N}])(?:${credentialWords.join('|')})|${otherScripts.join('|')}`.normalize('NFKC'),
  'iu',
);

/** `autocomplete` values of the HTML Standard that mark credentials (S000-o5). */
const credentialTokens = /current-password|new-password|one-time-code|cc-number|cc-csc/i;

/** What is known of a field. */
export interface FieldFacts {
  readonly name: string;
  readonly type?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly htmlName?: string | null | undefined;
  readonly autocomplete?: string | null | undefined;
}

/** Whether plain text must not be typed here (S000-36). When in doubt, it must not. */
export function isCredentialField(field: FieldFacts): boolean {
  if (field.name.length > longestName || field.type?.toLowerCase() === 'password') return true;
  if (field.autocomplete != null && credentialTokens.test(field.autocomplete)) return true;
  return [field.name, field.id ?? '', field.htmlName ?? ''].some((text) => telling.test(asWords(text)));
}

/** `userPassword_1` → `user Password 1`: compatibility forms made plain, invisible characters gone, words apart. */
function asWords(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[_\-.[\]]+/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/\s+/g, ' ');
}
