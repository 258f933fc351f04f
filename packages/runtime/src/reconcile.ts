import { randomUUID } from 'node:crypto';
import {
  BrowserError,
  type BrowserProvider,
  type CallContext,
  type Grant,
  parseAllowlist,
} from '@wheelhouse/contracts';
import {
  beginBootEpoch,
  closeSession,
  endReconcileTurn,
  findProvider,
  type KnownProfile,
  listKnownProfiles,
  readLock,
  releaseLock,
  type ReconcileMemory,
  takeLock,
  takeReconcileTurn,
} from '@wheelhouse/db';
import { keepAlive } from './pipeline/heartbeat.ts';
import type { House } from './pipeline/house.ts';
import { operate } from './pipeline/operate.ts';
import type { ProfileQueue } from './pipeline/queue.ts';
import { compareProfile, type ProfileFindings, type StrayPolicy } from './reconcile-profile.ts';

/** What is done about what nobody asked for, and about what is old. */
export interface ReconcilePolicy extends StrayPolicy {
  /** Sessions under automation without an operation for so long are closed, milliseconds. */
  readonly maxIdleMs: number;
  /** Sessions older than this are closed, waiting ones too, milliseconds. A person who drives is never interrupted. */
  readonly maxAgeMs: number;
}

/** What one pass found and did. All zero: rows and browser service agree. */
export interface ReconcileReport extends ProfileFindings {
  readonly providerId: string;
  /** `busy`: another process has the turn. `unreachable`: no evidence, so nothing was concluded. */
  readonly state: 'done' | 'busy' | 'unreachable';
  /** The browser service was started anew since the last pass, as far as can be told. */
  readonly restarted: boolean;
  /** Sessions closed for age or idleness. */
  readonly expiredSessions: number;
  /** Profiles left for the next pass: an operation runs on them, or a person drives. */
  readonly skippedProfiles: number;
  /** Profiles that could not be looked at. */
  readonly failedProfiles: number;
}

const defaults: ReconcilePolicy = {
  popups: 'adopt',
  orphans: 'close',
  maxIdleMs: 30 * 60_000,
  maxAgeMs: 24 * 3_600_000,
};
/** Longest turn, milliseconds. A pass that takes longer may meet another one; the profile locks keep them apart. */
const turnTtlMs = 120_000;
const callTimeoutMs = 30_000;
const grant: Grant = { caller: 'reconcile', classes: ['manage'], siteSelectors: false };

type QueueingHouse = House & { readonly queue: ProfileQueue };
type Counts = { -readonly [K in keyof ReconcileReport]: ReconcileReport[K] };

/**
 * One pass over a provider: rows are corrected by what the browser service shows, and the service is rid of what no row
 * knows. A tab that is gone is `lost` and comes back only by an explicit open, never by replaying refs (S004-68).
 *
 * A profile with an operation under way is never touched. Safe from many processes; one pass at a time on each
 * provider. A second pass right after finds nothing.
 *
 * @throws BrowserError `provider_not_found`, `no_provider`, `database_unreachable`
 */
export async function reconcileProvider(
  house: QueueingHouse,
  providerId: string,
  policy: Partial<ReconcilePolicy> = {},
): Promise<ReconcileReport> {
  const provider = await findProvider(house.db.kysely, providerId);
  if (provider === null) throw new BrowserError('provider_not_found', 'there is no such provider');
  const adapter = house.adapterOf({ ...provider, config: {} });
  const report = nothingFound(provider.id);
  const turn = { providerId: provider.id, holder: randomUUID() };
  const memory = await takeReconcileTurn(house.db.kysely, { ...turn, ttlMs: turnTtlMs });
  if (memory === null) return { ...report, state: 'busy' };
  let saw: ReconcileMemory | null = null;
  try {
    const health = await adapter.health(contextOf(house)).catch(() => null);
    if (health === null || health.status === 'down') return { ...report, state: 'unreachable' };
    saw = { browserRunning: health.browserRunning, activeSessions: health.activeSessions };
    const rules = { ...defaults, ...policy };
    await expireSessions(house, report, rules);
    const looks = await compareProfiles(house, adapter, report, rules);
    report.restarted = wasRestarted(memory, saw, looks);
    if (report.restarted) await beginBootEpoch(house.db.kysely, provider.id, []);
    return report;
  } finally {
    await endReconcileTurn(house.db.kysely, turn, saw);
  }
}

/** How much of what we knew of each profile is still there; `null` for those that nobody could look at. */
type Look = { readonly known: number; readonly vanished: number } | null;

/**
 * A browser service never says honestly that it was started anew. It was, when its browser stopped running with tabs
 * open, or when all tabs that we know are gone at once: of several profiles, or together with its contexts.
 */
export function wasRestarted(before: ReconcileMemory, now: ReconcileMemory, looks: readonly Look[]): boolean {
  const used = looks.filter((look) => look === null || look.known > 0);
  const allGone = used.length > 0 && used.every((look) => look !== null && look.vanished === look.known);
  if (!allGone) return false;
  if (before.browserRunning === true && now.browserRunning === false) return true;
  if (used.length > 1 || now.activeSessions === 0) return true;
  return now.activeSessions !== null && before.activeSessions !== null && now.activeSessions < before.activeSessions;
}

async function compareProfiles(
  house: QueueingHouse,
  adapter: BrowserProvider,
  report: Counts,
  rules: ReconcilePolicy,
): Promise<Look[]> {
  const looks: Look[] = [];
  for (const { providerId, profileKey } of await listKnownProfiles(house.db.kysely, report.providerId)) {
    const want = { providerId, profileKey, holder: randomUUID(), note: 'reconcile' };
    // Asking first leaves no wish behind that would make the holder's release notify everybody.
    const held = await readLock(house.db.kysely, want);
    const lock = held === null ? await takeLock(house.db.kysely, { ...want, ttlMs: house.lockTtlMs }) : null;
    if (lock === null) {
      report.skippedProfiles += 1;
      looks.push(null);
      continue;
    }
    try {
      using beat = keepAlive(house, lock);
      const [profile] = await listKnownProfiles(house.db.kysely, providerId, profileKey);
      if (profile === undefined) continue;
      const found = await compareProfile(house, { adapter, profile, rules, context: contextOf(house, beat.signal) });
      for (const [name, count] of Object.entries(found.findings)) report[name as keyof ProfileFindings] += count;
      if (found.skipped) report.skippedProfiles += 1;
      looks.push({ known: found.known, vanished: found.findings.lostTabs });
    } catch (thrown) {
      report.failedProfiles += 1;
      looks.push(null);
      house.log.warn({ providerId, code: BrowserError.is(thrown) ? thrown.code : 'internal' }, 'not reconciled');
    } finally {
      await releaseLock(house.db.kysely, lock);
    }
  }
  return looks;
}

/** Closes what is too old: through the pipeline, so that it is in the ledger like any other closing. */
async function expireSessions(house: QueueingHouse, report: Counts, rules: ReconcilePolicy): Promise<void> {
  for (const profile of await listKnownProfiles(house.db.kysely, report.providerId)) {
    const reason = expiryOf(profile, rules);
    const { open } = profile;
    if (reason === null || open === null) continue;
    // No operation is possible on a session that waits. Its row is closed, and its tabs are swept as orphans.
    if (open.controller === 'waiting') {
      if (await closeSession(house.db.kysely, { sessionId: open.id, reason })) report.expiredSessions += 1;
      continue;
    }
    if ((await readLock(house.db.kysely, profile)) !== null) continue;
    const closing = { type: 'close_session', operationId: `reconcile:${randomUUID()}`, reason } as const;
    await operate(house, open.id, closing, { grant, timeoutMs: callTimeoutMs }).then(
      () => (report.expiredSessions += 1),
      (thrown: unknown) => {
        const code = BrowserError.is(thrown) ? thrown.code : 'internal';
        house.log.warn({ sessionId: open.id, code }, 'an old session could not be closed');
      },
    );
  }
}

function expiryOf({ open }: KnownProfile, rules: ReconcilePolicy): 'max_age' | 'idle' | null {
  if (open === null || open.controller === 'human') return null;
  if (open.ageMs > rules.maxAgeMs) return 'max_age';
  return open.controller === 'automation' && open.idleMs > rules.maxIdleMs ? 'idle' : null;
}

function contextOf(house: House, lost?: AbortSignal): CallContext {
  return {
    // The deadline ends each call.
    signal: lost ?? AbortSignal.timeout(callTimeoutMs),
    deadline: new Date(Date.now() + callTimeoutMs),
    allowlist: parseAllowlist([]),
    maxBytes: 4 * 1024 * 1024,
    resolveSecret: house.resolveSecret,
  };
}

function nothingFound(providerId: string): Counts {
  return {
    providerId,
    state: 'done',
    restarted: false,
    expiredSessions: 0,
    skippedProfiles: 0,
    failedProfiles: 0,
    lostTabs: 0,
    lostSessions: 0,
    adoptedTabs: 0,
    closedTabs: 0,
    sweptSessions: 0,
    foreignTabs: 0,
  };
}
