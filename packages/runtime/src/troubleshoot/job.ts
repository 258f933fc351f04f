import { WaitingReason } from '@wheelhouse/contracts';
import { z } from 'zod';
import { captureEvidence, openEvidence, writeJson } from './evidence.ts';
import { type JobNeeds, type SiteJobRequest, withSiteJob } from './site-job.ts';
import { adviceOf, StepName, StepReport, VerdictName } from './verdict.ts';
import { walk } from './walk.ts';

/** What a troubleshooting job is asked. */
export interface TroubleshootRequest extends SiteJobRequest {
  /** Folder under which evidence is kept. */
  readonly home: string;
  /** Called when a step begins. */
  readonly onStep?: ((step: StepName) => void) | undefined;
}

/** The answer to "why does this site not work?". */
export const TroubleshootReport = z.object({
  site: z.string(),
  name: z.string(),
  account: z.string(),
  verdict: VerdictName,
  /** One sentence. */
  because: z.string(),
  /** What to do. */
  advice: z.string(),
  /** The step that decided; `null` for `ok`. */
  step: StepName.nullable(),
  selector: z.string().nullable(),
  waitingReason: WaitingReason.nullable(),
  steps: z.array(StepReport),
  /** Features of the definition that are not supported; their steps went on without them. */
  unsupported: z.array(z.string()),
  evidence: z.object({ folder: z.string(), files: z.array(z.string()) }),
  sessionId: z.string(),
  durationMs: z.number(),
});
export type TroubleshootReport = z.infer<typeof TroubleshootReport>;

/**
 * Walks a site as its definition describes it (landing, login, list, details, download) and ends in one verdict with
 * evidence. Opens a session of the account, or uses the open one.
 *
 * @throws BrowserError for what says nothing about the site: provider, database, configuration
 */
export async function troubleshoot(needs: JobNeeds, request: TroubleshootRequest): Promise<TroubleshootReport> {
  const began = performance.now();
  const { definition } = request;
  return withSiteJob(needs, request, 'troubleshoot', async (job) => {
    const end = await walk({ ...job, definition, onStep: request.onStep ?? (() => undefined) });
    const folder = await openEvidence(request.home, definition.id, job.jobId);
    const { redactor } = needs.house;
    const files = [...(await captureEvidence(folder, { hand: job.hand, redactor }, end.step ?? 'end'))];
    const report: TroubleshootReport = {
      site: definition.id,
      name: definition.name,
      account: request.account,
      verdict: end.verdict,
      because: end.because,
      advice: adviceOf[end.verdict],
      step: end.step,
      selector: end.finding?.selector ?? null,
      waitingReason: end.finding?.waitingReason ?? null,
      steps: [...end.steps],
      unsupported: [...end.unsupported],
      evidence: { folder, files },
      sessionId: job.sessionId,
      durationMs: Math.round(performance.now() - began),
    };
    files.push(await writeJson(folder, 'ledger.json', await needs.sessions.operations(job.sessionId), redactor));
    files.push(await writeJson(folder, 'report.json', report, redactor));
    return report;
  });
}
