import { BrowserError } from '@wheelhouse/contracts';
import { describe, expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';

const canary = /s3cr3t\w*|5ec2e7\w*/i;
const shown = (value: unknown) => JSON.stringify(value);

describe('json', () => {
  const json = (value: unknown) => createRedactor().json(value);

  test.each([
    [{ user: 'fox', password: 's3cr3t' }],
    [{ headers: { Cookie: 'lang=chs; tlx=s3cr3tTX9', authorization: 'Bearer s3cr3tword' } }],
    [{ headers: ['Cookie', 'tlx=s3cr3tTX9', 'Accept', '*/*'] }],
    [
      [
        ['x-api-key', 's3cr3tX9'],
        ['accept', '*/*'],
      ],
    ],
    [{ cookies: [{ value: 's3cr3tX9', domain: 't.example', name: 'c_secure_pass' }] }],
    [{ label: '', type: 'password', value: 's3cr3t' }],
    [{ ref: 'e2', text: 's3cr3t', secret: true }],
    [{ selector: 'input[name=password]', text: 's3cr3t' }],
    [{ path: ['password'], received: 's3cr3t' }],
    [{ method: 'auth.login', params: ['s3cr3tX9'] }],
    [{ backup_codes: ['s3cr3t-77ab', 's3cr3t-1234'] }],
    [{ tokens: { feed: 's3cr3tX9y2k1' } }],
    [{ credentials: { user: 'fox', value: 's3cr3t!' } }],
    [{ deep: { list: ['https://t.example/announce/5ec2e7616e01bed9207da13bf2187831'] } }],
    [{ note: 'see ?passkey=s3cr3tword' }],
    [{ 'https://t.example/?passkey=s3cr3tword': 1 }],
    [{ url: new URL('https://fox:s3cr3t@t.example/?authkey=s3cr3tword') }],
    [new Map([['passkey', 's3cr3tword']])],
    [{ error: new Error('at /dl?passkey=s3cr3tword') }],
    [{ toJSON: () => ({ password: 's3cr3t' }) }],
  ])('%j', (value) => {
    expect(shown(json(value))).not.toMatch(canary);
  });

  test('a code is a secret as a number, too', () => {
    expect(json({ otp: 660_123, pin: 4711, count: 4711 })).toEqual({
      otp: '[redacted]',
      pin: '[redacted]',
      count: 4711,
    });
  });

  test('what is no secret stays as it was, and the value itself is not touched', () => {
    const value = {
      id: 4410,
      name: 'Token.Ring',
      hash: '5d41402abc4b2a76b9719d911017c592aa33ff01',
      list: [1, null, true],
      nested: { page: 3 },
      at: new Date(0),
    };
    expect(json(value)).toEqual({ ...value, at: '1970-01-01T00:00:00.000Z' });
    const secret = { password: 's3cr3t' };
    json(secret);
    expect(secret.password).toBe('s3cr3t');
  });

  test('cycles, depth and bytes do not break it', () => {
    const loop: Record<string, unknown> = { a: 1, bytes: new Uint8Array(3), big: 10n };
    loop['self'] = loop;
    let deep: unknown = 's3cr3t';
    for (let i = 0; i < 100; i++) deep = [deep];
    expect(json(loop)).toEqual({ a: 1, bytes: '[3 bytes]', big: '10', self: '[circular]' });
    expect(shown(json(deep))).toContain('[too deep]');
  });

  test('a field called __proto__ stays a field', () => {
    const copy = json(JSON.parse('{"__proto__":{"password":"s3cr3t"}}'));
    expect(shown(copy)).toBe('{"__proto__":{"password":"[redacted]"}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});

describe('error', () => {
  const error = (thrown: unknown) => createRedactor().error(thrown);

  test('a chain of foreign errors keeps classes and codes and loses what it quotes', () => {
    const bottom = Object.assign(new Error('connect ECONNREFUSED to https://fox:s3cr3t@t.example'), {
      code: 'ECONNREFUSED',
    });
    const top = new TypeError('fetch failed: /dl?passkey=s3cr3tword', {
      cause: new AggregateError([bottom, new Error('?authkey=s3cr3tword')], 'all failed'),
    });
    const safe = error(top);
    expect(shown(safe)).not.toMatch(canary);
    expect(safe).toMatchObject({
      name: 'TypeError',
      causes: [{ name: 'AggregateError', causes: [{ code: 'ECONNREFUSED' }, {}] }],
    });
  });

  test('of the cause of a BrowserError only class and code are told', () => {
    const cause = Object.assign(new SyntaxError('Unexpected token in "<td>my diary"'), { code: 'E_PARSE' });
    const safe = error(new BrowserError('unexpected_shape', 'the upstream answered another shape', { cause }));
    expect(safe).toEqual({
      name: 'BrowserError',
      code: 'unexpected_shape',
      message: 'the upstream answered another shape',
      causes: [{ name: 'SyntaxError', code: 'E_PARSE', message: '' }],
    });
  });

  test.each([['a string with ?passkey=s3cr3tword'], [{ message: 'password=s3cr3t' }], [null], [undefined], [7]])(
    'thrown %j is described',
    (thrown) => {
      expect(shown(error(thrown))).not.toMatch(canary);
    },
  );

  test('a chain that bites its tail, and a message of a megabyte, end', () => {
    const loop = new Error('x'.repeat(1_000_000));
    loop.cause = loop;
    expect(shown(error(loop)).length).toBeLessThan(20_000);
  });
});

test('what one redactor learned, another does not know; counts add up and hold no values', () => {
  const one = createRedactor();
  const other = createRedactor();
  one.learn('correct horse battery');
  const text = 'the words are correct horse battery, and ?passkey=s3cr3tword';
  expect(one.text(text)).toEqual({
    text: 'the words are [redacted], and ?passkey=[redacted]',
    redactions: { 'known-secret': 1, 'secret-value': 1 },
  });
  expect(other.text(text).text).toContain('horse');
  one.json({ password: 's3cr3t', list: ['correct%20horse%20battery'] });
  expect(one.counts()).toEqual({ 'known-secret': 2, 'secret-value': 1, 'password-value': 1 });
  expect(one.url('https://t.example/?q=correct+horse+battery&x=1', 'operator')).toBe(
    'https://t.example/?q=[redacted]&x=1',
  );
});

test('S004-24 a stream of the redactor knows its secrets, too', () => {
  const redactor = createRedactor();
  redactor.learn('correct horse battery');
  const stream = redactor.stream('log');
  expect(stream.push('correct ho') + stream.push('rse battery') + stream.end()).toBe('[redacted]');
});
