import { z } from 'zod';
import { Fence, SessionId } from './ids.ts';
import { Instant } from './instant.ts';

/** Who may act on a session. `closed` is terminal. */
export const Controller = z.enum(['automation', 'waiting', 'human', 'closed']).meta({ id: 'Controller' });
export type Controller = z.infer<typeof Controller>;

/** Why a session waits for a person (report 57, 58). */
export const WaitingReason = z.enum(['captcha', 'second_factor', 'challenge', 'login', 'other', 'lease_expired']);
export type WaitingReason = z.infer<typeof WaitingReason>;

/** The right to control one session for a time. The database allows one active lease per session. */
export const ControlLease = z
  .object({
    id: z.uuid(),
    sessionId: SessionId,
    holderKind: z.enum(['automation', 'human']),
    /** Who holds it, as the operator's name is shown to others. 1 to 200 characters. */
    holder: z.string().min(1).max(200),
    /** Why, in the holder's words ("captcha on login"). Shown in the console and kept in the history. */
    reason: z.string().max(500),
    status: z.enum(['active', 'released', 'expired', 'revoked']),
    fence: Fence,
    acquiredAt: Instant,
    /** Control is lost at this instant unless the holder extends. Always after `acquiredAt`. */
    expiresAt: Instant,
    releasedAt: Instant.nullable(),
    releaseReason: z.string().nullable(),
  })
  .meta({ id: 'ControlLease' });
export type ControlLease = z.infer<typeof ControlLease>;

/**
 * Asks for control of a session.
 *
 * Fails `human_in_control` while somebody else holds it, `session_not_found` and `session_closed` for a session that
 * is not there. Nothing is queued: the caller decides whether to ask again.
 */
export const LeaseRequest = z.strictObject({
  sessionId: SessionId,
  holder: ControlLease.shape.holder,
  reason: ControlLease.shape.reason.default(''),
  /** How long, milliseconds from the grant. One second to one hour. */
  ttlMs: z.int().min(1_000).max(3_600_000).default(300_000),
});
export type LeaseRequest = z.infer<typeof LeaseRequest>;

/** What may happen to control. */
export const ControlEvent = z.enum(['need_human', 'grant', 'hand_back', 'expire', 'revoke', 'resume', 'close']);
export type ControlEvent = z.infer<typeof ControlEvent>;

/**
 * The whole state machine; `refused` is a `control_conflict`. No `Partial`: a new event or state does not compile
 * until every cell is decided. Expiry and revocation go to `waiting`, never straight back to `automation` (contract §7).
 */
export const nextController = {
  automation: {
    need_human: 'waiting',
    grant: 'human',
    hand_back: 'refused',
    expire: 'refused',
    revoke: 'refused',
    resume: 'refused',
    close: 'closed',
  },
  waiting: {
    need_human: 'waiting',
    grant: 'human',
    hand_back: 'refused',
    expire: 'refused',
    revoke: 'refused',
    resume: 'automation',
    close: 'closed',
  },
  human: {
    need_human: 'refused',
    grant: 'refused',
    hand_back: 'automation',
    expire: 'waiting',
    revoke: 'waiting',
    resume: 'refused',
    close: 'closed',
  },
  closed: {
    need_human: 'refused',
    grant: 'refused',
    hand_back: 'refused',
    expire: 'refused',
    revoke: 'refused',
    resume: 'refused',
    close: 'refused',
  },
} as const satisfies Record<Controller, Record<ControlEvent, Controller | 'refused'>>;
