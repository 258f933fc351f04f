import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { classifyAddress } from './addresses.ts';
import {
  type Admission,
  admitConnection,
  checkedLookup,
  type ConnectionPolicy,
  connectionRefusal,
  type Destination,
  destinationOf,
  ownNetworks,
} from './connections.ts';

/** What sends a request; undici's own type, for those who hand one on. */
export type { Dispatcher } from 'undici';

const pool = { keepAliveTimeout: 10_000, connections: 64, pipelining: 1 } as const;
const connectTimeoutMs = 5_000;

/**
 * A dispatcher whose every connection is checked: the host and port before, all addresses that its name resolves to,
 * and the address that was really connected to. Redirects and rebinding names meet the same checks at each hop. Keeps
 * connections, never repeats a request, never follows a redirect by itself.
 *
 * Requests fail with BrowserError `host_not_allowed`, outcome `not_applied`: no byte of them has left.
 *
 * @example
 * createGuardedDispatcher({ services: () => ['http://nas.lan:9091/transmission/rpc'] }) // one receiver at home
 * createGuardedDispatcher({ allowlist: parseAllowlist(['.s3.example']) }) // buckets as hosts, in public only
 */
export function createGuardedDispatcher(policy: ConnectionPolicy): Dispatcher {
  return guarded(policy, (destination) => admitConnection(policy, destination));
}

/**
 * The dispatcher for calls to configured browser services. Its callers name nothing but configured base URLs; still no
 * name of them may resolve to link-local, metadata or other addresses where no service stands.
 */
export function createServiceDispatcher(): Dispatcher {
  const fits = (address: string) => ownNetworks.includes(classifyAddress(address));
  return guarded({}, ({ hostname }) =>
    isIP(hostname) === 0 || fits(hostname) ? { admitted: true, fits } : { admitted: false, why: 'of its address' },
  );
}

function guarded(policy: ConnectionPolicy, admit: (destination: Destination) => Admission): Dispatcher {
  const connect = (options: buildConnector.Options, callback: buildConnector.Callback): void => {
    const destination = destinationOf(options);
    const admission = admit(destination);
    if (!admission.admitted) return callback(connectionRefusal(destination, admission.why), null);
    const { fits } = admission;
    const lookup = checkedLookup(policy, destination, fits);
    const connector = buildConnector({ timeout: connectTimeoutMs, lookup });
    connector(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (socket.remoteAddress !== undefined && !fits(socket.remoteAddress)) {
        socket.destroy();
        return callback(connectionRefusal(destination, 'of the address it connected to'), null);
      }
      callback(null, socket);
    });
  };
  return new Agent({ ...pool, connect });
}
