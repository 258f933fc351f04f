import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { format, inspect } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrowserError, BrowserErrorCode, BrowserErrorJson, errorCodes, Outcome, underlying } from '../src/index.ts';

const codes = BrowserErrorCode.options;
const canary = 'passkey-canary-6b1f';
const withCause = () =>
  new BrowserError('unexpected_shape', 'the browser service answered in an unknown form', {
    outcome: 'unknown',
    cause: new SyntaxError(`Unexpected token in "${canary}"`, { cause: { body: canary } }),
  });

test('S001-22 S000-20 an error never invites to repeat what may have happened', () => {
  fc.assert(
    fc.property(fc.constantFrom(...codes), fc.constantFrom(...Outcome.options, undefined), (code, outcome) => {
      const { retryable } = new BrowserError(code, 'it failed', { outcome });
      const provenHarmless = outcome === undefined || outcome === 'not_applied';
      expect(retryable).toBe(errorCodes[code].transient && provenHarmless);
    }),
  );
});

/** Whatever an application may print an error with, without knowing us. */
const printers: ReadonlyArray<readonly [string, (error: Error) => string]> = [
  ['util.inspect', (error) => inspect(error, { depth: 10, showHidden: true })],
  ['util.format', (error) => format('%s %o %O %j', error, error, error, error)],
  ['JSON.stringify', (error) => JSON.stringify({ error })],
  ['error.stack', (error) => `${error.stack}${String(error)}`],
  ['structuredClone', (error) => inspect(structuredClone(error), { depth: 10, showHidden: true })],
  ['the own properties, walked', (error) => inspect(Object.getOwnPropertyDescriptors(error), { depth: 10 })],
  [
    'console.error',
    (error) => {
      const stream = new PassThrough();
      new Console(stream).error('failed', error);
      return String(stream.read());
    },
  ],
];

test.each(printers)('S004-30 what a page said does not reach a log through %s', (_name, print) => {
  const printed = print(withCause());
  expect(printed.length).toBeGreaterThan(0);
  expect(printed).not.toContain(canary);
});

test('a debugger that asks for the cause gets it, also after facts were added', () => {
  const error = BrowserError.with(withCause(), { operationId: 'job-1/click' });
  expect(inspect(underlying(error))).toContain(canary);
  expect(inspect(error)).not.toContain(canary);
  expect(error).toMatchObject({ code: 'unexpected_shape', outcome: 'unknown', operationId: 'job-1/click' });
});

test('an error of a second copy of the package is still recognised', () => {
  const foreign = Object.assign(new Error('it failed'), { [Symbol.for('wheelhouse.BrowserError')]: true });
  expect(foreign instanceof BrowserError).toBe(false);
  expect(BrowserError.is(foreign)).toBe(true);
});

test.each([null, undefined, 'text', 7, {}, new Error('other')])('%s is not taken for one of our errors', (value) => {
  expect(BrowserError.is(value)).toBe(false);
});

test.each(codes)('%s can be stored, read back, and says what to do', (code) => {
  const error = new BrowserError(code, 'it failed', { retryAfterMs: 500, host: 'tracker.example:443' });
  const stored = BrowserErrorJson.parse(JSON.parse(JSON.stringify(error)));
  expect(stored).toMatchObject({ code, kind: error.kind, retryable: error.retryable, retryAfterMs: 500 });
  expect(stored.next).toMatch(/^\w.*[^.]$/);
});

test('S000-84 S000-85 S000-86 S000-87 the status of an answer says whose turn it is', () => {
  const status = (code: BrowserErrorCode) => new BrowserError(code, 'it failed').httpStatus;
  expect([status('no_provider'), status('browser_dead')]).toEqual([503, 503]);
  expect([status('capacity'), status('queue_full'), status('upstream_busy')]).toEqual([429, 429, 429]);
  expect(status('invalid_request')).toBe(400);
  expect([status('stale_snapshot'), status('operation_replayed'), status('human_in_control')]).toEqual([409, 409, 409]);
});

test('S004-27 the kinds that callers branch on are the fourteen that were promised, each in use', () => {
  const used = new Set(Object.values(errorCodes).map(({ kind }) => kind));
  expect(used.size).toBe(14);
});
