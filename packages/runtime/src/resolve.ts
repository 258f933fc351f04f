import { randomUUID } from 'node:crypto';
import { timeLimit } from '@wheelhouse/adapters';
import {
  BrowserError,
  type CallContext,
  type OperationId,
  parseAllowlist,
  type Postcondition,
  ProfileKey,
  type SessionId,
  type TabAddress,
} from '@wheelhouse/contracts';
import {
  type Evidence,
  getSession,
  type HeldProfileLock,
  listUnknowns,
  releaseLock,
  resolveUnknown,
  takeLock,
  type UnknownOperation,
} from '@wheelhouse/db';
import { holds, listed, type Witness } from './evidence.ts';
import { keepAlive } from './pipeline/heartbeat.ts';
import type { House } from './pipeline/house.ts';

/** What became of one unknown operation. */
export interface Resolved {
  readonly sessionId: SessionId;
  readonly operationId: OperationId;
  readonly outcome: 'applied' | 'not_applied' | 'unknown';
  /** Why, in one clause. */
  readonly because: string;
}

/**
 * After this time no request to the browser service can still have an effect, milliseconds: its own longest wait is
 * 65 s (a queue of 30 s, a lock of 35 s), and a value may be set 30 s after the answer (05-camofox.md, finding 11).
 */
const quietAfterMs = 120_000;
/** A postcondition that did not come true in this time is not looked at again, milliseconds. */
const hopelessAfterMs = 600_000;
const lookTimeoutMs = 30_000;

/**
 * Settles unknown outcomes where a look proves them, and leaves all others unknown. It only looks: nothing it is given
 * can act on a page, and nothing is repeated.
 *
 * `applied`: the postcondition did not hold before the request left, holds now, and nothing else can have caused it
 * (control never moved, no later operation reached the tab).
 * `not_applied`: only for `close_tab`, whose whole effect can be seen: the tab still answers after every request must
 * have ended. A page can prove that something happened; that nothing happened behind it (a form was sent, a mail was
 * written) no page can prove.
 *
 * Idempotent, from any process. A profile that is busy is left for the next time.
 */
export async function resolveUnknowns(house: House, sessionId?: SessionId): Promise<readonly Resolved[]> {
  const done: Resolved[] = [];
  for (const unknown of await listUnknowns(house.db.kysely, { sessionId: sessionId ?? null })) {
    const found = await underLock(house, unknown, (lock, context) => settleOne(house, unknown, lock, context)).catch(
      (thrown: unknown) => {
        const code = BrowserError.is(thrown) ? thrown.code : 'internal';
        house.log.warn(
          { sessionId: unknown.sessionId, operationId: unknown.operationId, code },
          'could not be looked at',
        );
        return null;
      },
    );
    if (found !== null) done.push(found);
  }
  return done;
}

async function settleOne(
  house: House,
  unknown: UnknownOperation,
  lock: HeldProfileLock,
  context: CallContext,
): Promise<Resolved | null> {
  const { sessionId, operationId } = unknown;
  const session = await getSession(house.db.kysely, sessionId);
  if (session?.controller !== 'automation') return null;
  const verdict = await lookAt(unknown, house.adapterOf(unknown.provider), context);
  const write = async ({ outcome, ...found }: Verdict) =>
    resolveUnknown(house.db.kysely, lock, {
      sessionId,
      operationId,
      outcome,
      evidence: { ...found, lookedAt: new Date() },
    });
  const written = await write(verdict);
  const told = { sessionId, operationId, because: verdict.because };
  if (written === 'resolved') return { ...told, outcome: verdict.outcome ?? 'unknown' };
  if (written === 'noted') return { ...told, outcome: 'unknown' };
  if (written !== 'superseded') return null;
  const because = 'control moved or a later operation reached the tab, which may have caused what is seen';
  await write({ outcome: null, holds: verdict.holds, final: true, because });
  return { ...told, outcome: 'unknown', because };
}

type Verdict = Omit<Evidence, 'lookedAt'> & { readonly outcome: 'applied' | 'not_applied' | null };

/** What one look proves. */
async function lookAt(unknown: UnknownOperation, witness: Witness, context: CallContext): Promise<Verdict> {
  const tab: TabAddress = {
    sessionId: unknown.sessionId,
    profileKey: ProfileKey.parse(unknown.profileKey),
    upstreamTabId: unknown.upstreamTabId,
  };
  const postcondition: Postcondition = unknown.postcondition ?? { kind: 'tab_gone' };
  try {
    if (unknown.type === 'close_tab' && postcondition.kind === 'tab_gone') {
      return await lookForClosed(unknown, { witness, tab, context });
    }
    if (unknown.heldBefore !== false) {
      return proof(null, { holds: false, final: true }, 'it is not known that the postcondition did not hold before');
    }
    const now = await holds(postcondition, witness, tab, context);
    if (!now) {
      const final = unknown.ageMs > hopelessAfterMs;
      return proof(null, { holds: false, final }, 'it does not hold, which does not prove that nothing happened');
    }
    if (postcondition.kind === 'tab_gone') {
      const there = await listed(witness, tab, context);
      // Without another tab that is still there, all may have gone together in a crash.
      if (!unknown.otherTabs.some((other) => there.has(other))) {
        return proof(null, { holds: true, final: true }, 'the tab is gone, perhaps with the whole browser');
      }
    }
    return proof('applied', { holds: true, final: true }, 'it holds now and did not before');
  } catch (thrown) {
    if (!BrowserError.is(thrown) || !['tab_lost', 'browser_dead'].includes(thrown.code)) throw thrown;
    return proof(null, { holds: false, final: true }, 'the tab that could prove it is lost');
  }
}

interface Look {
  readonly witness: Witness;
  readonly tab: TabAddress;
  readonly context: CallContext;
}

/** Closing has one effect, and it can be seen: the list proves absence, an answer of the page itself proves presence. */
async function lookForClosed(unknown: UnknownOperation, { witness, tab, context }: Look): Promise<Verdict> {
  const there = await listed(witness, tab, context);
  if (!there.has(tab.upstreamTabId)) {
    return proof('applied', { holds: true, final: true }, 'the tab is gone, and that is all that closing does');
  }
  if (unknown.ageMs < quietAfterMs) {
    return proof(null, { holds: false, final: false }, 'the tab is there, and the request may still be under way');
  }
  await witness.look(tab, context);
  return proof('not_applied', { holds: false, final: true }, 'the tab still answers after every request has ended');
}

function proof(
  outcome: Verdict['outcome'],
  found: { readonly holds: boolean; readonly final: boolean },
  because: string,
): Verdict {
  return { outcome, ...found, because };
}

/** Runs a look while nobody else can act on the profile. Resolves with `null` when it is busy. */
async function underLock<T>(
  house: House,
  unknown: UnknownOperation,
  look: (lock: HeldProfileLock, context: CallContext) => Promise<T>,
): Promise<T | null> {
  const profileKey = ProfileKey.parse(unknown.profileKey);
  const want = { providerId: unknown.provider.id, profileKey, holder: randomUUID(), note: 'resolve' };
  const lock = await takeLock(house.db.kysely, { ...want, ttlMs: house.lockTtlMs });
  if (lock === null) return null;
  try {
    using beat = keepAlive(house, lock);
    using limit = timeLimit(lookTimeoutMs);
    return await look(lock, {
      signal: AbortSignal.any([beat.signal, limit.signal]),
      deadline: new Date(Date.now() + lookTimeoutMs),
      allowlist: parseAllowlist(unknown.allowlist),
      maxBytes: 16 * 1024 * 1024,
      resolveSecret: house.resolveSecret,
    });
  } finally {
    await releaseLock(house.db.kysely, lock);
  }
}
