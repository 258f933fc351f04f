import type { Account } from './account.ts';
import type { EffectRecorder } from './effects.ts';
import type { Reply, SiteRequest } from './http.ts';
import type { Family, PageKind, Switches } from './switches.ts';
import type { Catalogue } from './torrents.ts';
import type { Visits } from './visits.ts';

/** What the pages of one running site share. */
export interface SiteContext {
  readonly family: Family;
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly visits: Visits;
  readonly effects: EffectRecorder;
  readonly switches: () => Switches;
  /** Failed logins since the last success or `reset()`. */
  readonly attempts: { failed: number };
  /** `http://127.0.0.1:PORT`. */
  readonly origin: () => string;
  /** `http://localhost:PORT`, where the site is after it moved. */
  readonly movedOrigin: () => string;
}

/** How the present state changes one page. */
export interface PageMode {
  /** Which logins count: in `logged_out` only those made after the switch. */
  readonly logins: 'normal' | 'logged_out';
  /** Other markup than the definition knows. */
  readonly restructured: boolean;
}

/** The pages of one family of site software. */
export interface FamilyPages {
  /** What a path is for; `null` for anything that is not one of the named kinds. */
  kindOf: (path: string) => PageKind | null;
  /** The answer of the site itself, in its usual or in changed markup. */
  handle: (request: SiteRequest, context: SiteContext, mode: PageMode) => Reply;
  /** The notice of a site that is closed to this account or to everybody. */
  notice: (kind: 'banned' | 'unavailable' | 'maintenance', context: SiteContext) => Reply;
}

/** Whether this request comes with a login that the site accepts. */
export function isLoggedIn(request: SiteRequest, context: SiteContext, mode: PageMode): boolean {
  return context.visits.isLoggedIn(request.cookies.get(context.account.cookieName), mode.logins);
}
