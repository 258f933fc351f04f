import { createHash } from 'node:crypto';
import type { Family } from './switches.ts';
import { toBase32 } from './totp.ts';

/** The one account of a site, with everything that must never reach a log. */
export interface Account {
  readonly uid: number;
  readonly username: string;
  readonly password: string;
  readonly email: string;
  /** In every announce URL and, with NexusPHP, in every download link: 32 hex digits. */
  readonly passkey: string;
  /** In every feed link of UNIT3D: 32 hex digits. */
  readonly rssKey: string;
  /** The cookie that holds the login. */
  readonly cookieName: string;
  /** Base32, for an authenticator app; `totp(otpSecret, Date.now())` is the code. */
  readonly otpSecret: string;
}

const cookieNames: Readonly<Record<Family, string>> = { nexusphp: 'c_secure_pass', unit3d: 'laravel_session' };

/** The account that follows from a seed: the same seed gives the same secrets, so downloads keep their checksums. */
export function createAccount(family: Family, seed: string): Account {
  const secret = (name: string) => createHash('sha256').update(`${seed}:${family}:${name}`).digest();
  return {
    uid: 10_086,
    username: family === 'nexusphp' ? 'harborfox' : 'TideWalker',
    password: `Pw!${secret('password').toString('base64url').slice(0, 14)}`,
    email: family === 'nexusphp' ? 'harborfox@mail.example' : 'tidewalker@mail.example',
    passkey: secret('passkey').toString('hex').slice(0, 32),
    rssKey: secret('rss').toString('hex').slice(0, 32),
    cookieName: cookieNames[family],
    otpSecret: toBase32(secret('otp').subarray(0, 20)),
  };
}
