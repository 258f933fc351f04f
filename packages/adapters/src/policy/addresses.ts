import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * What stands at an IP address, as far as the address tells.
 *
 * - `public`: somewhere on the internet
 * - `loopback`: this host
 * - `private`: a network of one's own (RFC 1918, unique local, carrier-grade NAT)
 * - `forbidden`: nothing that a call is ever meant for: link-local, metadata services of clouds, unspecified, multicast,
 *   reserved, and IPv6 forms that carry an IPv4 address along (NAT64, 6to4, Teredo, `::/96`)
 */
export type AddressClass = 'public' | 'loopback' | 'private' | 'forbidden';

/** Metadata services that hand out credentials, where they are not link-local: AWS (IPv6), Alibaba, Oracle. */
const metadata = new Set(['fd00:ec2::254', '100.100.100.200', '192.0.0.192']);

const classes: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
};

/** Classifies an address as a resolver or socket gives it; what is no address is `forbidden`. */
export function classifyAddress(address: string): AddressClass {
  const plain = plainlyWritten(address);
  if (!ipaddr.isValid(plain)) return 'forbidden';
  // An IPv4-mapped address connects to the IPv4 address in it.
  const parsed = ipaddr.process(plain);
  if (metadata.has(parsed.toString())) return 'forbidden';
  const found = classes[parsed.range()] ?? 'forbidden';
  // Public IPv6 is 2000::/3 alone (RFC 4291). ipaddr.js calls `::127.0.0.1` and other unassigned space unicast.
  const [first = 0] = parsed.kind() === 'ipv6' ? (parsed as ipaddr.IPv6).parts : [0x2000];
  return found === 'public' && first >> 13 !== 1 ? 'forbidden' : found;
}

/**
 * An address in the one form that an allowlist has it in, without brackets; an IPv4-mapped one as the IPv4 address in it.
 * `null` for what is no address.
 */
export function canonicalAddress(address: string): string | null {
  const plain = plainlyWritten(address);
  return ipaddr.isValid(plain) ? ipaddr.process(plain).toString() : null;
}

/** ipaddr.js takes `::127.0.0.1` for `::ffff:127.0.0.1`; written in groups only, it cannot. Zones name an interface. */
function plainlyWritten(address: string): string {
  if (isIP(address) !== 6) return address;
  return new URL(`http://[${address.replace(/%.*/, '')}]/`).hostname.slice(1, -1);
}
