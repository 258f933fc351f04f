import { inspect } from 'node:util';
import { BrowserError } from '@wheelhouse/contracts';
import { createRedactor } from '@wheelhouse/runtime';
import { describe, expect, test } from 'vitest';
import { createLogger } from './telemetry.ts';

const canary = /s3cr3t\w*|5ec2e7\w*/i;

/** A logger that writes into a list. */
function listening() {
  const lines: string[] = [];
  const redactor = createRedactor();
  redactor.learn('s3cr3t phrase that nothing names');
  const log = createLogger({
    redactor,
    level: 'trace',
    destination: { write: (line: string) => void lines.push(line) },
  });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> };
}

const chain = () =>
  new Error('outer ?passkey=s3cr3tword', {
    cause: new TypeError('middle: Cookie: tlx=s3cr3tTX9', {
      cause: new AggregateError([new Error('inner s3cr3t phrase that nothing names')], 'password: s3cr3t'),
    }),
  });

describe('no secret reaches a log file', () => {
  test.each([
    ['in a message', (log) => log.info('GET /dl?passkey=s3cr3tword')],
    ['put into a message', (log) => log.info('GET %s', '/dl?passkey=s3cr3tword')],
    ['in a message that an object is put into', (log) => log.info('got %o', { password: 's3cr3t' })],
    ['in a message, behind percent escapes', (log) => log.info('next=%2Fdl%3Fpasskey%3Ds3cr3tword')],
    ['in an object, by its name', (log) => log.info({ password: 's3cr3t' }, 'logged in')],
    ['in an object, deep', (log) => log.info({ job: { steps: [{ headers: { cookie: 'tlx=s3cr3tTX9' } }] } })],
    ['as a value that was given out', (log) => log.info({ note: 's3cr3t phrase that nothing names' })],
    ['as the value of a key', (log) => log.info({ 's3cr3t phrase that nothing names': true })],
    ['in the facts of a child', (log) => log.child({ url: 'https://a:s3cr3tpw@t.example/' }).info('hello')],
    ['in an error of a child', (log) => log.child({ err: chain() }).info('hello')],
    ['in an error', (log) => log.error(new Error('outer ?passkey=s3cr3tword'))],
    ['in nested causes', (log) => log.error(chain())],
    ['in nested causes under any name', (log) => log.error({ err: chain(), job: { failure: chain() } }, 'failed')],
    ['in an error that is put into a message', (log) => log.error('failed: %s', chain())],
    ['in the stack of an error', (log) => log.error({ stack: chain().stack })],
    [
      'in an address',
      (log) => log.info({ url: new URL('https://t.example/announce/5ec2e7616e01bed9207da13bf2187831') }),
    ],
  ] as readonly (readonly [string, (log: ReturnType<typeof listening>['log']) => void])[])('%s', (_place, write) => {
    const { log, lines } = listening();
    write(log);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(canary);
    expect(lines[0]).toContain('[redacted]');
    expect(lines[0]?.endsWith('}\n')).toBe(true);
  });

  test('the private cause of our own error is told by class and code only', () => {
    const { log, last, lines } = listening();
    const cause = Object.assign(new TypeError('page says s3cr3t'), { code: 'ECONNRESET' });
    log.error({ err: new BrowserError('upstream_failed', 'the click broke off', { cause }) });
    expect(last()['err']).toMatchObject({
      code: 'upstream_failed',
      causes: [{ name: 'TypeError', code: 'ECONNRESET' }],
    });
    expect(lines[0]).not.toContain('page says');
  });

  test('an error that its printer shows is as safe as the log', () => {
    const error = new BrowserError('upstream_failed', 'the click broke off', { cause: new Error('page says s3cr3t') });
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toMatch(canary);
  });
});

test('what is no secret can be read: ids, codes, durations, info-hashes', () => {
  const { log, last } = listening();
  const facts = {
    sessionId: '1d5dc20b-0e26-4462-a1db-74bb4df1469d',
    operationId: 'job-7:3-click',
    durationMs: 41,
    infoHash: 'e9697098bc28ad4993d1a87d0164209f71ffbecb',
    code: 'tab_lost',
  };
  log.warn(facts, 'GET /tabs/…/snapshot 200');
  expect(last()).toMatchObject({ ...facts, level: 40, msg: 'GET /tabs/…/snapshot 200' });
});

test('S004-29 a line has level and time, and nothing of the machine', () => {
  const { log, last } = listening();
  log.info({ method: 'GET', path: '/tabs', status: 200, durationMs: 3 }, 'call');
  expect(Object.keys(last())).toEqual(['level', 'time', 'method', 'path', 'status', 'durationMs', 'msg']);
});
