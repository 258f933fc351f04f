import type { SessionId } from '@wheelhouse/contracts';
import { describe, expect, test } from 'vitest';
import {
  beginOperation,
  getSession,
  grantLease,
  handBackLease,
  listOperations,
  readEvents,
  settleAbandoned,
} from '../src/index.ts';
import { stepsOf, wanted } from './operation-steps.ts';
import { rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newSession, newTab } = rowsFor(database);
const { begun, settle, lockRunsOut } = stepsOf(database);
const token = 'token-of-sixteen-';

describe('operations whose holder is gone', () => {
  test('dispatched is unknown, reserved never left, and one that is held is let be; each is settled once', async () => {
    const [sent, waiting, alive] = [await newSession(), await newSession(), await newSession()];
    await begun(sent);
    await begun(waiting, { type: 'click', effect: 'interact', dispatch: false });
    const held = await begun(alive);
    await lockRunsOut(sent);
    await lockRunsOut(waiting);
    const sweeps = (await Promise.all(Array.from({ length: 10 }, () => settleAbandoned(database.db)))).flat();
    const of = (id: SessionId) => sweeps.filter(({ sessionId }) => sessionId === id);
    expect(of(sent)).toMatchObject([{ outcome: 'unknown' }]);
    expect(of(waiting)).toMatchObject([{ outcome: 'not_applied' }]);
    expect(of(alive)).toEqual([]);
    expect(await getSession(database.db, sent)).toMatchObject({ recoveryState: 'needs_look' });
    expect(await getSession(database.db, waiting)).toMatchObject({ recoveryState: 'ok' });
    expect(await settle(held)).toBe('settled');
    const settled = (await readEvents(database.db, sent)).filter(({ type }) => type === 'operation.settled');
    expect(settled).toHaveLength(1);
  });

  test('after an unknown outcome nothing is clicked until somebody looked', async () => {
    const sessionId = await newSession();
    const tabId = await newTab(sessionId);
    await begun(sessionId);
    await lockRunsOut(sessionId);
    await settleAbandoned(database.db);
    const click = wanted(sessionId, { tabId, type: 'click', effect: 'interact', documentToken: token });
    expect(await beginOperation(database.db, click)).toMatchObject({ refused: 'snapshot_required' });
  });

  test('sweeps, takeovers and operations at once never block each other for good', async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => newSession()));
    const work = Array.from({ length: 16 }, async (_, worker) => {
      for (let i = 0; i < 15; i += 1) {
        const sessionId = sessions[(worker + i) % sessions.length]!;
        if (worker % 4 === 0) await settleAbandoned(database.db);
        else if (worker % 4 === 1) {
          const lease = await grantLease(database.db, { sessionId, holder: 'ops', reason: '', ttlMs: 60_000 });
          if (typeof lease !== 'string') {
            await handBackLease(database.db, { leaseId: lease.id, holder: 'ops', note: '' });
          }
        } else {
          const want = wanted(sessionId, { lockTtlMs: 20 });
          const admitted = await beginOperation(database.db, want);
          if ('lockFence' in admitted) await settle({ want, admitted });
        }
      }
    });
    await Promise.all(work);
    await new Promise((done) => setTimeout(done, 30));
    await settleAbandoned(database.db);
    for (const sessionId of sessions) {
      const open = (await listOperations(database.db, sessionId, 1_000)).filter(({ outcome }) => outcome === null);
      expect(open).toEqual([]);
    }
  });
});
