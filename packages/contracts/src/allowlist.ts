import { getPublicSuffix } from 'tldts';
import { toASCII } from 'tr46';
import { z } from 'zod';
import { BrowserError } from './errors.ts';

/** A parsed allowlist. Made by `parseAllowlist` only. */
export interface Allowlist {
  /** As written in canonical form: lower case, ASCII. */
  readonly entries: readonly string[];
}

/** What may be visited, as it is configured: `example.com` is exact, `.example.com` the domain and everything below. */
export const AllowlistEntries = z
  .array(z.string().max(255))
  .max(256)
  .superRefine((entries, context) => {
    entries.forEach((entry, at) => {
      const why = faultOf(entry);
      if (why !== null) context.addIssue({ code: 'custom', path: [at], message: `"${entry.slice(0, 100)}": ${why}` });
    });
  });
export type AllowlistEntries = z.infer<typeof AllowlistEntries>;

/**
 * Parses an allowlist.
 *
 * @throws BrowserError `invalid_allowlist` naming the first entry that is wrong, and why
 */
export function parseAllowlist(entries: readonly string[]): Allowlist {
  const canonical = entries.map((entry, at) => {
    const why = faultOf(entry);
    if (why !== null) throw new BrowserError('invalid_allowlist', `entry ${at + 1} "${entry.slice(0, 100)}": ${why}`);
    return canonicalEntry(entry);
  });
  return { entries: canonical };
}

function faultOf(entry: string): string | null {
  if (entry === '') return 'is empty';
  if (/[\s/@?#\\*%]/.test(entry)) return 'is a host only: no scheme, path, port, wildcard or space';
  if (entry.endsWith('.')) return 'ends in a dot';
  const host = entry.startsWith('.') ? entry.slice(1) : entry;
  if (host.startsWith('['))
    return /^\[[0-9a-f:.]+\]$/i.test(host) && !entry.startsWith('.') ? null : 'is not an IPv6 address';
  if (host.includes(':')) return 'has a port, or is an IPv6 address without brackets';
  const ascii = hostToASCII(host);
  if (ascii === null || ascii === '') return 'is not a host name';
  if (/^[\d.]+$/.test(ascii)) return entry.startsWith('.') ? 'is an address, which has nothing below it' : null;
  if (!ascii.includes('.') && ascii !== 'localhost') return 'is a whole top-level domain';
  if (getPublicSuffix(ascii, { allowPrivateDomains: true }) === ascii && ascii !== 'localhost')
    return 'is a public suffix: it would allow strangers';
  return null;
}

function canonicalEntry(entry: string): string {
  if (entry.startsWith('[')) return new URL(`http://${entry}/`).hostname;
  const suffix = entry.startsWith('.');
  return `${suffix ? '.' : ''}${hostToASCII(suffix ? entry.slice(1) : entry) ?? ''}`;
}

function hostToASCII(host: string): string | null {
  return toASCII(host, { checkBidi: true, checkJoiners: true });
}

/** Whether an address may be visited, and why not. */
export type Decision =
  | { readonly allowed: true; readonly host: string }
  | {
      readonly allowed: false;
      readonly code: 'host_not_allowed' | 'scheme_not_allowed' | 'invalid_request';
      readonly why: string;
    };

/** Decides on an address that a caller gave: refused rather than repaired. */
export function decideCallerAddress(url: string, allowlist: Allowlist): Decision {
  if (/[\u0000-\u0020\u007f\\]/.test(url))
    return refuse('invalid_request', 'has spaces, control characters or backslashes');
  if (/^[a-z][a-z0-9+.-]*:/i.test(url) && !/^https?:/i.test(url))
    return refuse('scheme_not_allowed', 'is not http or https');
  const authority = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
  if (authority === undefined) return refuse('invalid_request', 'is not an absolute http or https address');
  if (authority.includes('@')) return refuse('invalid_request', 'has a user name');
  if (authority.includes('%')) return refuse('invalid_request', 'has a percent sign in its host');
  return decideLanding(url, allowlist);
}

/** Decides on an address that a browser reports, parsed as the URL Standard says. */
export function decideLanding(url: string, allowlist: Allowlist): Decision {
  if (!URL.canParse(url)) return refuse('invalid_request', 'is not an address');
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return refuse('scheme_not_allowed', 'is not http or https');
  const covered = allowlist.entries.some(
    (entry) =>
      entry === hostname || (entry.startsWith('.') && (hostname === entry.slice(1) || hostname.endsWith(entry))),
  );
  return covered
    ? { allowed: true, host: hostname }
    : refuse('host_not_allowed', `${hostname} is not on the allowlist`);
}

/** Decides on a link of a page. */
export function decideHref(href: string, base: string, allowlist: Allowlist): Decision {
  if (!URL.canParse(href, base)) return refuse('invalid_request', 'is not an address');
  return decideLanding(new URL(href, base).href, allowlist);
}

function refuse(code: Extract<Decision, { allowed: false }>['code'], why: string): Decision {
  return { allowed: false, code, why };
}

/** The origin of an address with its effective port always written: `https://example.com:443` (S000-26). */
export function canonicalOrigin(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new BrowserError('scheme_not_allowed', 'the address is not http or https');
  return `${protocol}//${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}
