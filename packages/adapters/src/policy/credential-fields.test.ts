import { describe, expect, test } from 'vitest';
import { isCredentialField } from './credential-fields.ts';

describe('S000-36 S000-o5 fields that take no plain text', () => {
  test.each([
    'Password',
    'PASSWORD:',
    'Your password (again)',
    'Passphrase',
    'Passkey',
    'OTP',
    '2FA code',
    'Two-factor authentication',
    'Verification code',
    'Security code',
    'PIN',
    'Card number',
    'CVV',
    'API key',
    'RSS key',
    'Access token',
    'Ｐａｓｓｗｏｒｄ',
    'Pass\u00adword',
    'Pass\u200bword',
    '密码',
    '密碼：',
    '图片验证码',
    '两步验证',
    'パスワード',
    '認証コード',
    '비밀번호',
    'Пароль',
    'Код подтверждения',
    'Contraseña',
    'Clave',
    'Senha',
    'Mot de passe',
    'Kennwort',
    'Passwort',
    'Hasło',
    'Heslo',
    'Jelszó',
    'Wachtwoord',
    'Lösenord',
    'Salasana',
    'Şifre',
    'Mật khẩu',
    'Κωδικός',
    'סיסמה',
    'كلمة المرور',
    'पासवर्ड',
    'รหัสผ่าน',
  ])('%s', (name) => {
    expect(isCredentialField({ name })).toBe(true);
  });

  test.each([
    { id: 'user_password' },
    { id: 'userPassword' },
    { htmlName: 'login[passwd]' },
    { htmlName: 'two_step_code', id: 'twoStep' },
    { type: 'password' },
    { type: 'PASSWORD' },
    { autocomplete: 'section-a one-time-code' },
    { autocomplete: 'current-password' },
    { autocomplete: 'cc-csc' },
  ])('by attributes alone: %j', (facts) => {
    expect(isCredentialField({ name: 'Field', ...facts })).toBe(true);
  });

  test('S000-37 a name too long to be a name', () => {
    expect(isCredentialField({ name: 'Title '.repeat(50) })).toBe(true);
  });

  test.each([
    '',
    'Title',
    'User name',
    'Search torrents',
    'E-mail',
    '用户名',
    'ユーザー名',
    'Description',
    'Compass',
    'Bypass list',
    'Spinner',
    'Opinion',
    'Tag',
    'Year',
    'Losses',
    'Encoder',
    'IMDb',
    'Keyword',
  ])('and those that do: %j', (name) => {
    expect(isCredentialField({ name, type: 'text', autocomplete: 'off' })).toBe(false);
  });
});
