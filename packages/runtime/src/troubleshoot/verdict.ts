import { z } from 'zod';
import { type WaitingReason } from '@wheelhouse/contracts';

/** Why a site works or not (01-vision): the one answer of a troubleshooting job. */
export const VerdictName = z.enum([
  'ok',
  'auth_expired',
  'needs_human',
  'structure_changed',
  'moved',
  'blocked',
  'unavailable',
]);
export type VerdictName = z.infer<typeof VerdictName>;

/** The steps a troubleshooting job walks, in order. */
export const StepName = z.enum(['landing', 'login', 'list', 'details', 'download']);
export type StepName = z.infer<typeof StepName>;

/** What one step found. Nothing in here is secret: addresses are operator projections, texts are redacted. */
export const StepReport = z.object({
  step: StepName,
  /** `skipped` with the reason in `found`: the definition asks for something that is not supported, or does not need it. */
  status: z.enum(['passed', 'failed', 'skipped']),
  /** Where the page was. */
  url: z.string().nullable(),
  httpStatus: z.number().nullable(),
  /** The selector of the definition that decided. */
  selector: z.string().nullable(),
  /** What was found there, one sentence. */
  found: z.string(),
  durationMs: z.number(),
});
export type StepReport = z.infer<typeof StepReport>;

/** What kept the site from working, as the step saw it. */
export interface Finding {
  readonly verdict: Exclude<VerdictName, 'ok'>;
  /** One sentence for a person: what is wrong. */
  readonly because: string;
  /** For `needs_human`: what the person is needed for. */
  readonly waitingReason?: WaitingReason | undefined;
  readonly selector?: string | undefined;
}

/** What to do about each verdict: one clause in the imperative. */
export const adviceOf = {
  ok: 'nothing to do',
  auth_expired: 'log in again: renew the cookie, or correct user name and password',
  needs_human: 'take over the session, solve what the site asks for, and hand back',
  structure_changed: 'update the definition: the named selector no longer matches the page',
  moved: 'check the new address; if the site moved there, add its host to the definition links',
  blocked: 'read the message of the site; further attempts may make it worse',
  unavailable: 'try later; the site itself does not answer as it should',
} as const satisfies Record<VerdictName, string>;
