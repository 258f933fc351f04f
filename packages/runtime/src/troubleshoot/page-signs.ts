import type { Finding } from './verdict.ts';

/** What is known of a page before any selector of a definition runs on it. */
export interface PageFacts {
  readonly title: string;
  /** Visible text, whitespace folded. */
  readonly text: string;
  /** The document as HTML. */
  readonly html: string;
  /** Status of the document; `null` when the upstream does not say. */
  readonly httpStatus: number | null;
}

/** How a broken site shows itself on any page, whatever its definition says. */
export interface PageSign {
  readonly id: string;
  /** Where such pages come from, so that the sign can be judged in five years. */
  readonly why: string;
  readonly verdict: Finding['verdict'];
  readonly waitingReason?: Finding['waitingReason'];
  /** The sentence for a person. */
  readonly because: string;
  readonly shows: (page: PageFacts) => boolean;
}

/** A page of a real list or details view has far more text than any notice that stands in its place. */
const noticeMaxChars = 4_000;
const isNotice = (page: PageFacts) => page.text.length < noticeMaxChars;
const says = (pattern: RegExp) => (page: PageFacts) =>
  isNotice(page) && (pattern.test(page.title) || pattern.test(page.text));

/**
 * Signs in the order in which they are tried: a challenge comes with status 403 or 503 and must not be taken for an
 * outage, a ban page may say "503" in its text.
 */
export const pageSigns: readonly PageSign[] = [
  {
    id: 'challenge',
    why: 'Cloudflare, DDoS-Guard and their like put a page of their own before the site (report 57, 61)',
    verdict: 'needs_human',
    waitingReason: 'challenge',
    because: 'a challenge page stands before the site (bot check)',
    shows: (page) =>
      isNotice(page) &&
      (/^(just a moment|checking your browser|ddos-guard|one more step|please wait\W)/i.test(page.title.trim()) ||
        /cf-chl-|challenge-platform|cf-turnstile|cf_chl_opt|\/cdn-cgi\/challenge|ddos-guard\/js-challenge/i.test(
          page.html,
        ) ||
        /checking your browser before accessing|verify(ing)? (that )?you are (a )?human|正在检查您的浏览器/i.test(
          page.text,
        )),
  },
  {
    id: 'firewall',
    why: 'Cloudflare error 1006 to 1020 and similar: the address of this machine is refused, nobody can click that away',
    verdict: 'blocked',
    because: 'the firewall of the site refuses this machine',
    shows: says(
      /attention required! \| cloudflare|error (?:code )?10(?:06|07|08|09|10|12|15|20)\b|you have been blocked|access denied/i,
    ),
  },
  {
    id: 'banned',
    why: 'account or address banned: UNIT3D "Account is Banned", NexusPHP "账号已被封禁"',
    verdict: 'blocked',
    because: 'the site says that the account or address is banned',
    shows: says(
      /account (is|has been|was) (banned|disabled|suspended|terminated)|your ip (address )?(is|has been) banned|you (are|have been) banned|账号已?被?(封禁|禁用|封停)|帳號已?被?(封禁|停用)|已被封禁|禁止访问|аккаунт заблокирован|vous avez été banni|gesperrt(es konto)?\b/i,
    ),
  },
  {
    id: 'login-locked',
    why: 'trackers lock the login, and then the address, after some failed logins (report 59)',
    verdict: 'blocked',
    because: 'the site has locked the login after failed attempts',
    shows: says(
      /too many (failed )?(login )?attempts|maximum (number of )?login attempts|登录已锁定|禁止登录|登錄已鎖定|登录尝试(次数)?过多/i,
    ),
  },
  {
    id: 'maintenance',
    why: 'sites answer 200 with a notice while they are being worked on',
    verdict: 'unavailable',
    because: 'the site shows a maintenance page',
    shows: says(
      /\bmaintenance\b|under construction|be back (soon|shortly)|temporarily (down|offline)|维护中|系统维护|网站维护|正在维护|維護中|техническ(ие|их) работ|wartungsarbeiten|en maintenance|karbantart/i,
    ),
  },
  {
    id: 'too-many-requests',
    why: 'RFC 6585 section 4; trackers count page loads and logins',
    verdict: 'blocked',
    because: 'the site says that it was asked too often (429)',
    shows: ({ httpStatus }) => httpStatus === 429,
  },
  {
    id: 'server-error',
    why: 'status 5xx: the site itself is broken',
    verdict: 'unavailable',
    because: 'the site answers with a server error',
    shows: ({ httpStatus }) => httpStatus !== null && httpStatus >= 500,
  },
  {
    id: 'forbidden',
    why: 'status 403 or 451 without a challenge: refused by address or country',
    verdict: 'blocked',
    because: 'the site refuses this visitor (403)',
    shows: ({ httpStatus }) => httpStatus === 403 || httpStatus === 451,
  },
];

/** The first sign that a page shows, as a finding; `null` for a page that looks like the site itself. */
export function findSign(page: PageFacts): (Finding & { readonly sign: string }) | null {
  const sign = pageSigns.find(({ shows }) => shows(page));
  if (sign === undefined) return null;
  const status = page.httpStatus === null || page.httpStatus < 400 ? '' : `, status ${page.httpStatus}`;
  return {
    sign: sign.id,
    verdict: sign.verdict,
    because: `${sign.because}${status}`,
    waitingReason: sign.waitingReason,
  };
}
