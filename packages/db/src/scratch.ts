import { randomUUID } from 'node:crypto';
import { migrateToLatest } from './migrate.ts';
import { openDatabase, runStatement } from './database.ts';

/** A throw-away database. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
}

/**
 * Makes a migrated database of its own on a server, for tests, benches and demos; dropped when disposed. The
 * migrations run once a server: later ones are cloned from a template.
 */
export async function createScratchDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const template = 'wheelhouse_template';
  const name = `wheelhouse_scratch_${randomUUID().replaceAll('-', '')}`;
  const url = databaseUrl(serverUrl, name);
  const admin = openDatabase(serverUrl, { maxConnections: 1 });
  try {
    // One at a time: a template with connections cannot be cloned. The lock belongs to this one connection.
    await runStatement(admin.kysely, `select pg_advisory_lock(hashtext('${template}'))`);
    await makeTemplate(admin, databaseUrl(serverUrl, template), template);
    await runStatement(admin.kysely, `create database ${name} template ${template}`);
  } finally {
    await admin.close();
  }
  return {
    url,
    name,
    async [Symbol.asyncDispose]() {
      await using again = openDatabase(serverUrl, { maxConnections: 1 });
      await runStatement(again.kysely, `drop database if exists ${name} with (force)`);
    },
  };
}

async function makeTemplate(admin: ReturnType<typeof openDatabase>, url: string, name: string): Promise<void> {
  await runStatement(admin.kysely, `create database ${name}`).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === '42P04')) throw error;
  });
  await using database = openDatabase(url, { maxConnections: 1 });
  await migrateToLatest(database.kysely);
}

/** The same server, another database. */
function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
