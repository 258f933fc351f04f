import { createHash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { generatedSha256, largeFileBytes, startFixtureSite, totp } from '../src/fixture-site/index.ts';
import { visitor } from './visitor.ts';

const site = await startFixtureSite();
beforeEach(() => site.reset());
afterAll(() => site.close());

const Count = z.object({ presses: z.record(z.string(), z.number()), total: z.number() });
const counted = async () => Count.parse(await (await fetch(`${site.origin}/lab/count`)).json());

const call = (path: string, init: RequestInit = {}, token = site.controlToken) =>
  fetch(`${site.origin}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });

describe('lab', () => {
  test('every page is there without a login', async () => {
    const index = await visitor(site).get('/lab');
    const paths = [...index.text.matchAll(/href="(\/lab[^"]*)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(15);
    for (const path of paths) {
      const { status } = await visitor(site).get(path === '/lab/slow' ? '/lab/slow?ms=1' : path);
      expect([path, status === 200 || (path === '/lab/redirect' && status === 302)]).toEqual([path, true]);
    }
    expect(site.effects().presses).toEqual({});
  });

  test('near-same names have ids of their own', async () => {
    const { text } = await visitor(site).get('/lab/buttons');
    const ids = [...text.matchAll(/data-act="([^"]+)"[^>]*>\s*Delete[^<]*</g)].map(([, id]) => id);
    expect(ids).toEqual(['delete', 'delete-all', 'delete-account']);
    const same = await visitor(site).get('/lab/same');
    expect([...same.text.matchAll(/data-act="same-\d"[^>]*>\s*Remove\s*</g)]).toHaveLength(3);
  });

  test('every press is counted, also one whose answer is lost', async () => {
    await visitor(site).post('/act/delete', {});
    await visitor(site).post('/act/delete', {});
    await expect(visitor(site).post('/act/buy?then=reset', {})).rejects.toThrow(/fetch failed/);
    expect((await visitor(site).post('/act/constructor?then=error', {})).status).toBe(500);
    expect(await counted()).toMatchObject({ presses: { delete: 2, buy: 1, constructor: 1 }, total: 4 });
    expect(site.effects().log.map(({ sequence, id }) => [sequence, id])).toEqual([
      [1, 'delete'],
      [2, 'delete'],
      [3, 'buy'],
      [4, 'constructor'],
    ]);
  });

  test('a slow form has its effect before its answer', async () => {
    const answer = visitor(site).post('/lab/form?ms=300', { title: '<b>new</b>' });
    await expect.poll(async () => (await counted()).presses['form']).toBe(1);
    const { text } = await answer;
    expect(text).toContain('Saved 1 times');
    expect(text).not.toContain('<b>new');
  });

  test('the large file is 25 MiB of known bytes', async () => {
    const bytes = Buffer.from(await (await fetch(`${site.origin}/lab/download/large`)).arrayBuffer());
    expect(bytes).toHaveLength(25 * 1024 * 1024);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(generatedSha256(largeFileBytes));
    expect(site.effects().downloads).toEqual({ 'lab:large': 1 });
  });

  test('slow and cut downloads are slow and cut', async () => {
    const start = performance.now();
    const slow = await fetch(`${site.origin}/lab/download/slow?ms=200&bytes=1000`);
    expect(await slow.arrayBuffer()).toHaveProperty('byteLength', 1_000);
    expect(performance.now() - start).toBeGreaterThan(180);
    const cut = await fetch(`${site.origin}/lab/download/cut`);
    expect(cut.headers.get('content-length')).toBe(String(1024 * 1024));
    await expect(cut.arrayBuffer()).rejects.toThrow(/terminated/);
  });

  test('states leave the lab alone unless a path names it', async () => {
    site.set({ state: 'unavailable' });
    expect((await visitor(site).get('/lab/buttons')).status).toBe(200);
    site.set({ state: 'unavailable', only: '/lab' });
    expect((await visitor(site).get('/lab/buttons')).status).toBe(503);
    expect((await visitor(site, site.issueCookie()).get('/index.php')).status).toBe(200);
  });
});

describe('control', () => {
  test('another process switches states, reads effects and gets the answers of a person', async () => {
    const body = JSON.stringify({ state: 'challenge', only: ['list', 'details'] });
    expect((await call('/__control', { method: 'POST', body })).status).toBe(200);
    expect(site.switches()).toMatchObject({ state: 'challenge', only: ['list', 'details'] });
    await visitor(site).get('/torrents.php');
    expect(await (await call('/__effects')).json()).toMatchObject({ pageHits: { '/torrents.php': 1 } });
    const { otp, cookie } = z
      .object({ otp: z.string(), cookie: z.string() })
      .parse(await (await call('/__answers')).json());
    expect(otp).toMatch(/^\d{6}$/);
    expect((await visitor(site, cookie).get('/index.php')).status).toBe(200);
    await call('/__reset', { method: 'POST' });
    expect(site.switches().state).toBe('healthy');
  });

  test('without the token, or with unknown switches, nothing changes', async () => {
    const body = JSON.stringify({ state: 'banned' });
    expect((await call('/__control', { method: 'POST', body }, 'wrong')).status).toBe(401);
    expect((await call('/__answers', {}, 'wrong')).status).toBe(401);
    const unknown = JSON.stringify({ state: 'banned', colour: 'red' });
    expect((await call('/__control', { method: 'POST', body: unknown })).status).toBe(400);
    expect(site.switches().state).toBe('healthy');
  });
});

test('codes are those of RFC 6238, appendix B', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  expect(totp(secret, 59_000)).toBe('287082');
  expect(totp(secret, 1_111_111_109_000)).toBe('081804');
  expect(totp(secret, 20_000_000_000_000)).toBe('353130');
});
