import { BrowserError, parseAllowlist } from '@wheelhouse/contracts';
import { describe, expect, test } from 'vitest';
import {
  admitTarget,
  afterInteraction,
  afterNavigation,
  checkHref,
  checkLanding,
  notInterceptable,
} from './navigation.ts';

const list = parseAllowlist(['.tracker.example']);

function refusalOf(check: () => void): Record<string, unknown> | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!BrowserError.is(error)) throw error;
    return JSON.parse(JSON.stringify(error)) as Record<string, unknown>;
  }
}

describe('before a navigation', () => {
  test('S003-31 a target outside the list is refused with its host, before anything is sent', () => {
    expect(refusalOf(() => admitTarget('https://www.tracker.example/browse.php?p=1', list))).toBeNull();
    expect(refusalOf(() => admitTarget('https://evil.test:8443/x', list))).toMatchObject({
      code: 'host_not_allowed',
      kind: 'domain_blocked',
      host: 'evil.test:8443',
      message: 'the address leads to evil.test:8443, which is not on the allowlist',
    });
    expect(refusalOf(() => admitTarget('https://evil.test/', list))).not.toHaveProperty('outcome');
  });

  test.each([
    ['file:///etc/passwd', 'scheme_not_allowed'],
    ['javascript:alert(1)', 'scheme_not_allowed'],
    ['about:blank', 'scheme_not_allowed'],
    ['https://user:pw@www.tracker.example/', 'invalid_request'],
    [' https://www.tracker.example/', 'invalid_request'],
  ])('%j is no target', (url, code) => {
    expect(refusalOf(() => admitTarget(url, list))).toMatchObject({ code });
  });

  test('a refusal never repeats path, query, fragment or password of an address', () => {
    const secret = 'pk-4f1d9c';
    const urls = [
      `https://evil.test/${secret}?passkey=${secret}#${secret}`,
      `https://u:${secret}@www.tracker.example/`,
    ];
    for (const url of urls) {
      for (const check of [admitTarget, checkLanding]) {
        expect(JSON.stringify(refusalOf(() => check(url, list)))).not.toContain(secret);
      }
      expect(JSON.stringify(refusalOf(() => checkHref(url, 'https://www.tracker.example/', list)))).not.toContain(
        secret,
      );
    }
  });
});

describe('after a page has loaded', () => {
  test('S004-23 a redirect out of the list is said, with the host it led to', () => {
    expect(refusalOf(() => checkLanding('https://tracker.example/login.php', list))).toBeNull();
    expect(refusalOf(() => checkLanding('http://parked.test/?d=tracker.example', list))).toMatchObject({
      code: 'landed_elsewhere',
      kind: 'domain_blocked',
      host: 'parked.test',
      outcome: 'applied',
    });
  });

  test('S003-39 a click that landed elsewhere counts as done, so nobody repeats it', () => {
    const refused = refusalOf(() => checkLanding('https://evil.test/', list));
    expect(refused).toMatchObject({ outcome: 'applied', retryable: false });
  });

  test('an empty tab or an error page of the browser is no landing', () => {
    for (const url of ['', 'about:blank', 'about:blank#x', 'about:neterror?e=dnsNotFound&u=http%3A//x.invalid/']) {
      expect(
        refusalOf(() => checkLanding(url, list)),
        url,
      ).toBeNull();
    }
    expect(refusalOf(() => checkLanding('chrome-error://chromewebdata/', parseAllowlist([])))).toBeNull();
  });

  test('pages with the settings or passwords of the browser are not read', () => {
    for (const url of ['about:logins', 'about:config', 'about:blankx', 'chrome://settings/', 'file:///etc/passwd']) {
      expect(
        refusalOf(() => checkLanding(url, list)),
        url,
      ).toMatchObject({ code: 'landed_elsewhere' });
    }
  });
});

describe('before a click on a link', () => {
  const page = 'https://www.tracker.example/browse.php';

  test('S003-38 a link out of the list is refused and not clicked', () => {
    for (const href of [
      '//evil.test/',
      '/\\evil.test',
      'https://tracker.example.evil.test/',
      'http:evil.test',
      '/\t/evil.test',
    ]) {
      expect(
        refusalOf(() => checkHref(href, page, list)),
        href,
      ).toMatchObject({ code: 'host_not_allowed' });
    }
    for (const href of ['details.php?id=1', '/download.php', '?page=2', 'https://cdn.tracker.example/x.torrent']) {
      expect(
        refusalOf(() => checkHref(href, page, list)),
        href,
      ).toBeNull();
    }
  });

  test('a link that stays on the page is clicked like a button', () => {
    for (const href of ['', '#', '#comments', 'javascript:void(0)', ' java\nscript:void(0)', 'JavaScript:toggle()']) {
      expect(
        refusalOf(() => checkHref(href, page, list)),
        href,
      ).toBeNull();
    }
  });

  test('a link into another program is refused', () => {
    for (const href of ['magnet:?xt=urn:btih:00', 'mailto:a@tracker.example', 'data:text/html,x', 'javascripts:x']) {
      expect(
        refusalOf(() => checkHref(href, page, list)),
        href,
      ).toMatchObject({ code: 'scheme_not_allowed' });
    }
  });
});

test('S003-41 what cannot be intercepted is named, not denied', () => {
  expect(Object.keys(notInterceptable).toSorted()).toEqual(
    ['enter_submit', 'evaluate', 'form_submit', 'meta_refresh', 'popup', 'script_navigation', 'spa_routing'].toSorted(),
  );
  // A click sets off all of it but `evaluate`, which is an operation of its own.
  expect(new Set<string>([...afterInteraction, 'evaluate'])).toEqual(new Set(Object.keys(notInterceptable)));
  expect(afterNavigation.every((move) => afterInteraction.includes(move))).toBe(true);
});
