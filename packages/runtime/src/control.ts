import { setTimeout as sleep } from 'node:timers/promises';
import {
  BrowserError,
  type BrowserSession,
  ControlLease,
  LeaseRequest,
  type ProviderKind,
  type SessionId,
  WaitingReason,
} from '@wheelhouse/contracts';
import {
  activeLease,
  type ControlState,
  expireLeases,
  extendLease,
  findProvider,
  getLease,
  getSession,
  grantLease,
  handBackLease,
  needHuman,
  readLock,
  resumeAutomation,
  revokeLease,
} from '@wheelhouse/db';
import type { z } from 'zod';
import type { House } from './pipeline/house.ts';

/** Who has a session, and what a person is wanted for. */
export interface ControlView extends ControlState {
  /** The lease in force, or `null`. */
  readonly lease: ControlLease | null;
}

/** Names a lease and who claims to hold it. */
export interface LeaseClaim {
  readonly leaseId: string;
  readonly holder: string;
}

/**
 * People at the wheel (contract §7). Each change is one transaction that moves the fence of the session, voids what was
 * seen of its pages, and is written into the history; nobody is queued.
 */
export interface Control {
  /** Who has control now. Fails `session_not_found`. */
  look(sessionId: SessionId): Promise<ControlView>;
  /**
   * Stops automation until a person has looked. `brief` tells them what to do, at most 500 characters; it is redacted.
   * Asked for again, only reason and brief change. Fails `human_in_control`, `session_not_found`, `session_closed`.
   */
  needHuman(sessionId: SessionId, reason: WaitingReason, brief?: string): Promise<ControlState>;
  /**
   * Gives control to one person. What automation has under way is broken off: its outcome is `unknown` when it had left.
   * Resolves when it has let go of the profile, or after two seconds.
   *
   * Fails `human_in_control` naming the holder, `display_busy` when somebody drives another session on the same screen,
   * `session_not_found`, `session_closed`. Nothing changed then.
   */
  request(request: z.input<typeof LeaseRequest>): Promise<ControlLease>;
  /** Keeps control for `ttlMs` from now, 1 s to 1 h. Fails `not_owner`, `lease_not_found` when it is over. */
  extend(claim: LeaseClaim & { readonly ttlMs: number }): Promise<ControlLease>;
  /**
   * Gives control back to automation, which looks again before it acts (S003-23). `note` says what was done; it is kept.
   * Fails `not_owner`, `lease_not_found` when it is over.
   */
  handBack(claim: LeaseClaim & { readonly note?: string }): Promise<ControlLease>;
  /** Takes control away, for a reason that is kept; the session waits. Fails `lease_not_found` when it is over. */
  revoke(leaseId: string, reason: string): Promise<ControlLease>;
  /** Ends all leases whose time is over; their sessions wait. Any process, any time. */
  expireDue(): Promise<readonly ControlLease[]>;
  /** Lets a waiting session go on without anybody having driven. Fails `not_waiting`, `human_in_control`, `session_closed`. */
  resume(sessionId: SessionId, by: string): Promise<ControlState>;
}

/** Longest wait for automation to let go of a profile, milliseconds. */
const letGoMs = 2_000;
const longestText = 500;

/**
 * The screen that a person would see, where sessions share one: camofox shows every account's window on one display.
 */
function displayOf(kind: ProviderKind): string | undefined {
  return kind === 'camofox' ? 'screen' : undefined;
}

/** Control of the sessions of a house. */
export function createControl(house: House): Control {
  const db = house.db.kysely;
  const told = (text: string) => house.redactor.text(text).text.slice(0, longestText);

  return {
    look: async (sessionId) => {
      const { id, controller, waitingReason, fence } = await known(house, sessionId);
      return { id, controller, waitingReason, fence, lease: await activeLease(db, sessionId) };
    },

    needHuman: async (sessionId, reason, brief = '') => {
      const read = WaitingReason.safeParse(reason);
      if (!read.success) throw new BrowserError('invalid_request', 'there is no such reason to wait for a person');
      return (await needHuman(db, sessionId, read.data, told(brief))) ?? refuse(house, sessionId);
    },

    request: async (input) => {
      const read = LeaseRequest.safeParse(input);
      if (!read.success) {
        const [issue] = read.error.issues;
        throw new BrowserError(
          'invalid_request',
          `the request for control is malformed: ${issue?.path.join('.')}: ${issue?.message}`,
        );
      }
      const session = await known(house, read.data.sessionId);
      const provider = await findProvider(db, session.providerId);
      const display = provider === null ? undefined : displayOf(provider.kind);
      const lease = await grantLease(db, { ...read.data, reason: told(read.data.reason), display });
      if (lease === 'display_busy') {
        throw new BrowserError('display_busy', 'a person drives another session on the same screen');
      }
      if (lease === 'refused') return refuse(house, read.data.sessionId);
      await automationLetsGo(house, session);
      return lease;
    },

    extend: async ({ leaseId, holder, ttlMs }) => {
      const read = LeaseRequest.shape.ttlMs.safeParse(ttlMs);
      if (!read.success) throw new BrowserError('invalid_request', 'a lease is extended by 1 second to 1 hour');
      const claim = { leaseId: idOf(leaseId), holder };
      return (await extendLease(db, { ...claim, ttlMs: read.data })) ?? missing(house, claim.leaseId, holder);
    },

    handBack: async ({ leaseId, holder, note = '' }) =>
      (await handBackLease(db, { leaseId: idOf(leaseId), holder, note: told(note) })) ??
      missing(house, leaseId, holder),

    revoke: async (leaseId, reason) =>
      (await revokeLease(db, { leaseId: idOf(leaseId), reason: told(reason) })) ?? missing(house, leaseId, null),

    expireDue: () => expireLeases(db),

    resume: async (sessionId, by) => {
      const resumed = await resumeAutomation(db, sessionId, by);
      if (resumed !== null) return resumed;
      const session = await known(house, sessionId);
      if (session.controller !== 'automation') return refuse(house, sessionId);
      throw new BrowserError('not_waiting', 'automation has this session already');
    },
  };
}

function idOf(leaseId: string): string {
  const read = ControlLease.shape.id.safeParse(leaseId);
  if (!read.success) throw new BrowserError('lease_not_found', 'there is no such lease');
  return read.data;
}

async function known(house: House, sessionId: SessionId): Promise<BrowserSession> {
  const session = await getSession(house.db.kysely, sessionId);
  if (session === null) throw new BrowserError('session_not_found', 'there is no such session');
  return session;
}

/** Why a session cannot change hands as asked. */
async function refuse(house: House, sessionId: SessionId): Promise<never> {
  const session = await known(house, sessionId);
  if (session.controller === 'closed') throw new BrowserError('session_closed', 'the session is closed');
  const lease = await activeLease(house.db.kysely, sessionId);
  const who =
    lease === null
      ? 'somebody was faster'
      : `${lease.holder} controls this session until ${lease.expiresAt.toISOString()}`;
  throw new BrowserError('human_in_control', who);
}

/** Why a lease cannot be used as asked; `holder` is `null` where anybody may. */
async function missing(house: House, leaseId: string, holder: string | null): Promise<never> {
  const lease = await getLease(house.db.kysely, leaseId);
  if (lease === null) throw new BrowserError('lease_not_found', 'there is no such lease');
  if (holder !== null && lease.holder !== holder) {
    throw new BrowserError('not_owner', 'this lease was given to somebody else');
  }
  throw new BrowserError(
    'lease_not_found',
    `the lease is over: ${lease.status === 'active' ? 'expired' : lease.status}`,
  );
}

/** Resolves when no operation holds the profile any more. Each has been told to stop; one that hangs is not waited for. */
async function automationLetsGo(house: House, { providerId, profileKey }: BrowserSession): Promise<void> {
  const until = performance.now() + letGoMs;
  while (performance.now() < until) {
    if ((await readLock(house.db.kysely, { providerId, profileKey })) === null) return;
    await sleep(25);
  }
}
