import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { underlying } from '@wheelhouse/contracts';
import { createListener, openDatabase } from '../src/index.ts';
import { rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newProvider } = rowsFor(database);

describe('a database that cannot be used', () => {
  const withAddress = (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    return openDatabase(url.href);
  };
  const cases: readonly [string, (url: URL) => void][] = [
    ['nothing listens there', (url) => (url.port = '1')],
    ['wrong password', (url) => (url.password = 'canary-password')],
    ['there is no such database', (url) => (url.pathname = '/missing')],
  ];
  test.each(cases)('is called unreachable: %s, and its address stays in the cause', async (reason, change) => {
    await using other = withAddress(change);
    const failed = await sql`select 1`.execute(other.kysely).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'database_unreachable', message: `Postgres cannot be used (${reason})` });
    expect(JSON.stringify(failed)).not.toMatch(/canary-password|127\.0\.0\.1/);
  });

  test('an address that is none is refused before it is used, and not quoted', () => {
    for (const address of [
      '',
      'canary-password',
      'mysql://u:canary-password@h/db',
      'postgres://u:canary-password@:x/',
    ]) {
      expect(() => openDatabase(address)).toThrow(
        expect.objectContaining({
          code: 'invalid_config',
          message: 'the database address is not of the form postgres://user@host/name',
        }),
      );
    }
  });

  test('connections that the server cuts fail their statement, never the process, and the pool goes on', async () => {
    await using other = openDatabase(database.url, { applicationName: 'to be cut' });
    const sleeping = sql`select pg_sleep(30)`.execute(other.kysely).catch((error: unknown) => error);
    const cut = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(pg_terminate_backend(pid))::int as n from pg_stat_activity
        where application_name = 'to be cut' and state = 'active'`.execute(database.db);
      return rows[0]?.n ?? 0;
    };
    await expect.poll(cut).toBe(1);
    expect(await sleeping).toMatchObject({ code: 'database_unreachable' });
    await sql`select 1`.execute(other.kysely);
  });

  test('what the server refuses comes through as the server said it', async () => {
    const failed = await sql`select 1 / 0`.execute(database.db).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: '22012' });
    expect(underlying(failed as Parameters<typeof underlying>[0])).toBeUndefined();
  });
});

describe('numbers', () => {
  test('of the database are numbers here, and one that would lose digits fails loudly', async () => {
    const { id } = await newProvider();
    const set = (epoch: string) =>
      sql`update browser_provider set boot_epoch = ${epoch} where id = ${id}`.execute(database.db);
    const read = () =>
      database.db.selectFrom('browser_provider').select('boot_epoch').where('id', '=', id).executeTakeFirstOrThrow();
    await set('9007199254740991');
    expect((await read()).boot_epoch).toBe(Number.MAX_SAFE_INTEGER);
    await set('9007199254740993');
    await expect(read()).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('a listener', () => {
  const notify = (payload: string) => sql`select pg_notify('door', ${payload})`.execute(database.db);
  const connected = async () => {
    const { rows } = await sql`
      select pid from pg_stat_activity where application_name = 'wheelhouse listener' and query = 'listen "door"'
        and state = 'idle' and datname = current_database()`.execute(database.db);
    return rows.length;
  };

  test('wakes who waits for this payload, and not the others', async () => {
    await using listener = createListener(database.url, ['door']);
    await expect.poll(connected).toBe(1);
    const signal = AbortSignal.timeout(10_000);
    const woken: string[] = [];
    const wait = (payload: string) =>
      listener.waitFor('door', payload, signal).then(() => woken.push(signal.aborted ? 'late' : payload));
    const one = wait('one');
    const two = wait('two');
    await notify('one');
    await one;
    expect(woken).toEqual(['one']);
    await notify('two');
    await two;
    expect(woken).toEqual(['one', 'two']);
  });

  test('comes back after its connection is cut, and wakes everybody since notices may be lost', async () => {
    await using listener = createListener(database.url, ['door']);
    await expect.poll(connected).toBe(1);
    const heard: (string | null)[] = [];
    const stop = listener.on('door', (payload) => heard.push(payload));
    const waiting = listener.waitFor('door', 'never said', AbortSignal.timeout(15_000));
    const before = Date.now();
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'wheelhouse listener' and datname = current_database()`.execute(database.db);
    await waiting;
    expect(Date.now() - before).toBeLessThan(10_000);
    await notify('after');
    await expect.poll(() => heard).toEqual([null, 'after']);
    stop();
    await notify('unheard');
    await notify('unheard');
    expect(heard).toEqual([null, 'after']);
  });

  test('lets go at once when nobody answers, and when the caller gives up', async () => {
    const silent = createListener('postgres://u:p@127.0.0.1:1/none', ['door']);
    const before = Date.now();
    const given = new AbortController();
    const waiting = silent.waitFor('door', 'x', given.signal);
    given.abort();
    await waiting;
    const until = silent.waitFor('door', 'x', new AbortController().signal);
    await silent[Symbol.asyncDispose]();
    await until;
    await silent.waitFor('door', 'x', new AbortController().signal);
    expect(Date.now() - before).toBeLessThan(2_000);
  });
});
