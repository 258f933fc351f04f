import { z } from 'zod';

/** A configured browser service (row `browser_provider`). */
export const ProviderId = z.uuid().brand('ProviderId');
export type ProviderId = z.infer<typeof ProviderId>;

/** One open use of a profile on a provider. */
export const SessionId = z.uuid().brand('SessionId');
export type SessionId = z.infer<typeof SessionId>;

/** One page of a session, as we name it. The upstream's own id never leaves the adapter and its row. */
export const TabId = z.uuid().brand('TabId');
export type TabId = z.infer<typeof TabId>;

/**
 * The caller's name of one operation, 1 to 200 characters, usable once in its session for ever (S001-15).
 * Any stable string of the caller's does: a job id with a step number is good, a random value per attempt is not.
 */
export const OperationId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.:/-]+$/, 'letters, digits and . _ : / - only')
  .brand('OperationId');
export type OperationId = z.infer<typeof OperationId>;

/** Grows at every change of control; a smaller one is refused everywhere (a fencing token). */
export const Fence = z.int().positive().brand('Fence');
export type Fence = z.infer<typeof Fence>;

/**
 * Identity of one browser profile: one site account. Camofox calls it `userId`.
 *
 * Accepted by every kind: 8 to 160 characters of `a-z 0-9 - _ .`, so that no upstream has to quote or fold it.
 */
export const ProfileKey = z
  .string()
  .min(8)
  .max(160)
  .regex(/^[a-z0-9][a-z0-9._-]*$/, 'lower-case letters, digits and . _ - only')
  .brand('ProfileKey');
export type ProfileKey = z.infer<typeof ProfileKey>;

/** The profile key of one account on one site: `wh-site-<uuid>-acct-<uuid>`. */
export function profileKeyOf(siteId: string, accountId: string): ProfileKey {
  return ProfileKey.parse(`wh-site-${siteId}-acct-${accountId}`);
}
