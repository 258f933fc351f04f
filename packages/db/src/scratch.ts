import { createHash, randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { migrations } from '../migrations/index.ts';
import { openDatabase } from './database.ts';
import { migrateToLatest } from './migrate.ts';
import type { DB } from './tables.ts';

/** A throw-away database. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
}

const templatePrefix = 'wheelhouse_template_';

/** Changes with the migrations, so that a server that outlives a change of one makes a new template. */
function templateName(): string {
  const text = Object.entries(migrations).map(([name, { up }]) => `${name}\n${up.toString()}`);
  return `${templatePrefix}${createHash('sha256').update(text.join('\n')).digest('hex').slice(0, 16)}`;
}

/**
 * Makes a migrated database of its own on a server, for tests, benches and demos; dropped when disposed. The
 * migrations run once a server: later ones are cloned from a template. Any number of processes may ask at once.
 *
 * @throws BrowserError `database_unreachable`
 */
export async function createScratchDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const name = `wheelhouse_scratch_${randomUUID().replaceAll('-', '')}`;
  await using admin = openDatabase(serverUrl, { maxConnections: 1 });
  // The lock belongs to this one connection: one process at a time makes the template, and clones it alone.
  await admin.kysely.connection().execute(async (db) => {
    await sql`select pg_advisory_lock(hashtext(${templatePrefix}))`.execute(db);
    try {
      const template = await migratedTemplate(db, serverUrl);
      await sql`create database ${sql.id(name)} template ${sql.id(template)}`.execute(db);
    } finally {
      await sql`select pg_advisory_unlock(hashtext(${templatePrefix}))`.execute(db);
    }
  });
  return {
    url: databaseUrl(serverUrl, name),
    name,
    async [Symbol.asyncDispose]() {
      await using again = openDatabase(serverUrl, { maxConnections: 1 });
      await sql`drop database if exists ${sql.id(name)} with (force)`.execute(again.kysely);
    },
  };
}

/** The name of the template, made when it is not there. One that was marked as a template is whole. */
async function migratedTemplate(db: Kysely<DB>, serverUrl: string): Promise<string> {
  const name = templateName();
  const { rows } = await sql<{ name: string; whole: boolean }>`
    select datname as name, datistemplate as whole from pg_database
    where starts_with(datname, ${templatePrefix})`.execute(db);
  if (rows.some((found) => found.name === name && found.whole)) return name;
  for (const old of rows) {
    await sql`alter database ${sql.id(old.name)} is_template false`.execute(db);
    await sql`drop database if exists ${sql.id(old.name)} with (force)`.execute(db);
  }
  await sql`create database ${sql.id(name)}`.execute(db);
  {
    await using made = openDatabase(databaseUrl(serverUrl, name), { maxConnections: 1 });
    await migrateToLatest(made.kysely);
  }
  await sql`alter database ${sql.id(name)} is_template true`.execute(db);
  return name;
}

/** The same server, another database. */
function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
