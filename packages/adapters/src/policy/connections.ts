import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type Allowlist, BrowserError, decideCallerAddress } from '@wheelhouse/contracts';
import { type AddressClass, canonicalAddress, classifyAddress } from './addresses.ts';

/** Asks for all addresses of a name, as `dns.lookup` does. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Which connections may leave. What none of its lists names is refused. */
export interface ConnectionPolicy {
  /**
   * Base URLs of configured services, asked for at every connection: their host and port may be reached, on this host
   * and in private networks too, since whoever configured them meant it. Nothing else on the same host is opened.
   */
  readonly services?: () => Iterable<string>;
  /**
   * Hosts that may be reached on any port, where they stand in public. A private, loopback or other special address is
   * reached only where the list has an entry for that very address.
   */
  readonly allowlist?: Allowlist;
  /** Ports on which any public host may be reached besides; none unless given. */
  readonly publicPorts?: readonly number[];
  /** Resolver; `dns.lookup` unless given. */
  readonly lookup?: LookupAll;
}

/** Where a connection shall go. */
export interface Destination {
  /** Without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** With its colon; absent where only host and port are known, as in CONNECT. */
  readonly protocol?: string;
}

/** Whether a connection may be tried; if so, to which of the addresses that its name resolves to. */
export type Admission =
  | { readonly admitted: true; readonly fits: (address: string) => boolean }
  | { readonly admitted: false; readonly why: string };

/** Where a service of one's own may stand. */
export const ownNetworks: readonly AddressClass[] = ['public', 'loopback', 'private'];

/** Decides by host and port, and for literal addresses by the address. */
export function admitConnection(policy: ConnectionPolicy, destination: Destination): Admission {
  const { hostname, port } = destination;
  const classes: AddressClass[] = [];
  for (const service of policy.services?.() ?? []) if (isSame(service, destination)) classes.push(...ownNetworks);
  const isListed = policy.allowlist !== undefined && decideCallerAddress(urlOf(destination), policy.allowlist).allowed;
  if (isListed || policy.publicPorts?.includes(port) === true) classes.push('public');
  if (classes.length === 0) return { admitted: false, why: 'it is neither listed nor a configured service' };
  const listed = new Set(isListed ? policy.allowlist?.entries : []);
  const fits = (address: string) =>
    classes.includes(classifyAddress(address)) || listed.has(asEntry(canonicalAddress(address)));
  // Node resolves no literals, so no lookup ever sees them.
  if (isIP(hostname) !== 0 && !fits(hostname)) return { admitted: false, why: 'of its address' };
  return { admitted: true, fits };
}

/**
 * A `lookup` for `net.connect` that gives only checked addresses, which are then connected to without asking again. A
 * name is refused when any of its addresses does not fit, so that no mixed answer gets a second chance.
 */
export function checkedLookup(
  policy: ConnectionPolicy,
  destination: Destination,
  fits: (address: string) => boolean,
): LookupFunction {
  const lookup: LookupAll = policy.lookup ?? systemLookup;
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) callback(error, '');
      else if (first === undefined || !addresses.every(({ address }) => fits(address))) {
        callback(connectionRefusal(destination, 'of an address its name resolves to'), '');
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The refusal of a connection: names host and port, never a path. No byte was sent. */
export function connectionRefusal(destination: Destination, because: string): BrowserError {
  const host = hostOf(destination);
  return new BrowserError('host_not_allowed', `no call may go to ${host}, because ${because}`, {
    host,
    outcome: 'not_applied',
  });
}

/** Host, bracketed where it is an IPv6 address, and port. */
export function hostOf({ hostname, port }: Destination): string {
  return `${bracketed(hostname)}:${port}`;
}

/** Host and port of an address, the scheme's own port where none is written. */
export function destinationOf({
  protocol,
  hostname,
  port,
}: Pick<URL, 'protocol' | 'hostname' | 'port'>): Destination & {
  readonly protocol: string;
} {
  const ownPort = protocol === 'https:' || protocol === 'wss:' ? 443 : 80;
  return { protocol, hostname: hostname.replaceAll(/^\[|\]$/g, ''), port: port === '' ? ownPort : Number(port) };
}

function isSame(service: string, { protocol, hostname, port }: Destination): boolean {
  if (!URL.canParse(service)) return false;
  const own = destinationOf(new URL(service));
  return (protocol === undefined || own.protocol === protocol) && own.hostname === hostname && own.port === port;
}

function urlOf(destination: Destination): string {
  return `${destination.protocol === 'http:' ? 'http' : 'https'}://${hostOf(destination)}/`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function asEntry(address: string | null): string {
  return address === null ? '' : bracketed(address);
}
