import { type Grant, SessionId } from '@wheelhouse/contracts';
import type { Failpoint } from '../packages/runtime/src/pipeline/house.ts';
import { operate } from '../packages/runtime/src/pipeline/operate.ts';
import { recover } from '../packages/runtime/src/recover.ts';
import { resolveUnknowns } from '../packages/runtime/src/resolve.ts';
import { serveParent, tellParent } from './child.ts';
import type { WorkerCall, WorkerSettings } from './protocol.ts';
import { running, workerHouse } from './worker-house.ts';

/** A worker process: one house, which does what its parent asks, stands still where it is told to, and may be killed. */
const settings = JSON.parse(process.env['CHAOS_WORKER'] ?? '{}') as WorkerSettings;
const grant: Grant = {
  caller: settings.name,
  classes: ['observe', 'navigate', 'interact', 'manage'],
  siteSelectors: false,
};
const holds = new Map<string, { readonly at: Failpoint; readonly go: PromiseWithResolvers }>();

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function later(): PromiseWithResolvers {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

function note(operationId: string, what: 'begun' | 'sent'): void {
  tellParent({ says: 'note', operationId, what, ns: String(process.hrtime.bigint()) });
}

const house = workerHouse(settings, {
  sent: (operationId) => note(operationId, 'sent'),
  failpoint: async (at, operationId) => {
    if (operationId === null) return;
    if (at === 'after-begin') note(operationId, 'begun');
    const hold = holds.get(operationId);
    if (hold?.at !== at) return;
    tellParent({ says: 'held', operationId });
    await hold.go.promise;
    holds.delete(operationId);
  },
});

serveParent(process.pid, async (call: WorkerCall) => {
  switch (call.do) {
    case 'operate': {
      const { input } = call;
      const operationId = 'operationId' in input ? input.operationId : '';
      if (call.holdAt !== undefined) holds.set(operationId, { at: call.holdAt, go: later() });
      const work = () =>
        operate(house, SessionId.parse(call.sessionId), input, { grant, timeoutMs: call.timeoutMs }).finally(() =>
          holds.delete(operationId),
        );
      return running.run(operationId, work);
    }
    case 'go':
      holds.get(call.operationId)?.go.resolve();
      return null;
    case 'recover':
      return recover(house);
    case 'resolve':
      return resolveUnknowns(house, SessionId.parse(call.sessionId));
  }
});
