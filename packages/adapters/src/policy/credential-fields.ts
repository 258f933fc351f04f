/** Longest accessible name that is judged; a longer one hides something and counts as sensitive (S000-37). */
const longestName = 200;

/** Words of labels, ids and names of fields that take credentials, in the languages of the field. */
const credentialWords =
  /pass(word|phrase|wd|wort)?\b|passkey|\bpwd\b|contrase|senha|mot de passe|парол|密码|密碼|口令|パスワード|비밀번호|has[lł]o|heslo|jelsz|wachtwoord|lösen|otp|one.?time|\b2fa\b|two.?factor|verification code|security code|验证码|驗證碼|认证码|动态码|код подтвержд|\bpin\b|\bcvv\b|\bcvc\b|card.?number|卡号|api.?key|access.?key|secret|token|authenticator|密钥|秘钥/i;

/** `autocomplete` values of the HTML Standard that mark credentials. */
const credentialTokens = /current-password|new-password|one-time-code|cc-number|cc-csc/i;

/** What is known of a field. */
export interface FieldFacts {
  readonly name: string;
  readonly type?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly htmlName?: string | null | undefined;
  readonly autocomplete?: string | null | undefined;
}

/** Whether plain text must not be typed here (S000-36, S000-o5). When in doubt, it must not. */
export function isCredentialField(field: FieldFacts): boolean {
  const name = field.name.normalize('NFKC');
  if (name.length > longestName || field.type === 'password') return true;
  if (field.autocomplete != null && credentialTokens.test(field.autocomplete)) return true;
  return [name, field.id ?? '', field.htmlName ?? ''].some((text) =>
    credentialWords.test(text.normalize('NFKC').replace(/[_-]/g, ' ')),
  );
}
