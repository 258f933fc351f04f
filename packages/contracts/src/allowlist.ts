import { parse as parseDomain } from 'tldts';
import { z } from 'zod';
import { BrowserError } from './errors.ts';
import { canonicalHost, type HttpAddress, readAddress } from './host.ts';

declare const parsed: unique symbol;

/** A parsed allowlist. Made by `parseAllowlist` only, so what has this type was checked. */
export interface Allowlist {
  readonly [parsed]: true;
  /** As written, in canonical form: lower case, ASCII. Parsing them again gives the same list. */
  readonly entries: readonly string[];
}

const longestEntry = 255;
const mostEntries = 256;

/**
 * What may be visited, as it is configured: `example.com` is exact, `.example.com` the domain and everything below.
 * At most 256 entries of 255 characters. Where it is absent the provider's own list holds; an empty one allows nothing.
 */
export const AllowlistEntries = z
  .array(z.string().max(longestEntry))
  .max(mostEntries)
  .superRefine((entries, context) => {
    entries.forEach((entry, at) => {
      const read = readEntry(entry);
      if ('fault' in read) context.addIssue({ code: 'custom', path: [at], message: read.fault });
    });
  });
export type AllowlistEntries = z.infer<typeof AllowlistEntries>;

/**
 * Parses an allowlist.
 *
 * @throws BrowserError `invalid_allowlist` naming the first entry that is wrong, and why
 */
export function parseAllowlist(entries: readonly string[]): Allowlist {
  if (entries.length > mostEntries) {
    throw new BrowserError('invalid_allowlist', `the list has more than ${mostEntries} entries`);
  }
  const canonical = entries.map((entry, at) => {
    const read = readEntry(entry);
    if ('fault' in read) throw new BrowserError('invalid_allowlist', `entry ${at + 1}${quoted(entry)}: ${read.fault}`);
    return read.canonical;
  });
  return Object.freeze({ entries: Object.freeze(canonical) }) as unknown as Allowlist;
}

/** Quotes an entry in a message, unless it may be an address with a secret in it. */
function quoted(entry: string): string {
  return /^[\p{L}\p{M}\p{N}.:*_[\]-]{1,100}$/u.test(entry) ? ` "${entry}"` : '';
}

type ReadEntry = { readonly canonical: string } | { readonly fault: string };

/** What entries are refused for before anything is read from them, in this order. */
const entryFaults: readonly { readonly fault: string; readonly when: (entry: string) => boolean }[] = [
  { fault: 'is empty', when: (entry) => entry === '' },
  { fault: `is longer than ${longestEntry} characters`, when: (entry) => entry.length > longestEntry },
  {
    fault: 'is a host only: no scheme, path, user name, wildcard or space',
    when: (entry) => /[\p{Cc}\p{Z}/@?#\\*%]/u.test(entry),
  },
  { fault: 'is an address, which has nothing below it', when: (entry) => entry.startsWith('.[') },
  {
    fault: 'has a port, or is an IPv6 address without brackets',
    when: (entry) => (entry.startsWith('[') ? /\]./.test(entry) : entry.includes(':')),
  },
];

function readEntry(entry: string): ReadEntry {
  const fault = entryFaults.find(({ when }) => when(entry))?.fault;
  if (fault !== undefined) return { fault };
  const withBelow = entry.startsWith('.');
  const written = withBelow ? entry.slice(1) : entry;
  const host = canonicalHost(written);
  if (host === null) return { fault: 'is neither a host name nor an IP address' };
  if (host.startsWith('[')) return { canonical: host };
  if (/^[\d.]+$/.test(host)) {
    if (withBelow) return { fault: 'is an address, which has nothing below it' };
    // `127.1` and `0x7f.1` mean an address as well, but hardly the one that a reader takes them for.
    return host === written ? { canonical: host } : { fault: 'is an IPv4 address in an unusual form' };
  }
  const nameFault = faultOfName(host) ?? faultOfWidth(host, withBelow);
  return nameFault === null ? { canonical: withBelow ? `.${host}` : host } : { fault: nameFault };
}

/** A name that DNS can hold: the URL Standard takes more, but nobody lists that on purpose. */
function faultOfName(host: string): string | null {
  if (host.endsWith('.')) return 'ends in a dot';
  if (host.length > 253) return 'is longer than a host name can be';
  const wrong = host.split('.').find((label) => !/^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  return wrong === undefined ? null : 'is not a host name';
}

/** An entry must not open the hosts of strangers: whole top-level domains, `co.uk`, `github.io`. */
function faultOfWidth(host: string, withBelow: boolean): string | null {
  const { publicSuffix, isIcann, isPrivate } = parseDomain(host, { allowPrivateDomains: true });
  if (publicSuffix === host && (isIcann === true || isPrivate === true)) {
    return 'is a public suffix: it would allow the hosts of strangers';
  }
  // Unknown to the list: `nas` and `localhost` are hosts of a local network, but everything below them is not one's own.
  return withBelow && !host.includes('.') ? 'is a whole top-level domain' : null;
}

/** Whether an address may be visited, and why not. */
export type Decision =
  | {
      readonly allowed: true;
      /** ASCII, with the port where it is not the scheme's own. */
      readonly host: string;
      /** With the effective port, always. */
      readonly origin: string;
    }
  | {
      readonly allowed: false;
      readonly code: 'host_not_allowed' | 'scheme_not_allowed' | 'invalid_request';
      /** Half a sentence that names the host at most: never a path or query. */
      readonly why: string;
      /** As above; `null` where the address has none that can be named. */
      readonly host: string | null;
    };

/** What an address of a caller is refused for, though a browser would repair it. In this order. */
const repairs: readonly { readonly why: string; readonly when: (url: string) => boolean }[] = [
  {
    why: 'has spaces, control characters or backslashes',
    when: (url) => /[\p{Cc}\p{Z}\p{Cs}\\]/u.test(url),
  },
  { why: 'is not an absolute http or https address', when: (url) => authorityOf(url) === null },
  { why: 'has a user name', when: (url) => authorityOf(url)?.includes('@') === true },
  { why: 'has a percent sign in its host', when: (url) => authorityOf(url)?.includes('%') === true },
];

function authorityOf(url: string): string | null {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? null;
}

/**
 * Decides on an address that a caller gave: refused rather than repaired, since what is repaired here may be repaired
 * differently elsewhere.
 */
export function decideCallerAddress(url: string, allowlist: Allowlist): Decision {
  const repair = repairs.find(({ when }) => when(url))?.why;
  if (repair === undefined) return decideLanding(url, allowlist);
  return readAddress(url) === 'other_scheme' ? otherScheme() : refuse('invalid_request', repair);
}

/** Decides on an address that a browser reports, read as the URL Standard says. `about:blank` is refused like others. */
export function decideLanding(url: string, allowlist: Allowlist): Decision {
  return decide(readAddress(url), allowlist);
}

/** Decides on a link of a page, read as the URL Standard says. `baseUrl` is the address its page resolves links on. */
export function decideHref(href: string, baseUrl: string, allowlist: Allowlist): Decision {
  return decide(readAddress(href, baseUrl), allowlist);
}

function decide(address: ReturnType<typeof readAddress>, allowlist: Allowlist): Decision {
  if (address === 'unreadable') return refuse('invalid_request', 'is not an address');
  if (address === 'other_scheme') return otherScheme();
  const { host, origin } = address;
  if (address.hasUserinfo) return refuse('invalid_request', 'has a user name', host);
  if (covers(allowlist, address)) return { allowed: true, host, origin };
  return refuse('host_not_allowed', `leads to ${shortened(host)}, which is not on the allowlist`, host);
}

/** IP addresses, those of this host and of private networks too, are covered by an entry of their own and nothing else. */
function covers({ entries }: Allowlist, { hostname }: HttpAddress): boolean {
  // The URL Standard takes `.example.com` and `a..example.com` for hosts; DNS cannot hold them.
  if (hostname.startsWith('.') || hostname.includes('..')) return false;
  return entries.some((entry) =>
    entry.startsWith('.') ? hostname === entry.slice(1) || hostname.endsWith(entry) : hostname === entry,
  );
}

function otherScheme(): Decision {
  return refuse('scheme_not_allowed', 'is not http or https');
}

function refuse(
  code: Extract<Decision, { allowed: false }>['code'],
  why: string,
  host: string | null = null,
): Decision {
  return { allowed: false, code, why, host: host === null ? null : shortened(host) };
}

/** Names of links have no limit; messages do. */
function shortened(host: string): string {
  return host.length > 260 ? `${host.slice(0, 100)}…${host.slice(-100)}` : host;
}

/**
 * The origin of an address with its effective port always written: `https://example.com:443` (S000-26).
 *
 * @throws BrowserError `scheme_not_allowed`, `invalid_request`
 */
export function canonicalOrigin(url: string): string {
  const address = readAddress(url);
  if (address === 'unreadable') throw new BrowserError('invalid_request', 'the address cannot be read');
  if (address === 'other_scheme') throw new BrowserError('scheme_not_allowed', 'the address is not http or https');
  return address.origin;
}
