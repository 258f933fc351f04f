import { testAuthority } from './authority.ts';
import { testDownloads } from './downloads.ts';
import { testErrors } from './errors.ts';
import { testLifecycle } from './lifecycle.ts';
import { testNavigation } from './navigation.ts';
import { testOutcomes } from './outcomes.ts';
import { testRedaction } from './redaction.ts';
import { testRefusals } from './refusals.ts';
import type { Subject } from './subject.ts';

export type { Disturbance, Rig, Step, Subject } from './subject.ts';

/**
 * Holds an adapter to the contract (docs/reference/contract). What it declares is tested as a promise, and what it does
 * not as a refusal; nothing is skipped. Call it at the top of a test file.
 */
export function testConformance(subject: Subject): void {
  testRefusals(subject);
  if (!subject.declared.sessions.supported) return;
  testLifecycle(subject);
  testNavigation(subject);
  testAuthority(subject);
  testOutcomes(subject);
  testRedaction(subject);
  testDownloads(subject);
  testErrors(subject);
}
