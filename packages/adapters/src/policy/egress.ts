import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { BrowserError } from '@wheelhouse/contracts';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type AddressClass, classifyAddress } from './addresses.ts';

/** What sends a request; undici's own type, for those who hand one on. */
export type { Dispatcher } from 'undici';

/** Asks for all addresses of a name, as `dns.lookup` does. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Which connections may leave. */
export interface EgressPolicy {
  /**
   * Base URLs of configured services, asked for at every connection. A service may stand on this host or in a private
   * network: whoever configured it meant it.
   */
  readonly services: () => Iterable<string>;
  /** Ports on which any public host may be reached besides; none unless given. */
  readonly publicPorts?: readonly number[];
  /** Resolver; `dns.lookup` unless given. */
  readonly lookup?: LookupAll;
}

const pool = { keepAliveTimeout: 10_000, connections: 64, pipelining: 1 } as const;
const connectTimeoutMs = 5_000;
const serviceClasses: readonly AddressClass[] = ['public', 'loopback', 'private'];

/**
 * A dispatcher whose every connection is checked: the host and port before, all addresses that its name resolves to,
 * and the address that was really connected to. Redirects and rebinding names meet the same checks at each hop. Keeps
 * connections, never repeats a request, never follows a redirect by itself.
 *
 * Requests fail with BrowserError `host_not_allowed`, outcome `not_applied`: no byte of them has left.
 */
export function createGuardedDispatcher(policy: EgressPolicy): Dispatcher {
  return guarded(policy.lookup, (target) => {
    for (const service of policy.services()) if (isSame(service, target)) return serviceClasses;
    return policy.publicPorts?.includes(target.port) === true ? ['public'] : [];
  });
}

/**
 * The dispatcher for calls to configured browser services. Its callers name nothing but configured base URLs; still no
 * name of them may resolve to link-local, metadata or other addresses where no service stands.
 */
export function createServiceDispatcher(): Dispatcher {
  return guarded(undefined, () => serviceClasses);
}

interface Target {
  readonly protocol: string;
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
}

function guarded(lookup: LookupAll | undefined, classesFor: (target: Target) => readonly AddressClass[]): Dispatcher {
  const connect = (options: buildConnector.Options, callback: buildConnector.Callback): void => {
    const target = targetOf(options);
    const { hostname } = target;
    const allowed = classesFor(target);
    if (allowed.length === 0) return callback(refusal(target, 'it is no configured service'), null);
    const fits = (address: string) => allowed.includes(classifyAddress(address));
    // Node resolves no literals, so `lookup` below never sees them.
    if (isIP(hostname) !== 0 && !fits(hostname)) return callback(refusal(target, 'of its address'), null);
    const connector = buildConnector({ timeout: connectTimeoutMs, lookup: checkedLookup(lookup, target, fits) });
    connector(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (socket.remoteAddress !== undefined && !fits(socket.remoteAddress)) {
        socket.destroy();
        return callback(refusal(target, 'of the address it connected to'), null);
      }
      callback(null, socket);
    });
  };
  return new Agent({ ...pool, connect });
}

/** Refuses a name when any of its addresses does not fit, so that no mixed answer gets a second chance. */
function checkedLookup(
  lookup: LookupAll = systemLookup,
  target: Target,
  fits: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) callback(error, '');
      else if (first === undefined || !addresses.every(({ address }) => fits(address))) {
        callback(refusal(target, 'of an address its name resolves to'), '');
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function targetOf({ protocol, hostname, port }: Pick<URL, 'protocol' | 'hostname' | 'port'>): Target {
  const ownPort = protocol === 'https:' ? 443 : 80;
  return { protocol, hostname: hostname.replaceAll(/^\[|\]$/g, ''), port: port === '' ? ownPort : Number(port) };
}

function isSame(service: string, { protocol, hostname, port }: Target): boolean {
  if (!URL.canParse(service)) return false;
  const own = targetOf(new URL(service));
  return own.protocol === protocol && own.hostname === hostname && own.port === port;
}

function refusal({ hostname, port }: Target, because: string): BrowserError {
  const host = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  return new BrowserError('host_not_allowed', `no call may go to ${host}, because ${because}`, {
    host,
    outcome: 'not_applied',
  });
}
