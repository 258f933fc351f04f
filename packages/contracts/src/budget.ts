import { z } from 'zod';
import { AllowlistEntries } from './allowlist.ts';

/**
 * What one navigation may cost and where it may end (S004-19 to S004-23).
 *
 * Checked before the request and again on every landing address. Fails `domain_blocked` (`host_not_allowed`,
 * `landed_elsewhere`), `timeout` (`deadline`, outcome `unknown` once dispatched) and `budget_exceeded` (`too_large`).
 * A malformed entry fails `invalid_allowlist` when the budget is read, never at the first navigation.
 */
export const NavigationBudget = z
  .strictObject({
    /** Hosts: `example.com` is exact, `.example.com` is the domain and everything below. Absent: the session's own list. Empty: nowhere. */
    allowlist: AllowlistEntries.optional(),
    /** Whole call, queueing, redirects and the look afterwards included. Milliseconds, 100 ms to 5 min. */
    timeoutMs: z.int().min(100).max(300_000).default(90_000),
    /** Repetitions of a navigation that was provably not dispatched. A dispatched one is never repeated. */
    maxRetries: z.int().min(0).max(5).default(1),
    /** Largest accepted body, bytes: snapshots are cut on a line, screenshots and HTML fail `too_large`. */
    maxBytes: z
      .int()
      .min(1_024)
      .max(64 * 1024 * 1024)
      .default(16 * 1024 * 1024),
  })
  .meta({ id: 'NavigationBudget' });
export type NavigationBudget = z.infer<typeof NavigationBudget>;
