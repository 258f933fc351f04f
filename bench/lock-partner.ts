import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimit } from '@wheelhouse/adapters';
import {
  createListener,
  type HeldProfileLock,
  openDatabase,
  profileLockChannel,
  releaseLock,
  takeLock,
} from '@wheelhouse/db';
import { echoChannel, notify } from './lock-handover.ts';

/**
 * The other process of `lock-handover.ts`: answers each notice with one, and waits for the lock as an operation does.
 * Tells its parent when it waits and when it got the lock, by the machine's monotonic clock.
 */
const { url, want } = JSON.parse(process.env['BENCH_PARTNER'] ?? '{}') as {
  readonly url: string;
  readonly want: Omit<Parameters<typeof takeLock>[1], 'holder'>;
};
const { kysely: db } = openDatabase(url, { maxConnections: 2 });
const listener = createListener(url, [profileLockChannel, echoChannel]);
const payload = `${want.providerId} ${want.profileKey}`;

listener.on(echoChannel, (said) => {
  if (said?.startsWith('ping') === true) void notify(db, said.replace('ping', 'pong'));
});

/** Waits for the lock: looks, and looks again when it hears of a release. */
async function take(holder: string, waiting: () => void): Promise<HeldProfileLock> {
  for (;;) {
    using limit = timeLimit(2_000);
    const freed = listener.waitFor(profileLockChannel, payload, limit.signal);
    const lock = await takeLock(db, { ...want, holder });
    if (lock !== null) return lock;
    waiting();
    await freed;
  }
}

let round = 0;
process.on('message', () => {
  void (async () => {
    const lock = await take(`partner-${(round += 1)}`, () => process.send?.({ waits: true }));
    process.send?.({ heldNs: String(process.hrtime.bigint()) });
    await releaseLock(db, lock);
    process.send?.({ released: true });
  })();
});
process.once('disconnect', () => process.exit(0));
// The listener connects by itself; a notice before that would be missed.
await sleep(500);
process.send?.({ ready: true });
