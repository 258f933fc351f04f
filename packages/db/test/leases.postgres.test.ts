import { LeaseRequest, type SessionId } from '@wheelhouse/contracts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  activeLease,
  beginOperation,
  closeSession,
  expireLeases,
  extendLease,
  getLease,
  getSession,
  grantLease,
  handBackLease,
  needHuman,
  readEvents,
  remainingControl,
  resumeAutomation,
  revokeLease,
} from '../src/index.ts';
import { rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newProvider, newSession, newTab } = rowsFor(database);

const askedBy = (sessionId: SessionId, holder: string, ttlMs = 60_000) =>
  LeaseRequest.parse({ sessionId, holder, ttlMs });

async function granted(sessionId: SessionId, holder = 'ops', display?: string) {
  const lease = await grantLease(database.db, { ...askedBy(sessionId, holder), display });
  if (typeof lease === 'string') throw new Error(lease);
  return lease;
}

/** Moves the end of a lease into the past. */
async function letTimePass(sessionId: SessionId) {
  await sql`update browser_control_lease set acquired_at = now() - interval '1 hour', expires_at = now() - interval '1 s'
    where session_id = ${sessionId} and status = 'active'`.execute(database.db);
}

describe('taking control', () => {
  test('of twenty people who ask at once, one gets the wheel and the fence moves once', async () => {
    for (let round = 0; round < 25; round += 1) {
      const sessionId = await newSession();
      const asks = Array.from({ length: 20 }, (_, i) => grantLease(database.db, askedBy(sessionId, `person ${i}`)));
      const leases = (await Promise.all(asks)).filter((lease) => typeof lease !== 'string');
      expect(leases).toHaveLength(1);
      expect(leases[0]).toMatchObject({ sessionId, fence: 2, status: 'active', holderKind: 'human' });
      expect(await getSession(database.db, sessionId)).toMatchObject({ fence: 2, controller: 'human' });
    }
  });

  test('what automation saw before is void, and it must look first when it gets control back', async () => {
    const sessionId = await newSession();
    const tabId = await newTab(sessionId);
    const lease = await granted(sessionId);
    expect(await tokenOf(tabId)).toBeNull();
    await handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: 'done' });
    const begun = await beginOperation(database.db, {
      sessionId,
      tabId,
      operationId: 'click-1',
      type: 'click',
      effect: 'interact',
      caller: 'test',
      documentToken: 'token-of-sixteen-',
      holder: 'h',
      lockTtlMs: 1000,
      dispatch: false,
    });
    expect(begun).toMatchObject({ refused: 'snapshot_required' });
  });

  test('while a person drives, automation is refused and told so', async () => {
    const sessionId = await newSession();
    await granted(sessionId);
    const begun = await beginOperation(database.db, {
      sessionId,
      tabId: null,
      operationId: null,
      type: 'list_tabs',
      effect: 'observe',
      caller: 'test',
      documentToken: null,
      holder: 'h',
      lockTtlMs: 1000,
      dispatch: true,
    });
    expect(begun).toMatchObject({ refused: 'human_in_control' });
  });

  test('an unknown and a closed session are refused, and nothing is left behind', async () => {
    const sessionId = await newSession();
    await closeSession(database.db, { sessionId, reason: 'done' });
    expect(await grantLease(database.db, askedBy(sessionId, 'ops'))).toBe('refused');
    expect(await activeLease(database.db, sessionId)).toBeNull();
  });

  test('one person at a time on a screen that sessions share, and the next when it is free', async () => {
    const provider = await newProvider();
    const [first, second] = [await newSession(provider), await newSession(provider)];
    const lease = await granted(first, 'ops', ':1');
    const asks = Array.from({ length: 5 }, () =>
      grantLease(database.db, { ...askedBy(second, 'other'), display: ':1' }),
    );
    expect(await Promise.all(asks)).toEqual(asks.map(() => 'display_busy'));
    expect(await getSession(database.db, second)).toMatchObject({ controller: 'automation', fence: 1 });
    await handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: '' });
    await granted(second, 'other', ':1');
  });
});

describe('giving control back', () => {
  test('of twenty hand-backs at once one counts, and only by the holder', async () => {
    const sessionId = await newSession();
    const lease = await granted(sessionId);
    expect(await handBackLease(database.db, { leaseId: lease.id, holder: 'somebody', note: '' })).toBeNull();
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: 'captcha solved' }),
      ),
    );
    expect(all.filter((ended) => ended !== null)).toHaveLength(1);
    expect(await getSession(database.db, sessionId)).toMatchObject({
      controller: 'automation',
      fence: 3,
      waitingReason: null,
      recoveryState: 'needs_look',
    });
    expect(await getLease(database.db, lease.id)).toMatchObject({
      status: 'released',
      releaseReason: 'captcha solved',
    });
  });

  test('a lease that ran out goes to waiting, never straight back to automation', async () => {
    const sessionId = await newSession();
    const lease = await granted(sessionId);
    await letTimePass(sessionId);
    expect(await handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: '' })).toBeNull();
    const sweeps = await Promise.all(Array.from({ length: 10 }, () => expireLeases(database.db)));
    expect(sweeps.flat().filter(({ id }) => id === lease.id)).toHaveLength(1);
    expect(await getSession(database.db, sessionId)).toMatchObject({
      controller: 'waiting',
      waitingReason: 'lease_expired',
      fence: 3,
    });
  });

  test('an extension that came first is not swept away, and one that came late is refused', async () => {
    for (let round = 0; round < 25; round += 1) {
      const sessionId = await newSession();
      const lease = await granted(sessionId);
      await sql`update browser_control_lease set acquired_at = now() - interval '1 hour', expires_at = now() + interval '4 ms'
        where id = ${lease.id}`.execute(database.db);
      const [extended] = await Promise.all([
        extendLease(database.db, { leaseId: lease.id, holder: 'ops', ttlMs: 60_000 }),
        ...Array.from({ length: 8 }, () => expireLeases(database.db)),
      ]);
      if (extended === null) await expireLeases(database.db);
      const kept = { controller: 'human', status: 'active' };
      const lost = { controller: 'waiting', status: 'expired' };
      const now = {
        controller: (await getSession(database.db, sessionId))?.controller,
        status: (await getLease(database.db, lease.id))?.status,
      };
      expect(now).toEqual(extended === null ? lost : kept);
    }
  });

  test('hand-back, revocation, expiry and closing at once end a lease once', async () => {
    for (let round = 0; round < 25; round += 1) {
      const sessionId = await newSession();
      const lease = await granted(sessionId);
      if (round % 2 === 0) await letTimePass(sessionId);
      const [back, revoked, expired, closed] = await Promise.all([
        handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: '' }),
        revokeLease(database.db, { leaseId: lease.id, reason: 'needed elsewhere' }),
        expireLeases(database.db),
        closeSession(database.db, { sessionId, reason: 'done' }),
      ]);
      const endings = [back, revoked, ...expired.filter(({ id }) => id === lease.id)].filter((end) => end !== null);
      expect(endings.length).toBeLessThanOrEqual(1);
      expect(closed).toBe(true);
      expect((await getLease(database.db, lease.id))?.status).not.toBe('active');
      expect(await getSession(database.db, sessionId)).toMatchObject({
        controller: 'closed',
        fence: endings.length + 3,
      });
    }
  });

  test('a revoked lease leaves the session waiting for the reason it had', async () => {
    const sessionId = await newSession();
    await needHuman(database.db, sessionId, 'captcha');
    const lease = await granted(sessionId);
    await revokeLease(database.db, { leaseId: lease.id, reason: 'shift is over' });
    expect(await getSession(database.db, sessionId)).toMatchObject({ controller: 'waiting', waitingReason: 'captcha' });
  });
});

describe('waiting for a person', () => {
  test('stops automation once, tells the newest reason, and goes on by resume', async () => {
    const sessionId = await newSession();
    expect(await needHuman(database.db, sessionId, 'captcha')).toMatchObject({ controller: 'waiting', fence: 2 });
    expect(await needHuman(database.db, sessionId, 'second_factor')).toMatchObject({
      waitingReason: 'second_factor',
      fence: 2,
    });
    expect(await resumeAutomation(database.db, sessionId, 'ops')).toMatchObject({ controller: 'automation', fence: 3 });
    expect(await resumeAutomation(database.db, sessionId, 'ops')).toBeNull();
  });

  test('is refused while a person drives', async () => {
    const sessionId = await newSession();
    await granted(sessionId);
    expect(await needHuman(database.db, sessionId, 'captcha')).toBeNull();
    expect(await resumeAutomation(database.db, sessionId, 'ops')).toBeNull();
  });
});

describe('what a gateway may rely on', () => {
  test('a lease gives control for the time that is left, and none under another fence or after the end', async () => {
    const sessionId = await newSession();
    const lease = await granted(sessionId);
    const left = await remainingControl(database.db, lease.id, lease.fence);
    expect(left).toBeGreaterThan(55_000);
    expect(left).toBeLessThanOrEqual(60_000);
    expect(await remainingControl(database.db, lease.id, 1 as typeof lease.fence)).toBe(0);
    await revokeLease(database.db, { leaseId: lease.id, reason: 'x' });
    expect(await remainingControl(database.db, lease.id, lease.fence)).toBe(0);
  });

  test('every change of control is in the history', async () => {
    const sessionId = await newSession();
    await needHuman(database.db, sessionId, 'login');
    const lease = await granted(sessionId);
    await extendLease(database.db, { leaseId: lease.id, holder: 'ops', ttlMs: 120_000 });
    await handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: 'logged in' });
    await closeSession(database.db, { sessionId, reason: 'done' });
    const events = await readEvents(database.db, sessionId);
    expect(events.map(({ type, data }) => [type, data['event'] ?? null])).toEqual([
      ['session.opened', null],
      ['control.changed', 'need_human'],
      ['control.changed', 'grant'],
      ['control.changed', 'extend'],
      ['control.changed', 'hand_back'],
      ['session.closed', null],
    ]);
    expect(await readEvents(database.db, sessionId, { after: events[3]!.id })).toEqual(events.slice(4));
  });
});

async function tokenOf(tabId: string) {
  const row = await database.db
    .selectFrom('browser_tab')
    .select('document_token')
    .where('id', '=', tabId)
    .executeTakeFirstOrThrow();
  return row.document_token;
}
