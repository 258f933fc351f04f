import { createRedactor } from '@wheelhouse/adapters';
import { BrowserError, type BrowserProvider } from '@wheelhouse/contracts';
import { controlChannel, createListener, openDatabase, profileLockChannel } from '@wheelhouse/db';
import type { House } from '../src/pipeline/house.ts';
import { ProfileQueue } from '../src/pipeline/queue.ts';

/** What a runtime is made of, around a browser of the test's own. */
export type TestHouse = House & { readonly queue: ProfileQueue } & AsyncDisposable;

/** Everything a process has of its own: pool, listener, queue. Two of these stand for two processes. */
export function openHouse(url: string, provider: BrowserProvider, lockTtlMs = 3_000): TestHouse {
  const db = openDatabase(url, { maxConnections: 8 });
  const listener = createListener(url, [profileLockChannel, controlChannel]);
  return {
    db,
    listener,
    redactor: createRedactor(),
    log: { info: () => undefined, warn: () => undefined },
    adapterOf: () => provider,
    resolveSecret: async () => {
      throw new BrowserError('secret_not_found', 'there are no secrets here');
    },
    lockTtlMs,
    queue: new ProfileQueue(),
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      await db.close();
    },
  };
}
