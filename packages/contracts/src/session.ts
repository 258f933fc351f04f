import { z } from 'zod';
import { AllowlistEntries } from './allowlist.ts';
import { Fence, OperationId, ProfileKey, ProviderId, SessionId } from './ids.ts';
import { Instant } from './instant.ts';
import { Controller, WaitingReason } from './lease.ts';

/** Whether a session's upstream half is known to be there. */
export const RecoveryState = z.enum(['ok', 'lost', 'needs_look', 'closing']);
export type RecoveryState = z.infer<typeof RecoveryState>;

/** What happens to files that the browser downloads: `block` for agents, `capture` for jobs that ask (contract §8). */
export const DownloadPolicy = z.enum(['block', 'capture']);
export type DownloadPolicy = z.infer<typeof DownloadPolicy>;

/** One open use of a profile on a provider; at most one unclosed per (provider, profile key). */
export const BrowserSession = z
  .object({
    id: SessionId,
    providerId: ProviderId,
    profileKey: ProfileKey,
    /** Site and account of the backend's own, for people who look. */
    siteId: z.string().nullable(),
    accountId: z.string().nullable(),
    controller: Controller,
    waitingReason: WaitingReason.nullable(),
    fence: Fence,
    /** Where the session was last seen, operator projection. */
    currentUrl: z.string().nullable(),
    recoveryState: RecoveryState,
    allowlist: AllowlistEntries,
    downloadPolicy: DownloadPolicy,
    createdAt: Instant,
    lastActivityAt: Instant,
    closedAt: Instant.nullable(),
    closeReason: z.string().nullable(),
  })
  .meta({ id: 'BrowserSession' });
export type BrowserSession = z.infer<typeof BrowserSession>;

/**
 * Opens a session, or finds the open one of this profile.
 *
 * Fails `provider_not_found`, `no_provider` (kind `none`), `capacity`, and what the upstream refuses. Opening is an
 * operation like any other: its `operationId` is used once.
 */
export const OpenSession = z.strictObject({
  providerId: ProviderId,
  profileKey: ProfileKey,
  siteId: z.string().max(200).optional(),
  accountId: z.string().max(200).optional(),
  operationId: OperationId,
  /** Where this session may go; the provider's default list when absent, nowhere when empty. */
  allowlist: AllowlistEntries.optional(),
  downloadPolicy: DownloadPolicy.default('block'),
});
export type OpenSession = z.infer<typeof OpenSession>;
