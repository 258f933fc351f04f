import { toASCII } from 'tr46';

/** An http or https address as far as it says where a request goes. */
export interface HttpAddress {
  readonly scheme: 'http' | 'https';
  /** Canonical: ASCII in lower case, dotted IPv4, compressed IPv6 in brackets. No port. */
  readonly hostname: string;
  /** The port that is really used, written or not. */
  readonly port: number;
  /** `hostname`, with the port where it is not the scheme's own. */
  readonly host: string;
  /** `https://example.com:443`: the effective port is always written. */
  readonly origin: string;
  /** Whether a user name or password is in it. */
  readonly hasUserinfo: boolean;
}

/** What an address turned out to be: an http(s) one, one of another scheme, or none at all. */
export type ReadAddress = HttpAddress | 'other_scheme' | 'unreadable';

const ownPort = { http: 80, https: 443 } as const;

/**
 * Reads where an address leads, as the present URL Standard says (https://url.spec.whatwg.org/, checked against
 * whatwg-url 17 and Node 24), whatever Node this runs on. The built-in parser of Node 20 (ada 2.9) maps some hosts to
 * others than browsers do: it would take `ẞ.com` for `ss.com`. Only IP addresses are left to the built-in parser.
 *
 * @param base address of the page that a relative address stands on
 */
export function readAddress(address: string, base?: string): ReadAddress {
  const text = stripped(address);
  const scheme = schemeOf(text);
  const onto = base === undefined ? null : readAddress(base);
  const page = onto === null || typeof onto === 'string' ? null : onto;
  if (scheme === null) return page === null ? 'unreadable' : relativeTo(page, text);
  if (scheme !== 'http' && scheme !== 'https') return 'other_scheme';
  const rest = text.slice(scheme.length + 1);
  // `https:x` on an https page is a path of it; everywhere else `x` is a host.
  return page?.scheme === scheme ? relativeTo(page, rest) : withAuthority(scheme, rest);
}

/**
 * Reads a host as it stands in an http address, brackets of IPv6 included, and makes it canonical.
 * `null` where a browser would refuse it. There is no limit to its length: that is DNS's.
 */
export function canonicalHost(host: string): string | null {
  if (host.startsWith('[')) return /^\[[0-9a-f:.]+\]$/i.test(host) ? ipOf(host) : null;
  const name = nameToASCII(percentDecoded(host));
  if (name === null) return null;
  return endsInNumber(name) ? ipOf(name) : name;
}

function relativeTo(page: HttpAddress, text: string): ReadAddress {
  return /^[/\\]{2}/.test(text) ? withAuthority(page.scheme, text) : page;
}

/** Reads `[slashes][user:password@]host[:port]` and ignores what follows. */
function withAuthority(scheme: 'http' | 'https', text: string): ReadAddress {
  const authority = /^[/\\]*([^/\\?#]*)/.exec(text)?.[1] ?? '';
  const at = authority.lastIndexOf('@');
  const userinfo = authority.slice(0, Math.max(at, 0));
  const { hostText, portText } = splitPort(authority.slice(at + 1));
  const hostname = canonicalHost(hostText);
  const port = portText === '' ? ownPort[scheme] : Number(portText);
  if (hostname === null || !/^\d*$/.test(portText) || port > 65_535) return 'unreadable';
  return {
    scheme,
    hostname,
    port,
    host: port === ownPort[scheme] ? hostname : `${hostname}:${port}`,
    origin: `${scheme}://${hostname}:${port}`,
    hasUserinfo: userinfo !== '' && userinfo !== ':',
  };
}

/** Splits at the first colon outside brackets. */
function splitPort(text: string): { readonly hostText: string; readonly portText: string } {
  let inBrackets = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '[') inBrackets = true;
    else if (char === ']') inBrackets = false;
    else if (char === ':' && !inBrackets) return { hostText: text.slice(0, at), portText: text.slice(at + 1) };
  }
  return { hostText: text, portText: '' };
}

/** The forbidden domain code points of the URL Standard. */
const forbidden = /[\u0000-\u0020#%/:<>?@[\\\]^|\u007f]/;

function nameToASCII(name: string): string | null {
  // Since 2025 the standard leaves ASCII names alone, broken `xn--` labels included.
  const ascii = /^[\u0000-\u007f]*$/.test(name)
    ? name.toLowerCase()
    : toASCII(name, { checkBidi: true, checkJoiners: true });
  return ascii === null || ascii === '' || forbidden.test(ascii) ? null : ascii;
}

/** Whether the last label makes the standard take the whole for an IPv4 address, or refuse it. */
function endsInNumber(name: string): boolean {
  const labels = name.split('.');
  const last = (labels.at(-1) === '' && labels.length > 1 ? labels.at(-2) : labels.at(-1)) ?? '';
  return /^(\d+|0x[0-9a-f]*)$/.test(last);
}

/** Every Node that is supported reads IP addresses alike. */
function ipOf(host: string): string | null {
  const address = `http://${host}/`;
  return URL.canParse(address) ? new URL(address).hostname : null;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = encoder.encode(text);
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const hex = byte === 0x25 ? String.fromCharCode(...bytes.subarray(at + 1, at + 3)) : '';
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      out.push(Number.parseInt(hex, 16));
      at += 2;
    } else {
      out.push(byte);
    }
  }
  return decoder.decode(Uint8Array.from(out));
}

/** Takes away what every browser takes away: spaces and controls at the ends, tabs and line breaks everywhere. */
function stripped(address: string): string {
  // Counted rather than matched: `[\0- ]+$` takes quadratic time on long runs of spaces.
  let from = 0;
  let to = address.length;
  while (from < to && address.charCodeAt(from) <= 0x20) from += 1;
  while (to > from && address.charCodeAt(to - 1) <= 0x20) to -= 1;
  return address.slice(from, to).replaceAll(/[\t\n\r]/g, '');
}

function schemeOf(text: string): string | null {
  return /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase() ?? null;
}
