import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { generatedTables } from '../scripts/generate-tables.ts';
import {
  checkServer,
  createScratchDatabase,
  type EmbeddedPostgres,
  migrateToLatest,
  openDatabase,
  pendingMigrations,
} from '../src/index.ts';
import { startChild } from './child-process.ts';
import { startTestServer } from './postgres.ts';
import { findSystemPostgres, startSystemPostgres } from './system-postgres.ts';

let server: EmbeddedPostgres;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.leave());

/** An empty database. */
async function emptyDatabase() {
  const scratch = await createScratchDatabase(server.url);
  await using database = openDatabase(scratch.url);
  await sql`drop schema public cascade`.execute(database.kysely);
  await sql`create schema public`.execute(database.kysely);
  return scratch;
}

const Migrated = z.object({ applied: z.array(z.string()), version: z.string() });

describe('migrations', () => {
  test('eight processes that start at once on an empty database apply each migration once', async () => {
    await using scratch = await emptyDatabase();
    const children = Array.from({ length: 8 }, () =>
      startChild('migration-child.ts', { env: { DATABASE_URL: scratch.url } }),
    );
    const reports = z.array(Migrated).parse(await Promise.all(children.map(({ said }) => said)));
    await Promise.all(children.map(({ ended }) => ended));
    await using database = openDatabase(scratch.url);
    const { rows } = await sql<{ name: string }>`select name from browser_migration order by name`.execute(
      database.kysely,
    );
    expect(rows.length).toBeGreaterThan(5);
    expect(reports.flatMap(({ applied }) => applied).toSorted()).toEqual(rows.map(({ name }) => name));
    expect(await pendingMigrations(database.kysely)).toEqual([]);
  }, 60_000);

  test('a database that is newer than this program is refused, not changed', async () => {
    await using scratch = await createScratchDatabase(server.url);
    await using database = openDatabase(scratch.url);
    await sql`insert into browser_migration (name, timestamp) values ('9999_future', '2099')`.execute(database.kysely);
    await expect(migrateToLatest(database.kysely)).rejects.toMatchObject({ code: 'database_outdated' });
  });

  test('the types of the tables are those that the migrations make', async () => {
    await using scratch = await createScratchDatabase(server.url);
    const folder = mkdtempSync(join(tmpdir(), 'wheelhouse-drift-'));
    try {
      const generated = join(folder, 'tables.ts');
      writeFileSync(generated, generatedTables(scratch.url));
      const root = fileURLToPath(new URL('../../../', import.meta.url));
      execFileSync(join(root, 'node_modules/.bin/oxfmt'), ['-c', join(root, '.oxfmtrc.json'), generated]);
      const kept = readFileSync(new URL('../src/tables.ts', import.meta.url), 'utf8');
      expect(kept, 'run `npm run generate`').toBe(readFileSync(generated, 'utf8'));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const system = findSystemPostgres();
  test.skipIf(system === null)(
    `run on the Postgres of this system (${system?.version ?? 'there is none: not proven here'})`,
    async () => {
      await using other = await startSystemPostgres(system!);
      await using database = openDatabase(other.url);
      const { version } = await checkServer(database.kysely);
      expect(system!.version).toContain(version.split(' ', 1)[0]);
      expect((await migrateToLatest(database.kysely)).applied.length).toBeGreaterThan(5);
      await using scratch = await createScratchDatabase(other.url);
      await using cloned = openDatabase(scratch.url);
      expect(await pendingMigrations(cloned.kysely)).toEqual([]);
    },
    60_000,
  );

  test('a server that is too old is named as such', async () => {
    await using scratch = await createScratchDatabase(server.url);
    await using database = openDatabase(scratch.url, { maxConnections: 1 });
    // What an old server says, by a function that stands before the real one.
    await sql`create function public.current_setting(text) returns text language sql as $$
      select case $1 when 'server_version' then '14.9' else '140009' end $$`.execute(database.kysely);
    await sql`set search_path to public, pg_catalog`.execute(database.kysely);
    await expect(checkServer(database.kysely)).rejects.toMatchObject({
      code: 'database_too_old',
      message: 'this is Postgres 14.9; Wheelhouse needs 15 or newer',
    });
  });
});
