import { BrowserError, decideLanding, parseAllowlist } from '@wheelhouse/contracts';
import { checkSteps } from '../sites/check.ts';
import type { SiteDefinition } from '../sites/definition.ts';
import { downloadIsOnDetails, readDownload, rowDownload } from '../sites/download-link.ts';
import type { SitePage } from '../sites/page.ts';
import { listRequests } from '../sites/requests.ts';
import type { Row } from '../sites/rows.ts';
import { checkList } from './list.ts';
import { checkLogin, isMemberPage } from './login.ts';
import type { SiteJob } from './site-job.ts';
import { takeFile } from './take-file.ts';
import type { Finding, StepName, StepReport, VerdictName } from './verdict.ts';
import { type Hand, visit, type Visit } from './visit.ts';

/** What a walk works with. */
export interface WalkNeeds extends SiteJob {
  readonly definition: SiteDefinition;
  readonly onStep: (step: StepName) => void;
}

/** Where a walk ended. */
export interface WalkResult {
  readonly verdict: VerdictName;
  readonly because: string;
  /** The step that decided; `null` for `ok`. */
  readonly step: StepName | null;
  readonly finding: Finding | null;
  readonly steps: readonly StepReport[];
  readonly unsupported: readonly string[];
}

/** What a step says of itself, besides when it ran. */
interface StepEnd {
  readonly finding: Finding | null;
  readonly skipped?: boolean;
  readonly visit?: Visit | undefined;
  readonly selector?: string | null | undefined;
  readonly found: string;
}

/** Walks landing, login, list, details and download, and stops at the first step that fails. */
export async function walk(needs: WalkNeeds): Promise<WalkResult> {
  const { hand, definition, account, sitelink } = needs;
  const steps: StepReport[] = [];
  const unsupported = new Set(Object.values(checkSteps(definition)).flat());
  const isMember = isMemberPage(definition, account);
  let failed: { readonly step: StepName; readonly finding: Finding } | null = null;

  /** Runs one step and notes how it went; later steps are not run after a failure. */
  const step = async (name: StepName, run: () => Promise<StepEnd>): Promise<void> => {
    if (failed !== null) return;
    needs.onStep(name);
    const began = performance.now();
    const { finding, skipped = false, visit: seen, selector = null, found } = await orSkipped(run, unsupported);
    if (finding !== null) failed = { step: name, finding };
    steps.push({
      step: name,
      status: finding !== null ? 'failed' : skipped ? 'skipped' : 'passed',
      url: seen?.url ?? null,
      httpStatus: seen?.httpStatus ?? null,
      selector: finding?.selector ?? selector,
      found: needs.safe.text(found),
      durationMs: Math.round(performance.now() - began),
    });
  };

  let landing: Visit | null = null;
  await step('landing', async () => {
    const seen = await visit(hand, sitelink, isMember);
    landing = seen;
    if (seen.finding !== null) return { finding: seen.finding, visit: seen, found: seen.finding.because };
    return { finding: null, visit: seen, found: `the site answers: ${seen.page.title || 'no title'}` };
  });
  let member: Visit | null = null;
  await step('login', async () => {
    if (landing === null) return { finding: null, skipped: true, found: 'no landing page' };
    const login = await checkLogin({ hand, definition, account, sitelink, safe: needs.safe.text }, landing);
    member = login.visit;
    return login;
  });
  let rows: readonly Row[] = [];
  await step('list', async () => {
    const request = listRequests(definition, sitelink, account.variables).find(({ response }) => response === 'html');
    if (request === undefined || request.method === 'post') {
      return {
        finding: null,
        skipped: true,
        found: request === undefined ? 'the list is no HTML page' : 'the list is asked for by POST',
      };
    }
    const seen = await visitOnce(hand, request.url, member, isMember);
    if (seen.finding !== null) return { finding: seen.finding, visit: seen, found: seen.finding.because };
    const list = checkList(seen.page, definition, account.variables);
    for (const feature of list.unsupported) unsupported.add(feature);
    rows = list.rows;
    return { ...list, visit: seen };
  });
  let details: SitePage | null = null;
  await step('details', async () => {
    const url = rows.find((row) => /^https?:/.test(row['details'] ?? ''))?.['details'];
    if (url === undefined) return { finding: null, skipped: true, found: 'no row has a details page' };
    const seen = await visit(hand, url, isMember);
    if (seen.finding !== null) return { finding: seen.finding, visit: seen, found: seen.finding.because };
    details = seen.page;
    return { finding: null, visit: seen, found: seen.page.title || 'a page without a title' };
  });
  await step('download', async () => checkDownload(needs, rows, details));

  const decided = failed as { readonly step: StepName; readonly finding: Finding } | null;
  return {
    verdict: decided?.finding.verdict ?? 'ok',
    because: needs.safe.text(decided?.finding.because ?? 'every step passed'),
    step: decided?.step ?? null,
    finding: decided?.finding ?? null,
    steps,
    unsupported: [...unsupported],
  };
}

/** A step that asks for something this program does not have is named and left out; the walk goes on without it. */
async function orSkipped(run: () => Promise<StepEnd>, unsupported: Set<string>): Promise<StepEnd> {
  try {
    return await run();
  } catch (error) {
    if (!BrowserError.is(error) || error.code !== 'definition_unsupported') throw error;
    unsupported.add(error.message);
    return { finding: null, skipped: true, found: `not supported: ${error.message}` };
  }
}

/** The page that is there already, when it is the very address; otherwise a visit. */
async function visitOnce(
  hand: Hand,
  url: string,
  present: Visit | null,
  isSite: (page: SitePage) => boolean,
): Promise<Visit> {
  return present?.page != null && present.finding === null && present.page.url === url
    ? present
    : visit(hand, url, isSite);
}

async function checkDownload(needs: WalkNeeds, rows: readonly Row[], details: SitePage | null): Promise<StepEnd> {
  const { definition, account, safe, allowlist } = needs;
  const row = rows[0];
  if (row === undefined) return { finding: null, skipped: true, found: 'no row was read' };
  const onDetails = downloadIsOnDetails(definition);
  if (onDetails && details === null) return { finding: null, skipped: true, found: 'no details page was read' };
  const { link, tried } =
    onDetails && details !== null
      ? readDownload(details, definition, row, account.variables)
      : { link: rowDownload(row), tried: [] };
  const selector = link?.selector ?? tried.at(-1) ?? definition.search.fields['download']?.selector ?? null;
  if (link === null) {
    const because = 'no download link where the definition expects one';
    return {
      finding: { verdict: 'structure_changed', because, selector: selector ?? undefined },
      selector,
      found: `none of ${tried.length || 1} selectors matches`,
    };
  }
  if (link.kind !== 'torrent') return { finding: null, selector, found: `a ${link.kind} link` };
  const decision = decideLanding(link.url, parseAllowlist(allowlist));
  if (!decision.allowed && decision.code === 'host_not_allowed') {
    const because = `the download link leads to ${new URL(link.url).host}, which is not on the allowlist`;
    return { finding: { verdict: 'moved', because, selector: selector ?? undefined }, selector, found: because };
  }
  if (!needs.captures) return { finding: null, selector, found: safe.url(link.url) };
  return fetched(needs, link.url, selector);
}

/** Longest wait for a file of some kilobytes, milliseconds. */
const fileWaitMs = 30_000;

/** Whether the link gives a sound file. It is kept and given to no sink: nobody asked for it. */
async function fetched(needs: WalkNeeds, url: string, selector: string | null): Promise<StepEnd> {
  const taken = await needs.inTabOfItsOwn((hand) => takeFile(hand, url, { deliver: false, waitMs: fileWaitMs }));
  const artifact = taken.file?.artifact ?? null;
  if (artifact !== null) {
    return { finding: null, selector, found: `${artifact.filename}, ${artifact.sizeBytes} bytes, sound` };
  }
  const because = needs.safe.text(taken.because ?? taken.file?.reason ?? 'the file was lost');
  return { finding: { verdict: 'blocked', because, selector: selector ?? undefined }, selector, found: because };
}
