import { AsyncLocalStorage } from 'node:async_hooks';
import { createProvider, createRedactor, createServiceDispatcher } from '@wheelhouse/adapters';
import { BrowserError, type BrowserProvider } from '@wheelhouse/contracts';
import { controlChannel, createListener, openDatabase, profileLockChannel } from '@wheelhouse/db';
import type { Failpoint, House } from '../packages/runtime/src/pipeline/house.ts';
import { ProfileQueue } from '../packages/runtime/src/pipeline/queue.ts';
import { adapterCache } from '../packages/runtime/src/providers.ts';
import { dispatchAfterSend } from './broken/dispatch-after-send.ts';
import { clickByUpstreamRef } from './broken/no-fingerprint.ts';
import type { WorkerSettings } from './protocol.ts';

/** What the harness is told of running operations. */
export interface Watch {
  readonly failpoint: (at: Failpoint, operationId: string | null) => Promise<void> | void;
  /** A click left this process a moment ago, or will in the next. */
  readonly sent: (operationId: string) => void;
}

/** The operation that runs in this asynchronous context. */
export const running = new AsyncLocalStorage<string>();

/**
 * The house as `createRuntime` makes it, with the places to strike open, and with the planted fault where one is
 * asked for: production has no switch for either.
 */
export function workerHouse(settings: WorkerSettings, watch: Watch): House & { readonly queue: ProfileQueue } {
  const redactor = createRedactor();
  const resolveSecret = async (): Promise<string> => {
    throw new BrowserError('secret_not_found', 'the harness has no secrets');
  };
  const adapterOf = adapterCache(createProvider, { resolveSecret, redactor, dispatcher: createServiceDispatcher() });
  return {
    db: openDatabase(settings.databaseUrl, { maxConnections: 6, applicationName: settings.name }),
    listener: createListener(settings.databaseUrl, [profileLockChannel, controlChannel]),
    redactor,
    log: { info: () => undefined, warn: () => undefined },
    adapterOf: (provider) => watched(planted(adapterOf(provider), provider.baseUrl ?? '', settings), watch),
    resolveSecret,
    lockTtlMs: settings.lockTtlMs,
    queue: new ProfileQueue(),
    failpoint: watch.failpoint,
  };
}

function planted(provider: BrowserProvider, baseUrl: string, { broken }: WorkerSettings): BrowserProvider {
  if (broken === 'dispatch-after-send') return dispatchAfterSend(provider);
  if (broken === 'no-fingerprint') return clickByUpstreamRef(provider, baseUrl);
  return provider;
}

/** Notes when a click leaves: after everything that may still stop it. */
function watched(provider: BrowserProvider, watch: Watch): BrowserProvider {
  return {
    ...provider,
    click: (tab, target, act) => {
      const operationId = running.getStore();
      const dispatched = async () => {
        await act.dispatched();
        if (operationId !== undefined) watch.sent(operationId);
      };
      return provider.click(tab, target, { ...act, dispatched });
    },
  };
}
