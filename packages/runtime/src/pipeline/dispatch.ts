import { BrowserError, type CallContext, effectOf, type Operation } from '@wheelhouse/contracts';
import type { House } from './house.ts';
import { perform, type Performance, type Performed } from './perform.ts';

/** Repetitions of a call that can have had no effect. */
const defaultRetries = 1;

/**
 * Calls the adapter, and again only where repeating cannot repeat an effect: observations, and operations of which it
 * is proven that nothing was sent. The one place in the house that retries (contract §3).
 */
export async function dispatch(house: House, operation: Operation, on: Performance): Promise<Performed> {
  const retries = operation.type === 'navigate' ? (operation.budget?.maxRetries ?? defaultRetries) : defaultRetries;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await perform(operation, on);
    } catch (thrown) {
      if (attempt >= retries || !mayRepeat(operation, thrown, on.context)) throw told(thrown, on.context);
      house.log.info(
        { operation: operation.type, code: BrowserError.is(thrown) ? thrown.code : 'unknown' },
        'once more',
      );
    }
  }
}

function mayRepeat(operation: Operation, thrown: unknown, context: CallContext): boolean {
  if (!BrowserError.is(thrown) || context.signal.aborted || context.deadline.getTime() <= Date.now()) return false;
  const effect = effectOf[operation.type];
  if (effect === 'observe') return thrown.retryable;
  // An interaction commits its dispatch once; a second look and click would be a second decision.
  if (effect === 'interact') return false;
  if (thrown.retryable && thrown.outcome !== undefined) return true;
  return operation.type === 'navigate' && operation.idempotent && thrown.code === 'answer_lost';
}

/** A call that broke off because its lock was lost says so, instead of blaming the network. */
function told(thrown: unknown, context: CallContext): unknown {
  const reason: unknown = context.signal.aborted ? context.signal.reason : undefined;
  if (!BrowserError.is(reason) || !BrowserError.is(thrown)) return thrown;
  return BrowserError.with(reason, { outcome: thrown.outcome });
}
