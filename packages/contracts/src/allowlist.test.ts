import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AllowlistEntries,
  canonicalOrigin,
  decideCallerAddress,
  decideHref,
  decideLanding,
  parseAllowlist,
} from './allowlist.ts';

const allowed = (url: string, ...entries: string[]) => decideLanding(url, parseAllowlist(entries)).allowed;

describe('which hosts an entry opens', () => {
  test('S003-34 a leading dot is the domain and everything below, never a name that only ends alike', () => {
    expect(allowed('https://python.org/', '.python.org')).toBe(true);
    expect(allowed('https://docs.python.org/3/', '.python.org')).toBe(true);
    expect(allowed('https://notpython.org/', '.python.org')).toBe(false);
    expect(allowed('https://python.org.evil.test/', '.python.org')).toBe(false);
  });

  test('S003-35 without the dot it is that host alone', () => {
    expect(allowed('https://python.org/', 'python.org')).toBe(true);
    expect(allowed('https://docs.python.org/', 'python.org')).toBe(false);
  });

  test('S003-33 the host decides, for http and https, whatever path or query says', () => {
    expect(allowed('http://example.com/', 'example.com')).toBe(true);
    expect(allowed('https://evil.test/example.com?u=https://example.com/', 'example.com')).toBe(false);
  });

  test('S003-36 case and port do not matter', () => {
    expect(allowed('HTTPS://EXAMPLE.com:8443/', 'Example.COM')).toBe(true);
  });

  test('S003-37 localhost and 127.0.0.1 are blocked unless listed, each by its own entry', () => {
    for (const url of ['http://localhost/', 'http://127.0.0.1/', 'http://[::1]/']) {
      expect(allowed(url, '.example.com')).toBe(false);
    }
    expect(allowed('http://localhost:9377/', 'localhost')).toBe(true);
    expect(allowed('http://127.0.0.1/', 'localhost')).toBe(false);
    expect(allowed('http://2130706433/', '127.0.0.1')).toBe(true);
    expect(allowed('http://[0:0::1]/', '[::1]')).toBe(true);
    expect(allowed('http://[::ffff:127.0.0.1]/', '127.0.0.1')).toBe(false);
  });

  test('S004-19 an empty list allows nothing at all', () => {
    expect(allowed('https://example.com/')).toBe(false);
    expect(allowed('http://localhost/')).toBe(false);
  });

  test('S003-32 decided otherwise: a file address never passes, and no other scheme does', () => {
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'data:text/html,x', 'blob:https://example.com/1']) {
      expect(decideLanding(url, parseAllowlist(['example.com']))).toMatchObject({ code: 'scheme_not_allowed' });
      expect(decideCallerAddress(url, parseAllowlist(['example.com']))).toMatchObject({ code: 'scheme_not_allowed' });
    }
  });

  test('private addresses in every disguise need an entry of their own', () => {
    const disguises = ['10.0.0.5', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '0', '0xa.5', '[::]'];
    disguises.push('[::ffff:10.0.0.5]', '[2002:a00:5::]', '[64:ff9b::a00:5]', '[::10.0.0.5]', '[fe80::1]', '[fd00::1]');
    const list = parseAllowlist(['.example.com', 'localhost', '127.0.0.1', 'nas']);
    expect(disguises.filter((host) => decideLanding(`http://${host}/`, list).allowed)).toEqual([]);
    for (const host of disguises.filter((one) => one !== '0' && one !== '0xa.5')) {
      expect(allowed(`http://${host}/`, host)).toBe(true);
    }
  });
});

describe('what a list may not say', () => {
  test('a mistyped list is refused with the entry and the reason', () => {
    expect(() => parseAllowlist(['example.com', '.co.uk'])).toThrow(
      'entry 2 ".co.uk": is a public suffix: it would allow the hosts of strangers',
    );
    expect(AllowlistEntries.safeParse(['.co.uk']).error?.issues).toMatchObject([{ path: [0] }]);
  });

  test.each([
    ['com', 'public suffix'],
    ['.co.uk', 'public suffix'],
    ['github.io', 'public suffix'],
    ['.localhost', 'top-level'],
    ['.nas', 'top-level'],
    ['example.com.', 'dot'],
    ['*.example.com', 'host only'],
    ['https://example.com', 'host only'],
    [' example.com', 'host only'],
    ['example.com:443', 'port'],
    ['::1', 'brackets'],
    ['127.1', 'unusual form'],
    ['.127.0.0.1', 'nothing below'],
    ['example..com', 'host name'],
    ['ex\u200dample.com', 'host name'],
  ])('%s is refused', (entry, why) => {
    expect(() => parseAllowlist([entry])).toThrow(why);
    expect(AllowlistEntries.safeParse([entry]).success).toBe(false);
  });

  test('a list has bounds', () => {
    const many = Array.from({ length: 257 }, (_, at) => `h${at}.example.com`);
    expect(() => parseAllowlist(many)).toThrow('256');
    expect(AllowlistEntries.safeParse(many).success).toBe(false);
    expect(parseAllowlist(many.slice(1)).entries).toHaveLength(256);
  });
});

describe('what a caller types', () => {
  const list = parseAllowlist(['example.com']);

  test.each([
    ['https://example.com/a b', 'invalid_request'],
    ['https://example.com/\n', 'invalid_request'],
    ['https:\\\\example.com/', 'invalid_request'],
    ['https://example.com\\@evil.test/', 'invalid_request'],
    ['https:/example.com/', 'invalid_request'],
    ['https:///example.com/', 'invalid_request'],
    ['https:example.com', 'invalid_request'],
    ['https://@example.com/', 'invalid_request'],
    ['https://ex%61mple.com/', 'invalid_request'],
    ['https://example.com/\ud800', 'invalid_request'],
    ['//example.com/', 'invalid_request'],
    ['example.com', 'invalid_request'],
    ['', 'invalid_request'],
    ['ftp://example.com/', 'scheme_not_allowed'],
    ['https://evil.test/', 'host_not_allowed'],
  ])('%j is refused rather than repaired', (url, code) => {
    expect(decideCallerAddress(url, list)).toMatchObject({ allowed: false, code });
  });

  test('an ordinary address passes as it is', () => {
    expect(decideCallerAddress('https://example.com:8443/a%20b?q=%40#x', list)).toEqual({
      allowed: true,
      host: 'example.com:8443',
      origin: 'https://example.com:8443',
    });
  });
});

test('a link is read on its page as a browser reads it', () => {
  const list = parseAllowlist(['example.com']);
  const leads = (href: string, base = 'https://example.com/a') => decideHref(href, base, list).allowed;
  expect(leads('?page=2')).toBe(true);
  expect(leads('https:evil.test')).toBe(true);
  expect(leads('http:evil.test')).toBe(false);
  expect(leads('/\\evil.test/')).toBe(false);
  expect(leads('/\t/evil.test/')).toBe(false);
  expect(leads('x', 'about:blank')).toBe(false);
});

test('S000-26 an origin always has its effective port', () => {
  expect(canonicalOrigin('https://Example.com/x')).toBe('https://example.com:443');
  expect(canonicalOrigin('http://example.com')).toBe('http://example.com:80');
  expect(canonicalOrigin('http://[::1]:0443/')).toBe('http://[::1]:443');
  expect(canonicalOrigin('https://ẞ.com/')).toBe('https://xn--zca.com:443');
  expect(() => canonicalOrigin('about:blank')).toThrow('http');
  expect(() => canonicalOrigin('https://')).toThrow('read');
});

describe('for all hosts', () => {
  const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,6}[a-z0-9])?$/).filter((one) => one.slice(2, 4) !== '--');
  const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => `${labels.join('.')}.example`);
  const entry = fc.tuple(fc.constantFrom('', '.'), name).map(([dot, host]) => dot + host);
  const piece = fc.constantFrom(
    '.',
    '@',
    '/',
    '\\',
    '#',
    '?',
    ':',
    '%2e',
    '\t',
    ' ',
    '//',
    ':80',
    '[',
    ']',
    '%40',
    'ẞ',
    '。',
  );
  const address = fc
    .array(fc.oneof(name, piece, fc.constantFrom('https://', 'http:', 'a', '1')), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(''));

  test('nothing outside the list is ever allowed, however the address is written', () => {
    let allowedOnes = 0;
    const stays = fc.property(entry, address, fc.boolean(), (one, tail, inside) => {
      const domain = one.replace(/^\./, '');
      const url = `https://${inside ? domain : ''}${tail}`;
      const decision = decideLanding(url, parseAllowlist([one]));
      if (!decision.allowed) return true;
      allowedOnes += 1;
      const host = decision.host.replace(/:\d+$/, '').split('.');
      const listed = domain.split('.');
      const within = (one.startsWith('.') ? host.slice(-listed.length) : host).join('.') === domain;
      // The built-in parser of every Node reads addresses without special letters right.
      return within && (/[^\u0000-\u007f]/.test(url) || decision.host === new URL(url).host);
    });
    expect(fc.check(stays, { numRuns: 2_000 }).counterexample).toBeNull();
    expect(allowedOnes).toBeGreaterThan(100);
  });

  test('a suffix never matches a name that only ends in the same letters', () => {
    fc.assert(
      fc.property(name, fc.stringMatching(/^[a-z0-9]{1,5}$/), (host, before) => {
        expect(allowed(`https://${before}${host}/`, `.${host}`)).toBe(false);
        expect(allowed(`https://${before}.${host}/`, `.${host}`)).toBe(true);
        expect(allowed(`https://${before}.${host}/`, host)).toBe(false);
        expect(allowed(`https://${host}.${before}/`, `.${host}`)).toBe(false);
      }),
    );
  });

  test('a list survives being written down and read again', () => {
    const written = fc.oneof(
      entry,
      entry.map((one) => one.toUpperCase()),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
    );
    fc.assert(
      fc.property(fc.array(written, { maxLength: 5 }), (entries) => {
        const once = parseAllowlist(entries).entries;
        expect(parseAllowlist(once).entries).toEqual(once);
        expect(parseAllowlist(JSON.parse(JSON.stringify(once)) as string[]).entries).toEqual(once);
      }),
    );
    expect(parseAllowlist(['.Bücher.example']).entries).toEqual(['.xn--bcher-kva.example']);
  });

  test('what a caller may visit, a browser may land on', () => {
    const narrower = fc.property(entry, address, (one, tail) => {
      const list = parseAllowlist([one]);
      const url = `https://${one.replace(/^\./, '')}${tail}`;
      return !decideCallerAddress(url, list).allowed || decideLanding(url, list).allowed;
    });
    expect(fc.check(narrower, { numRuns: 1_000 }).counterexample).toBeNull();
  });

  test('a hostile link of 100 kB is decided in a moment', () => {
    const list = parseAllowlist(['example.com']);
    const begun = performance.now();
    for (const part of [' ', '\t', '/', '\\', '@', ':', '%', '[', '.', 'ẞ']) {
      for (const url of [`https://x${part.repeat(100_000)}x`, `${part.repeat(100_000)}x`]) {
        expect(decideHref(url, 'https://example.com/', list).allowed).toBe(
          decideHref(url.replaceAll(part.repeat(1_000), part.repeat(2)), 'https://example.com/', list).allowed,
        );
        decideCallerAddress(url, list);
      }
    }
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});
