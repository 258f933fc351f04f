import { z } from 'zod';
import { SessionId, TabId } from './ids.ts';
import { Instant } from './instant.ts';

/** `lost`: the upstream no longer has it; it comes back only by an explicit open, never by replaying refs (S004-68). */
export const TabStatus = z.enum(['open', 'closed', 'lost']);
export type TabStatus = z.infer<typeof TabStatus>;

/** One page of a session. */
export const BrowserTab = z
  .object({
    id: TabId,
    sessionId: SessionId,
    /** Operator projection. */
    url: z.string().nullable(),
    title: z.string().nullable(),
    status: TabStatus,
    lastSnapshotAt: Instant.nullable(),
    openedAt: Instant,
    closedAt: Instant.nullable(),
  })
  .meta({ id: 'BrowserTab' });
export type BrowserTab = z.infer<typeof BrowserTab>;
