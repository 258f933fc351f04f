/** A span of time as a signal. Disposed, it never aborts. */
export interface TimeLimit extends Disposable {
  /** Aborts with a `TimeoutError` when the time is over. */
  readonly signal: AbortSignal;
}

/**
 * Aborts after `ms` milliseconds. Use it wherever `AbortSignal.any` combines a timeout with other signals: that holds
 * what it combines weakly, and a bare `AbortSignal.timeout` among it is collected as garbage, timer and all, so it never
 * aborts (Node 20.20, seen when an operation waited for ever and kept its lock).
 */
export function timeLimit(ms: number): TimeLimit {
  const controller = new AbortController();
  const over = () => controller.abort(new DOMException('the time is over', 'TimeoutError'));
  const timer = setTimeout(over, ms).unref();
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
