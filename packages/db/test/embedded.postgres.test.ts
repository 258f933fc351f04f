import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { copyOfPrograms, postgresPrograms } from '../src/embedded/binaries.ts';
import { openDatabase, startEmbeddedPostgres } from '../src/index.ts';
import { type Child, type ChildOptions, startChild } from './child-process.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

const Report = z.object({
  url: z.string(),
  port: z.int(),
  pid: z.int(),
  adopted: z.boolean(),
  how: z.string(),
});

let home: string;
let data: string;
let children: Child[];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'wheelhouse-embedded-'));
  chmodSync(home, 0o711);
  data = join(home, 'pg');
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  // Whoever leaves last stops the server, whatever a test did to it.
  await (await startEmbeddedPostgres(data).catch(() => null))?.leave();
  rmSync(home, { recursive: true, force: true });
});

function start(then: 'stay' | 'leave', options: ChildOptions = {}): Child {
  const child = startChild('embedded-child.ts', { args: [data, then], ...options });
  children.push(child);
  return child;
}
const report = async (child: Child) => Report.parse(await child.said);

function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    return false;
  }
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < 10_000 && !holds(); waited += 20) await sleep(20);
  expect(holds()).toBe(true);
}

async function count(url: string): Promise<number> {
  await using database = openDatabase(url);
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from kept`.execute(database.kysely);
  return rows[0]?.n ?? -1;
}

describe('an embedded server', () => {
  test('is started once by many processes at once, shared by all, and stopped by the last', async () => {
    const all = Array.from({ length: 6 }, () => start('leave'));
    const reports = await Promise.all(all.map(report));
    await Promise.all(all.map(({ ended }) => ended));
    const starters = reports.filter(({ adopted }) => !adopted);
    // Whoever comes after the last one left starts it anew; two never run side by side.
    expect(new Set(reports.map(({ pid }) => pid)).size).toBe(starters.length);
    await eventually(() => reports.every(({ pid }) => !runs(pid)));
  }, 90_000);

  test('outlives a killed parent, with all its rows, and is adopted by the next', async () => {
    const parent = start('stay');
    const { url, pid } = await report(parent);
    {
      await using database = openDatabase(url);
      await sql`create table kept (n int)`.execute(database.kysely);
      await sql`insert into kept values (1), (2)`.execute(database.kysely);
    }
    await parent.kill();
    expect(runs(pid)).toBe(true);
    const next = await startEmbeddedPostgres(data);
    expect(next).toMatchObject({ adopted: true, pid, how: 'adopted' });
    expect(await count(next.url)).toBe(2);
    await next.leave();
    expect(runs(pid)).toBe(false);
  }, 60_000);

  test('that was killed with -9 comes back with every committed row', async () => {
    const server = await startEmbeddedPostgres(data);
    await using database = openDatabase(server.url, { maxConnections: 4 });
    await sql`create table kept (n int)`.execute(database.kysely);
    let committed = 0;
    const writers = Array.from({ length: 4 }, async () => {
      for (;;) {
        await sql`insert into kept values (1)`.execute(database.kysely);
        committed += 1;
      }
    });
    await eventually(() => committed > 200);
    process.kill(server.pid, 'SIGKILL');
    const failures = await Promise.allSettled(writers);
    for (const failure of failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: { code: 'database_unreachable' } });
    }
    const again = await startEmbeddedPostgres(data);
    expect(again.adopted).toBe(false);
    // One statement a writer may have been committed without its answer.
    expect(await count(again.url)).toBeGreaterThanOrEqual(committed);
    expect(await count(again.url)).toBeLessThanOrEqual(committed + 4);
    await again.leave();
    await server.leave();
  }, 60_000);

  test('is not taken for running when its number went to another process', async () => {
    const server = await startEmbeddedPostgres(data);
    const pidFile = join(data, 'postmaster.pid');
    const lines = readFileSync(pidFile, 'utf8').split('\n');
    await server.leave();
    // Somebody of the same user, so that Postgres itself would refuse to start.
    const other = spawn('sleep', ['60'], isRoot ? { uid: statSync(data).uid, gid: statSync(data).gid } : {});
    try {
      writeFileSync(pidFile, [other.pid, ...lines.slice(1)].join('\n'), { mode: 0o600 });
      chownSync(pidFile, statSync(data).uid, statSync(data).gid);
      const again = await startEmbeddedPostgres(data);
      expect(again.adopted).toBe(false);
      expect(again.pid).not.toBe(other.pid);
      await again.leave();
    } finally {
      other.kill('SIGKILL');
    }
  }, 60_000);

  test('is started although a killed starter left its note and half a folder', async () => {
    writeFileSync(`${data}.starting`, `${process.pid}\n${process.pid}@1\nx`);
    mkdirSync(`${data}.new-left-by-a-kill`);
    mkdirSync(`${data}.users`);
    writeFileSync(join(`${data}.users`, '1-x'), '1@1');
    const server = await startEmbeddedPostgres(data);
    await server.leave();
    expect(runs(server.pid)).toBe(false);
    expect(() => statSync(`${data}.new-left-by-a-kill`)).toThrow('ENOENT');
  }, 60_000);

  test('a starter killed at any moment leaves nothing that stops the next', async () => {
    for (const afterMs of [700, 1_000, 1_300, 1_600, 2_000]) {
      const child = start('stay');
      await sleep(afterMs);
      await child.kill();
      await child.said.catch(() => undefined);
    }
    const server = await startEmbeddedPostgres(data);
    await using database = openDatabase(server.url);
    await sql`select 1`.execute(database.kysely);
    await database.close();
    await server.leave();
    expect(runs(server.pid)).toBe(false);
  }, 90_000);

  test('keeps its password out of the process list and in a file of the owner', async () => {
    const server = await startEmbeddedPostgres(data);
    const password = new URL(server.url).password;
    expect(password.length).toBeGreaterThanOrEqual(32);
    await using database = openDatabase(server.url);
    await sql`select 1`.execute(database.kysely);
    expect(spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout).not.toContain(password);
    expect(readFileSync(`${data}.log`, 'utf8')).not.toContain(password);
    expect(statSync(`${data}.password`).mode & 0o777).toBe(0o600);
    const wrong = new URL(server.url);
    wrong.password = 'guessed';
    await using other = openDatabase(wrong.href);
    await expect(sql`select 1`.execute(other.kysely)).rejects.toMatchObject({
      code: 'database_unreachable',
      message: 'Postgres cannot be used (wrong password)',
    });
    await database.close();
    await server.leave();
  }, 60_000);
});

describe('who runs it', () => {
  test.runIf(isRoot)(
    'root: an unprivileged user, where it can reach the folder',
    async () => {
      const child = start('leave');
      const { how } = await report(child);
      expect(how).toMatch(/^uid \d+$/);
      expect(statSync(data).uid).not.toBe(0);
      await child.ended;
    },
    60_000,
  );

  test.runIf(isRoot)(
    'root: also in a home that only root may enter',
    async () => {
      chmodSync(home, 0o700);
      const child = start('leave');
      const { how } = await report(child);
      expect(how).toMatch(/^(user namespace|uid \d+ that may pass closed folders)$/);
      await child.ended;
      expect(await report(start('leave'))).toMatchObject({ how });
    },
    60_000,
  );

  test.runIf(isRoot)(
    'root: also where namespaces are forbidden, as in most containers',
    async () => {
      chmodSync(home, 0o700);
      const path = join(home, 'bin');
      mkdirSync(path);
      for (const program of ['setpriv', 'true']) symlinkSync(which(program), join(path, program));
      const child = start('leave', { env: { PATH: path } });
      const { how } = await report(child);
      expect(how).toMatch(/^uid \d+ that may pass closed folders$/);
      await child.ended;
    },
    60_000,
  );

  test.runIf(isRoot)(
    'root: says what to do where nothing works',
    async () => {
      chmodSync(home, 0o700);
      const child = start('leave', { env: { PATH: '/nowhere' } });
      expect(await child.said).toMatchObject({
        error: { code: 'environment', message: expect.stringContaining('set DATABASE_URL') },
      });
      await child.ended;
    },
    60_000,
  );

  test.runIf(isRoot)(
    'not root: the user who asks',
    async () => {
      const own = join(home, 'of-nobody');
      mkdirSync(own, { mode: 0o700 });
      chownSync(own, nobody, nobody);
      data = join(own, 'pg');
      const child = start('leave', { uid: nobody, gid: nobody, env: { HOME: own, TSX_DISABLE_CACHE: '1' } });
      const { how } = await report(child);
      expect(how).toBe('same user');
      expect(statSync(data).uid).toBe(nobody);
      await child.ended;
    },
    60_000,
  );
});

describe('programs that are not ours to complete', () => {
  test('are copied beside the data once, whole, and run from there', () => {
    const native = postgresPrograms(data);
    const copy = copyOfPrograms(native, data);
    expect(copyOfPrograms(native, data)).toBe(copy);
    const said = spawnSync(join(copy, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' });
    expect(said.stdout).toMatch(/^postgres \(PostgreSQL\) 18/);
  });
});

describe('a folder that cannot be used', () => {
  test('of another major version is left alone, and the way out is named', async () => {
    mkdirSync(data);
    writeFileSync(join(data, 'PG_VERSION'), '15\n');
    await expect(startEmbeddedPostgres(data)).rejects.toMatchObject({
      code: 'environment',
      message: expect.stringMatching(/is of Postgres 15 and this program runs 18; move it away/),
    });
    expect(readFileSync(join(data, 'PG_VERSION'), 'utf8')).toBe('15\n');
  });

  test('with files of somebody else is not emptied', async () => {
    mkdirSync(data);
    writeFileSync(join(data, 'thesis.txt'), 'years of work');
    await expect(startEmbeddedPostgres(data)).rejects.toMatchObject({ code: 'environment' });
    expect(readFileSync(join(data, 'thesis.txt'), 'utf8')).toBe('years of work');
  });

  test('with broken data says what Postgres said', async () => {
    const server = await startEmbeddedPostgres(data);
    await server.leave();
    rmSync(join(data, 'global', 'pg_control'));
    await expect(startEmbeddedPostgres(data)).rejects.toMatchObject({
      code: 'environment',
      message: expect.stringContaining('could not find the database system'),
    });
  }, 60_000);
});

function which(program: string): string {
  return spawnSync('which', [program], { encoding: 'utf8' }).stdout.trim();
}
