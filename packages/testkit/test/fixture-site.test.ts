import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startFixtureSite, type Family } from '../src/fixture-site/index.ts';
import { visitor } from './visitor.ts';

/** What differs between the families, as a test sees it. */
const shapes = {
  nexusphp: {
    home: '/index.php',
    login: '/login.php',
    list: '/torrents.php',
    details: (id: number) => `/details.php?id=${id}`,
    account: ['/usercp.php', '/userdetails.php?id=10086'],
    loggedIn: 'href="logout.php"',
    row: /<table class="torrentname"/g,
    wrongPassword: '登录失败',
    captchaField: 'imagestring',
    otpField: 'two_step_code',
    banned: '您的账号已被封禁',
    maintenance: '网站维护中',
    next: '下一页',
    search: (words: string) => `/torrents.php?search=${words}`,
  },
  unit3d: {
    home: '/',
    login: '/login',
    list: '/torrents',
    details: (id: number) => `/torrents/${id}`,
    account: ['/users/TideWalker'],
    loggedIn: '/logout" method="POST"',
    row: /<tr\s+class="torrent-search--list__row"/g,
    wrongPassword: 'These credentials do not match',
    captchaField: 'captcha',
    otpField: 'code',
    banned: 'Account is Banned',
    maintenance: 'undergoing maintenance',
    next: 'rel="next"',
    search: (words: string) => `/torrents?name=${words}`,
  },
} as const;

describe.each(['nexusphp', 'unit3d'] as const satisfies readonly Family[])('%s', async (family) => {
  const site = await startFixtureSite({ family });
  const shape = shapes[family];
  const { username, password } = site.account;
  const member = () => visitor(site, site.issueCookie());
  const rowsOf = (text: string) => [...text.matchAll(shape.row)].length;
  beforeEach(() => site.reset());
  afterAll(() => site.close());

  test('a copied cookie is logged in, no cookie is sent to the login form', async () => {
    expect((await member().get(shape.home)).text).toContain(shape.loggedIn);
    const guest = await visitor(site).get(shape.list);
    expect(guest.status).toBe(302);
    expect(guest.location).toContain('login');
  });

  test('the login form lets the right password in, and only that', async () => {
    const guest = visitor(site);
    const refused = await guest.submit(shape.login, { username, password: 'wrong' });
    const shown = refused.status === 302 ? await guest.arrive(refused.location) : refused;
    expect(shown.text).toContain(shape.wrongPassword);
    expect(shown.text).not.toContain(shape.loggedIn);
    const entered = await guest.submit(shape.login, { username, password });
    expect((await guest.arrive(entered.location)).text).toContain(shape.loggedIn);
    expect(site.effects()).toMatchObject({ loginPosts: 2, loginsFailed: 1, loginsSucceeded: 1 });
  });

  test('the list has 72 torrents on three pages, and a search finds by words', async () => {
    const browser = member();
    const first = await browser.get(shape.list);
    expect(rowsOf(first.text)).toBe(25);
    expect(first.text).toContain(shape.next);
    const pages = await Promise.all([0, 1, 2, 3].map((page) => browser.get(`${shape.list}?page=${page}`)));
    const ids = new Set(
      pages.flatMap(({ text }) => [...text.matchAll(/(?:details\.php\?id=|\/torrents\/)(\d{4})/g)].map(([, id]) => id)),
    );
    expect(ids.size).toBe(72);
    const found = await browser.get(shape.search('orchard+2160p'));
    expect(rowsOf(found.text)).toBe(1);
    expect(rowsOf((await browser.get(shape.search('nothing-like-this'))).text)).toBe(0);
  });

  test('a downloaded torrent is the one that the site says it is', async () => {
    const { id, sha256, infoHashV1, fileName } = site.torrent(1_005);
    const details = await member().get(shape.details(id));
    expect(details.text).toContain(infoHashV1);
    const href = /href="([^"]*download[^"]*)"/.exec(details.text)?.[1]?.replace('&#38;', '&') ?? '';
    const response = await fetch(new URL(href, site.origin), { headers: { cookie: site.issueCookie() } });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    expect(response.headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent(fileName)}`);
    const info = bytes.subarray(bytes.indexOf('4:infod') + 6, -1);
    expect(createHash('sha1').update(info).digest('hex')).toBe(infoHashV1);
    expect(bytes.toString('latin1')).toContain(`passkey=${site.account.passkey}`);
    expect(site.effects().downloads).toEqual({ [id]: 1 });
  });

  test('the account pages show the secrets that must not get out', async () => {
    for (const path of shape.account) expect((await member().get(path)).text).toContain(site.account.passkey);
  });

  test('a captcha is a picture, is good for one try, and keeps the right password out while it is wrong', async () => {
    site.set({ login: 'captcha' });
    const guest = visitor(site);
    const refused = await guest.submit(shape.login, { username, password, [shape.captchaField]: '' });
    expect(refused.text + refused.location).not.toContain(shape.loggedIn);
    expect(site.effects()).toMatchObject({ captchasFailed: 1, loginsSucceeded: 0 });

    const { text: form, action, hidden } = await guest.form(shape.login);
    const source = /<img[^>]*src="([^"]*(?:image\.php|captcha)[^"]*)"/
      .exec(form)?.[1]
      ?.replaceAll('&#38;', '&')
      .replaceAll('&amp;', '&');
    const picture = await fetch(new URL(source ?? '', site.origin));
    const png = Buffer.from(await picture.arrayBuffer());
    expect(picture.headers.get('content-type')).toBe('image/png');
    const width = png.readUInt32BE(16);
    const data = png.subarray(png.indexOf('IDAT') + 4, png.indexOf('IEND') - 8);
    expect(inflateSync(data)).toHaveLength((width + 1) * png.readUInt32BE(20));

    const key = guest.jar.get('PHPSESSID') ?? guest.jar.get('laravel_session');
    const hash = /name="(?:imagehash|captcha_id)"\s+value="([0-9a-f]+)"/.exec(form)?.[1];
    const answer = site.captchaAnswer(hash);
    expect(answer).toBe(site.captchaAnswer(key));
    const right = { ...hidden, username, password, [shape.captchaField]: answer };
    const entered = await guest.post(action, right);
    expect((await guest.arrive(entered.location)).text).toContain(shape.loggedIn);
    await visitor(site).post(action, right);
    expect(site.effects().loginsSucceeded).toBe(1);
  });

  test('the second factor is asked after the password, and only its code opens the site', async () => {
    site.set({ login: 'otp' });
    const guest = visitor(site);
    const asked = await guest.submit(shape.login, { username, password });
    const otpPage = new URL(asked.location, site.origin).pathname;
    expect((await guest.get(otpPage)).text).toContain(`name="${shape.otpField}"`);
    expect((await guest.get(shape.home)).status).toBe(302);
    await guest.submit(otpPage, { [shape.otpField]: '000000' === site.otpCode() ? '111111' : '000000' });
    expect(site.effects()).toMatchObject({ otpPosts: 1, otpFailed: 1, loginsSucceeded: 0 });
    const entered = await guest.submit(otpPage, { [shape.otpField]: site.otpCode() });
    expect((await guest.arrive(entered.location)).text).toContain(shape.loggedIn);
  });

  test('captcha and second factor together', async () => {
    site.set({ login: 'captcha+otp' });
    const guest = visitor(site);
    const { action, hidden } = await guest.form(shape.login);
    const asked = await guest.post(action, {
      ...hidden,
      username,
      password,
      [shape.captchaField]: site.captchaAnswer(),
    });
    const entered = await guest.submit(new URL(asked.location, `${site.origin}/`).pathname, {
      [shape.otpField]: site.otpCode(),
    });
    expect((await guest.arrive(entered.location)).text).toContain(shape.loggedIn);
  });

  test('after too many failures the right password is refused too, until the reset', async () => {
    site.set({ maxLoginAttempts: 2 });
    const guest = visitor(site);
    await guest.submit(shape.login, { username, password: 'wrong' });
    await guest.submit(shape.login, { username, password: 'wrong' });
    await guest.submit(shape.login, { username, password });
    expect(site.effects()).toMatchObject({ loginPosts: 3, loginsSucceeded: 0 });
    site.reset();
    await guest.submit(shape.login, { username, password });
    expect(site.effects()).toMatchObject({ loginPosts: 1, loginsSucceeded: 1 });
  });

  test('logged_out ends every login made before; a new one works, and healthy brings the old ones back', async () => {
    const before = member();
    site.set({ state: 'logged_out' });
    expect((await before.get(shape.list)).status).toBe(302);
    expect((await visitor(site, site.issueCookie()).get(shape.list)).status).toBe(302);
    const guest = visitor(site);
    await guest.submit(shape.login, { username, password });
    expect((await guest.get(shape.list)).status).toBe(200);
    site.set({ state: 'healthy' });
    expect((await before.get(shape.list)).status).toBe(200);
  });

  test('structure_changed shows the same torrents, logged in, without a row that the definition knows', async () => {
    site.set({ state: 'structure_changed' });
    const { text } = await member().get(shape.list);
    expect(rowsOf(text)).toBe(0);
    expect(text).toContain(site.torrents[0]?.name);
    expect(text).toContain(shape.loggedIn);
    const form = await visitor(site).get(shape.login);
    expect(form.text).toMatch(/name="username"/);
    site.set({ state: 'structure_changed', only: 'details' });
    expect(rowsOf((await member().get(shape.list)).text)).toBe(25);
    expect((await member().get(shape.details(1_005))).text).not.toMatch(/href="[^"]*download/);
  });

  test('moved leads to the same path on another host, where the site works', async () => {
    site.set({ state: 'moved' });
    const moved = await member().get(`${shape.list}?page=1`);
    expect(moved).toMatchObject({ status: 302, location: `${site.movedOrigin}${shape.list}?page=1` });
    const there = await fetch(`${site.movedOrigin}${shape.list}`, { headers: { cookie: site.issueCookie() } });
    expect(there.status).toBe(200);
    expect(rowsOf(await there.text())).toBe(25);
  });

  test('challenge stands before the site until its button is pressed, and is not passed by waiting', async () => {
    site.set({ state: 'challenge', challengeStatus: 503 });
    const browser = member();
    const wall = await browser.get(shape.list);
    expect(wall.status).toBe(503);
    expect(wall.text).toContain('Just a moment...');
    expect(wall.text).toContain('cf-turnstile');
    expect((await browser.get(shape.list)).status).toBe(503);
    const passed = await browser.submit(shape.list, {});
    expect(rowsOf((await browser.get(passed.location)).text)).toBe(25);
    expect(site.effects().challengesPassed).toBe(1);
    expect((await member().get(shape.list)).status).toBe(503);
  });

  test.each([
    ['banned', 200, shape.banned],
    ['unavailable', 503, '503'],
    ['maintenance', 200, shape.maintenance],
  ] as const)('%s answers every page with its notice', async (state, status, text) => {
    site.set({ state });
    for (const path of [shape.home, shape.login, shape.list]) {
      const page = await member().get(path);
      expect(page.status).toBe(status);
      expect(page.text).toContain(text);
    }
  });

  test('slow delays, or never answers', async () => {
    site.set({ state: 'slow', delayMs: 120 });
    const start = performance.now();
    expect((await member().get(shape.list)).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(110);
    site.set({ delayMs: 'forever' });
    const never = fetch(site.origin, { signal: AbortSignal.timeout(150) });
    await expect(never).rejects.toThrow(/timeout/);
  });

  test('reset breaks the connection', async () => {
    site.set({ state: 'reset' });
    await expect(fetch(`${site.origin}${shape.list}`)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  });

  test('a state can be limited to one kind of page, and a new state is not', async () => {
    site.set({ state: 'unavailable', only: 'list' });
    expect((await member().get(shape.home)).status).toBe(200);
    expect((await member().get(shape.list)).status).toBe(503);
    site.set({ state: 'unavailable' });
    expect((await member().get(shape.home)).status).toBe(503);
  });

  test('definitions name this site, one login method each, and the selectors of its pages', () => {
    const [form, post, cookie] = (['form', 'post', 'cookie'] as const).map((login) => site.definition({ login }));
    for (const definition of [form, post, cookie]) expect(definition).toContain(`links:\n  - ${site.origin}/\n`);
    expect(site.definition()).toBe(form);
    expect(form).toContain('method: form');
    expect(post).toContain('method: post');
    expect(cookie).toContain('cookie: "{{ .Config.cookie }}"');
    expect(`${form}${post}${cookie}`).not.toContain(site.account.password);
  });

  test('page hits are counted by path, and a reset forgets them', async () => {
    await member().get(`${shape.list}?page=1`);
    await member().get(shape.list);
    expect(site.effects().pageHits[shape.list]).toBe(2);
    site.reset();
    expect(site.effects().pageHits).toEqual({});
  });
});

test('plain POST definitions can log in', async () => {
  await using nexus = await startFixtureSite({ family: 'nexusphp' });
  await using unit3d = await startFixtureSite({ family: 'unit3d' });
  for (const [site, path] of [
    [nexus, '/takelogin.php'],
    [unit3d, '/login/basic'],
  ] as const) {
    await visitor(site).post(path, { username: site.account.username, password: site.account.password });
    expect(site.effects().loginsSucceeded).toBe(1);
  }
});

test('sites run side by side, and a seed decides the secrets and the bytes', async () => {
  await using one = await startFixtureSite();
  await using same = await startFixtureSite();
  await using other = await startFixtureSite({ seed: 'other' });
  expect(one.origin).not.toBe(same.origin);
  expect(one.torrent(1_001).sha256).toBe(same.torrent(1_001).sha256);
  expect(one.torrent(1_001).sha256).not.toBe(other.torrent(1_001).sha256);
  expect(one.torrent(1_001).infoHashV1).toBe(other.torrent(1_001).infoHashV1);
  expect((await visitor(other, one.issueCookie()).get('/index.php')).status).toBe(302);
});

test('closing ends answers that would never come', async () => {
  const site = await startFixtureSite({ switches: { state: 'slow', delayMs: 'forever' } });
  const waiting = fetch(site.origin).then(
    () => 'answered',
    () => 'ended',
  );
  await expect.poll(() => site.effects().pageHits['/']).toBe(1);
  await site.close();
  await expect(waiting).resolves.toBe('ended');
});

test('a foreign form token is refused by the Laravel family', async () => {
  await using site = await startFixtureSite({ family: 'unit3d' });
  const { username, password } = site.account;
  expect((await visitor(site).post('/login', { username, password, _token: 'x' })).status).toBe(419);
  expect(site.effects().loginsSucceeded).toBe(0);
});
