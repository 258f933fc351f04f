import { createHash, randomBytes } from 'node:crypto';
import { captchaDigits } from './captcha.ts';

/** A visitor who has not logged in: what the login pages have to remember. */
export interface Visit {
  readonly id: string;
  /** Name and password were right, the code of the second factor is still missing. */
  awaitsOtp: boolean;
  /** A message for the next page only. */
  flash: string | null;
}

interface Captcha {
  readonly answer: string;
  readonly visitId: string;
}

/** Logins, visitors and captchas of one site. */
export interface Visits {
  /** The visitor with this cookie value, or a new one. */
  visit: (cookie: string | undefined) => Visit;
  /** A cookie value that counts as logged in. `issued` ones end with the state `logged_out`. */
  logIn: (by: 'login' | 'issued') => string;
  logOut: (cookie: string | undefined) => void;
  /** Whether a cookie value is logged in, in the site's normal state or in `logged_out`. */
  isLoggedIn: (cookie: string | undefined, state: 'normal' | 'logged_out') => boolean;
  /** From now on `logged_out` refuses every login made before. */
  expireLogins: () => void;
  /** A new captcha of a visitor; returns the hash that its image and its form carry. */
  newCaptcha: (visitId: string) => string;
  captchaDigitsOf: (hash: string) => string | undefined;
  /** Whether the answer is right. Every captcha is good for one try. */
  solveCaptcha: (hash: string, answer: string) => boolean;
  /** The answer of the newest captcha, or of the newest of one visitor or image hash. */
  captchaAnswer: (key?: string) => string | undefined;
  /** Forgets captchas and pending second factors, keeps logins. */
  reset: () => void;
}

const mostKept = 5_000;

/** A site that nobody has visited yet. */
export function createVisits(newCookie: () => string): Visits {
  const visits = new Map<string, Visit>();
  const logins = new Map<string, { by: 'login' | 'issued'; generation: number }>();
  const captchas = new Map<string, Captcha>();
  let generation = 0;
  return {
    visit(cookie) {
      const known = visits.get(cookie ?? '');
      if (known !== undefined) return known;
      const visit: Visit = { id: newCookie(), awaitsOtp: false, flash: null };
      keep(visits, visit.id, visit);
      return visit;
    },
    logIn(by) {
      const cookie = newCookie();
      keep(logins, cookie, { by, generation });
      return cookie;
    },
    logOut(cookie) {
      logins.delete(cookie ?? '');
    },
    isLoggedIn(cookie, state) {
      const login = logins.get(cookie ?? '');
      if (login === undefined) return false;
      return state === 'normal' || (login.by === 'login' && login.generation === generation);
    },
    expireLogins() {
      generation += 1;
    },
    newCaptcha(visitId) {
      const hash = randomBytes(16).toString('hex');
      keep(captchas, hash, { answer: captchaDigits(), visitId });
      return hash;
    },
    captchaDigitsOf: (hash) => captchas.get(hash)?.answer,
    solveCaptcha(hash, answer) {
      const captcha = captchas.get(hash);
      captchas.delete(hash);
      return captcha !== undefined && captcha.answer === answer.trim();
    },
    captchaAnswer(key) {
      const newestFirst = [...captchas].toReversed();
      return newestFirst.find(
        ([hash, { visitId }]) => key === undefined || key.includes(hash) || key.includes(visitId),
      )?.[1].answer;
    },
    reset() {
      captchas.clear();
      visits.clear();
    },
  };
}

/** The anti-forgery token of the forms that one cookie value is shown. */
export function csrfOf(cookie: string): string {
  return createHash('sha256').update(`csrf:${cookie}`).digest('base64url').slice(0, 40);
}

/** Maps keep their order: the oldest entry is dropped when there are more than 5,000. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const oldest = map.keys().next().value;
  if (map.size > mostKept && oldest !== undefined) map.delete(oldest);
}
