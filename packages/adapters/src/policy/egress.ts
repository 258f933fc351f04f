import { Agent, type Dispatcher } from 'undici';

/**
 * The dispatcher for calls to configured browser services: keeps connections, never repeats a request, never follows
 * a redirect.
 */
export function createServiceDispatcher(): Dispatcher {
  return new Agent({ connect: { timeout: 5_000 }, keepAliveTimeout: 10_000, connections: 64, pipelining: 1 });
}

/** What sends a request; undici's own type, for those who hand one on. */
export type { Dispatcher } from 'undici';
