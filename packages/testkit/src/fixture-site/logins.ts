import type { SiteContext } from './site-context.ts';
import { isTotp } from './totp.ts';
import type { Visit } from './visits.ts';

/** What a person sent with the login form. */
export interface LoginAttempt {
  readonly username: string;
  readonly password: string;
  readonly captchaHash: string;
  readonly captchaAnswer: string;
}

/** `otp`: name and password are right, the second factor is asked for next. */
export type LoginResult = 'logged_in' | 'otp' | 'wrong_captcha' | 'wrong_password' | 'locked';

/** Whether the login form shows a captcha. */
export function asksCaptcha(context: SiteContext): boolean {
  return context.switches().login.startsWith('captcha');
}

/** Tries to log in and counts it. The captcha comes before the password, so a robot learns nothing about the latter. */
export function tryLogin(attempt: LoginAttempt, visit: Visit, context: SiteContext): LoginResult {
  const { account, attempts, effects, visits } = context;
  const { login } = context.switches();
  effects.count('loginPosts');
  if (attemptsLeft(context) === 0) return failed(context, 'locked');
  if (asksCaptcha(context) && !visits.solveCaptcha(attempt.captchaHash, attempt.captchaAnswer)) {
    effects.count('captchasFailed');
    return failed(context, 'wrong_captcha');
  }
  if (attempt.username !== account.username || attempt.password !== account.password) {
    attempts.failed += 1;
    return failed(context, 'wrong_password');
  }
  if (login.endsWith('otp')) {
    visit.awaitsOtp = true;
    return 'otp';
  }
  return succeeded(context);
}

/** Tries a code of the second factor and counts it. Only a visitor who passed the first can. */
export function tryOtp(code: string, visit: Visit, context: SiteContext): 'logged_in' | 'wrong_code' | 'locked' {
  const { account, attempts, effects } = context;
  effects.count('otpPosts');
  if (attemptsLeft(context) === 0) return failed(context, 'locked');
  if (!visit.awaitsOtp || !isTotp(account.otpSecret, code, Date.now())) {
    attempts.failed += 1;
    effects.count('otpFailed');
    return failed(context, 'wrong_code');
  }
  visit.awaitsOtp = false;
  return succeeded(context);
}

/** Attempts until the login is locked. */
export function attemptsLeft(context: SiteContext): number {
  return Math.max(0, context.switches().maxLoginAttempts - context.attempts.failed);
}

function failed<Result>(context: SiteContext, result: Result): Result {
  context.effects.count('loginsFailed');
  return result;
}

function succeeded(context: SiteContext): 'logged_in' {
  context.attempts.failed = 0;
  context.effects.count('loginsSucceeded');
  context.effects.record('login', context.account.username);
  return 'logged_in';
}
