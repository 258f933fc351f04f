import { Artifact, BrowserError, decideLanding, parseAllowlist } from '@wheelhouse/contracts';
import { z } from 'zod';
import { downloadIsOnDetails, readDownload, rowDownload } from '../sites/download-link.ts';
import type { SitePage } from '../sites/page.ts';
import { listRequests } from '../sites/requests.ts';
import { checkList } from './list.ts';
import { checkLogin, isMemberPage } from './login.ts';
import { type JobNeeds, type SiteJob, type SiteJobRequest, withSiteJob } from './site-job.ts';
import { takeFile } from './take-file.ts';
import { adviceOf, type Finding, VerdictName } from './verdict.ts';
import { visit } from './visit.ts';

/** What a grab is asked. */
export interface GrabRequest extends SiteJobRequest {
  /** The details page of the entry whose file is wanted. */
  readonly detailsUrl: string;
  /** Largest file, bytes. */
  readonly maxBytes?: number | undefined;
  /** How long the file is waited for, milliseconds. Default 60 s. */
  readonly waitMs?: number | undefined;
  /** Called when a step begins. */
  readonly onStep?: ((step: 'landing' | 'login' | 'details' | 'file') => void) | undefined;
}

/** What became of a grab. */
export const GrabReport = z.object({
  site: z.string(),
  account: z.string(),
  /** `ok`: the file is captured, verified, stored, and on its way to the sinks. */
  verdict: VerdictName,
  /** One sentence. */
  because: z.string(),
  /** What to do. */
  advice: z.string(),
  artifact: Artifact.nullable(),
  sessionId: z.string(),
  durationMs: z.number(),
});
export type GrabReport = z.infer<typeof GrabReport>;

/**
 * Fetches the file of one entry of a site as its user would: logs in where needed, reads the download link by the
 * definition, loads it in a tab of its own, captures and verifies what comes.
 *
 * @throws BrowserError for what says nothing about the site: provider, database, configuration, a details address outside
 *   of the allowlist
 */
export async function grab(needs: JobNeeds, request: GrabRequest): Promise<GrabReport> {
  const began = performance.now();
  if (needs.house.capture === undefined) {
    throw new BrowserError('invalid_config', 'no folder for captured files is configured');
  }
  return withSiteJob(needs, request, 'grab', async (job) => {
    const end = await grabFile(job, request);
    return {
      site: request.definition.id,
      account: request.account,
      verdict: end.finding?.verdict ?? 'ok',
      because: job.safe.text(end.finding?.because ?? `captured ${end.artifact?.filename ?? ''}`),
      advice: end.finding === null ? 'nothing to do' : adviceOf[end.finding.verdict],
      artifact: end.artifact,
      sessionId: job.sessionId,
      durationMs: Math.round(performance.now() - began),
    };
  });
}

type GrabEnd =
  | { readonly finding: Finding; readonly artifact: null }
  | { readonly finding: null; readonly artifact: Artifact };

async function grabFile(job: SiteJob, request: GrabRequest): Promise<GrabEnd> {
  const { definition, onStep = () => undefined } = request;
  const { hand, account, sitelink, safe } = job;
  const stop = (finding: Finding): GrabEnd => ({ finding, artifact: null });
  if (!job.captures) {
    throw new BrowserError('download_blocked', 'the open session of this account blocks downloads; close it first');
  }
  onStep('landing');
  const isMember = isMemberPage(definition, account);
  const landing = await visit(hand, sitelink, isMember);
  if (landing.finding !== null) return stop(landing.finding);
  onStep('login');
  const login = await checkLogin({ hand, definition, account, sitelink, safe: safe.text }, landing);
  if (login.finding !== null) return stop(login.finding);
  onStep('details');
  const details = await visit(hand, request.detailsUrl, isMember);
  if (details.finding !== null) return stop(details.finding);
  const url = await linkOf(job, request, details.page);
  if (url === null) {
    return stop({ verdict: 'structure_changed', because: 'no download link where the definition expects one' });
  }
  const decision = decideLanding(url, parseAllowlist(job.allowlist));
  if (!decision.allowed) {
    return stop({
      verdict: 'moved',
      because: `the download link leads to ${new URL(url).host}, which is not on the allowlist`,
    });
  }
  onStep('file');
  const taken = await job.inTabOfItsOwn((own) =>
    takeFile(own, url, { deliver: true, waitMs: request.waitMs ?? 60_000, maxBytes: request.maxBytes }),
  );
  if (taken.file === null) return stop({ verdict: 'blocked', because: taken.because });
  const { artifact, reason } = taken.file;
  if (artifact === null) return stop({ verdict: 'blocked', because: reason ?? 'the file was lost' });
  return { finding: null, artifact };
}

/** The download link of an entry: by the definition's own selectors, or as its row in the list has it. */
async function linkOf(job: SiteJob, request: GrabRequest, details: SitePage): Promise<string | null> {
  const { definition, detailsUrl } = request;
  const { variables } = job.account;
  if (downloadIsOnDetails(definition)) {
    return httpLink(readDownload(details, definition, { details: detailsUrl }, variables).link?.url);
  }
  const list = listRequests(definition, job.sitelink, variables).find(
    ({ response, method }) => response === 'html' && method !== 'post',
  );
  if (list === undefined) return null;
  const seen = await visit(job.hand, list.url, isMemberPage(definition, job.account));
  if (seen.finding !== null) return null;
  const { rows } = checkList(seen.page, definition, variables);
  const row = rows.find((one) => sameAddress(one['details'], detailsUrl));
  if (row !== undefined) return httpLink(rowDownload(row)?.url);
  // An older entry is not on the first page: its own page has a link of the same form as the rows have.
  const form = rows.map((one) => httpLink(rowDownload(one)?.url)).find((url) => url !== null);
  return form === undefined || form === null ? null : linkOfForm(details, form);
}

/** The one link of a page whose path and parameter names are those of another. */
function linkOfForm(page: SitePage, form: string): string | null {
  const shape = (url: URL) => `${url.origin}${url.pathname}?${[...url.searchParams.keys()].toSorted().join('&')}`;
  const wanted = shape(new URL(form));
  const links = page.root
    .find('a[href]')
    .toArray()
    .map((link) => page.$(link).attr('href') ?? '')
    .filter((href) => URL.canParse(href, page.url))
    .map((href) => new URL(href, page.url));
  const [only, ...others] = new Set(links.filter((url) => shape(url) === wanted).map((url) => url.href));
  return others.length === 0 ? (only ?? null) : null;
}

function httpLink(url: string | undefined): string | null {
  return url !== undefined && /^https?:/.test(url) ? url : null;
}

function sameAddress(one: string | undefined, other: string): boolean {
  if (one === undefined || !URL.canParse(one) || !URL.canParse(other)) return false;
  const plain = (text: string) => {
    const url = new URL(text);
    url.hash = '';
    url.searchParams.sort();
    return url.href;
  };
  return plain(one) === plain(other);
}
