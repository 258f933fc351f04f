import { BrowserError, type OperationId, type OperationInput, type OperationType } from '@wheelhouse/contracts';
import type { OperationResult } from '../pipeline/result.ts';
import { parsePage, type SitePage } from '../sites/page.ts';
import { findSign } from './page-signs.ts';
import type { Finding } from './verdict.ts';

/** Runs operations of one job in its tab. Operation ids are the job's name and a running number. */
export interface Hand {
  operate<T extends OperationType>(
    type: T,
    rest: Omit<Extract<OperationInput, { type: T }>, 'type' | 'tabId' | 'operationId'> & {
      /** Where a later operation has to name this one. */
      readonly operationId?: OperationId;
    },
  ): Promise<OperationResult<T>>;
  nextId(what: string): OperationId;
  pause(ms: number): Promise<void>;
}

/** A page that was reached and looks like the site itself, or why not. */
export type Visit =
  | { readonly page: SitePage; readonly url: string | null; readonly httpStatus: number | null; readonly finding: null }
  | {
      readonly page: SitePage | null;
      readonly url: string | null;
      readonly httpStatus: number | null;
      readonly finding: Finding;
    };

/** How often a challenge page is looked at again: many let a real browser through by themselves. */
const challengeLooks = 2;
const challengePauseMs = 2_000;

/**
 * Loads an address and judges what is there by the signs that any site shows when it is broken.
 *
 * @param isSite whether a page is evidently the site's own; signs in its text are not believed then
 * @throws BrowserError for failures of the browser service, which say nothing about the site
 */
export async function visit(hand: Hand, url: string, isSite: (page: SitePage) => boolean): Promise<Visit> {
  let httpStatus: number | null = null;
  try {
    httpStatus = (await hand.operate('navigate', { url, idempotent: true })).httpStatus;
  } catch (error) {
    const finding = BrowserError.is(error) ? findingOf(error, url) : null;
    if (finding === null) throw error;
    return { page: null, url: null, httpStatus: null, finding };
  }
  return judge(hand, httpStatus, isSite);
}

/** Judges the page that is there now. */
export async function judge(
  hand: Hand,
  httpStatus: number | null,
  isSite: (page: SitePage) => boolean,
): Promise<Visit> {
  for (let look = 0; ; look += 1) {
    const result = await hand.operate('page_html', {});
    const page = parsePage(result.value.url, result.value.html);
    const url = result.landing?.url ?? null;
    const serverFailed = httpStatus !== null && httpStatus >= 500;
    const sign =
      !serverFailed && isSite(page)
        ? null
        : findSign({ html: page.html, title: page.title, text: page.text, httpStatus });
    if (sign === null) return { page, url, httpStatus, finding: null };
    if (sign.waitingReason !== 'challenge' || look === challengeLooks) return { page, url, httpStatus, finding: sign };
    await hand.pause(challengePauseMs);
  }
}

/** What a failed navigation says about the site; `null` when it says something about the browser service instead. */
function findingOf(error: BrowserError, url: string): Finding | null {
  const host = new URL(url).host;
  switch (error.code) {
    case 'landed_elsewhere':
      return {
        verdict: 'moved',
        because: `${host} redirects to ${error.host ?? 'another host'}, which is not on the allowlist`,
      };
    case 'page_unreachable':
      return { verdict: 'unavailable', because: `${host} cannot be reached (no answer, or no such host)` };
    case 'page_unavailable':
      return { verdict: 'unavailable', because: `${host} answers with a server error` };
    case 'deadline':
      return { verdict: 'unavailable', because: `${host} did not answer in time` };
    default:
      return null;
  }
}
