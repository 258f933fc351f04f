import { setTimeout as sleep } from 'node:timers/promises';
import { ProfileKey, SessionId } from '@wheelhouse/contracts';
import {
  expireLeases,
  grantLease,
  handBackLease,
  openDatabase,
  releaseLock,
  renewLock,
  takeLock,
} from '@wheelhouse/db';
import { serveParent } from './child.ts';
import type { Held, LockWork } from './protocol.ts';
import { createRandom } from './random.ts';

/** A process that takes and gives back locks and leases as fast as it can, and writes down when it held which. */
const settings = JSON.parse(process.env['CHAOS_LOCKS'] ?? '{}') as {
  readonly name: string;
  readonly databaseUrl: string;
  readonly seed: number;
};
const { kysely: db } = openDatabase(settings.databaseUrl, { maxConnections: 2, applicationName: settings.name });
const random = createRandom(settings.seed);
const nowUs = () => Number(process.hrtime.bigint() / 1_000n);
/** One in so many holders stays longer than it may. */
const overstays = 200;
const ttlMs = 250;

serveParent(process.pid, async (work: LockWork) => {
  const history: Held[] = [];
  let operations = 0;
  while (operations < work.operations) {
    operations += await (work.of === 'locks' ? lockOnce(work, history) : leaseOnce(work, history));
  }
  return history;
});

/** Resolves with how many operations that were. */
async function lockOnce({ providerId, profiles }: LockWork, history: Held[]): Promise<number> {
  const profileKey = ProfileKey.parse(profiles[random.below(profiles.length)]);
  const holder = `${settings.name}-${history.length}-${random.below(1e9)}`;
  let askedUs = nowUs();
  const lock = await takeLock(db, { providerId, profileKey, holder, note: 'chaos', ttlMs });
  if (lock === null) return 1;
  const fromUs = nowUs();
  let operations = 2;
  const overstay = random.below(overstays) === 0;
  if (overstay) await sleep(ttlMs * 1.5);
  else if (random.below(4) === 0) {
    const again = nowUs();
    operations += 1;
    if (await renewLock(db, lock, ttlMs)) askedUs = again;
  }
  const untilUs = Math.min(nowUs(), askedUs + ttlMs * 1_000);
  await releaseLock(db, lock);
  history.push({ key: profileKey, fence: lock.fence, fromUs, untilUs });
  return operations;
}

async function leaseOnce({ sessions }: LockWork, history: Held[]): Promise<number> {
  const session = sessions[random.below(sessions.length)] ?? '';
  const holder = `${settings.name}-${random.below(1e9)}`;
  const askedUs = nowUs();
  const lease = await grantLease(db, { sessionId: SessionId.parse(session), holder, reason: '', ttlMs });
  if (typeof lease === 'string') {
    if (random.below(50) > 0) return 1;
    await expireLeases(db);
    return 2;
  }
  const fromUs = nowUs();
  if (random.below(overstays) === 0) await sleep(ttlMs * 1.2);
  const untilUs = Math.min(nowUs(), askedUs + ttlMs * 1_000);
  await handBackLease(db, { leaseId: lease.id, holder, note: '' });
  history.push({ key: session, fence: lease.fence, fromUs, untilUs });
  return 2;
}
