import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import {
  addProvider,
  createScratchDatabase,
  type Database,
  type EmbeddedPostgres,
  openDatabase,
  openSession,
  type ScratchDatabase,
  startEmbeddedPostgres,
} from '../src/index.ts';
import { OpenSession, type ProviderRecord, type SessionId, type TabId } from '@wheelhouse/contracts';

const folder = fileURLToPath(new URL('../../../.wheelhouse/test-pg', import.meta.url));

/** The server that all test files share; the last one who leaves stops it. */
export async function startTestServer(): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(folder);
  if (!server.adopted) await dropLeftovers(server.url);
  return server;
}

/** Databases that killed test runs left behind. */
async function dropLeftovers(url: string): Promise<void> {
  await using admin = openDatabase(url, { maxConnections: 1 });
  const { rows } = await sql<{ name: string }>`
    select datname as name from pg_database where starts_with(datname, 'wheelhouse_scratch_')
      and (pg_stat_file('base/' || oid || '/PG_VERSION')).modification < now() - interval '1 hour'`.execute(
    admin.kysely,
  );
  for (const { name } of rows) await sql`drop database if exists ${sql.id(name)} with (force)`.execute(admin.kysely);
}

/** A migrated database of this test file's own. */
export function useDatabase() {
  let server: EmbeddedPostgres | undefined;
  let scratch: ScratchDatabase | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    server = await startTestServer();
    scratch = await createScratchDatabase(server.url);
    database = openDatabase(scratch.url, { maxConnections: 25 });
  });
  afterAll(async () => {
    await database?.close();
    await scratch?.[Symbol.asyncDispose]();
    await server?.leave();
  });
  return {
    get db() {
      if (database === undefined) throw new Error('the database is not open yet');
      return database.kysely;
    },
    get url() {
      if (scratch === undefined) throw new Error('the database is not made yet');
      return scratch.url;
    },
  };
}

let count = 0;

/** Rows that most tests need, each with names of its own. */
export function rowsFor(database: { readonly db: Database['kysely'] }) {
  const newProvider = async (): Promise<ProviderRecord> => {
    const provider = await addProvider(database.db, {
      name: `provider ${(count += 1)}`,
      kind: 'camofox',
      baseUrl: 'http://127.0.0.1:9377',
      secretRef: null,
      allowlist: [],
    });
    if (provider === null) throw new Error('the name was taken');
    return provider;
  };
  const wish = (providerId: string, profileKey = `profile-${(count += 1)}`) => ({
    ...OpenSession.parse({ providerId, profileKey, operationId: 'open' }),
    allowlist: ['tracker.example'],
    caller: 'test',
  });
  const newSession = async (provider?: ProviderRecord): Promise<SessionId> => {
    const { id } = provider ?? (await newProvider());
    return (await openSession(database.db, wish(id))).session.id;
  };
  const newTab = async (sessionId: SessionId): Promise<TabId> => {
    const { rows } = await sql<{ id: TabId }>`
      insert into browser_tab (session_id, upstream_tab_id, document_token, document)
      values (${sessionId}, ${`upstream ${(count += 1)}`}, 'token-of-sixteen-', '{"origin":null,"elements":{}}')
      returning id`.execute(database.db);
    if (rows[0] === undefined) throw new Error('no tab');
    return rows[0].id;
  };
  return { newProvider, wish, newSession, newTab };
}

/** The constraint or rule that refuses a statement; fails when none does. */
export async function refusedBy(statement: Promise<unknown>): Promise<string> {
  try {
    await statement;
  } catch (error) {
    if (error instanceof Error && 'constraint' in error) return String(error.constraint);
    throw error;
  }
  throw new Error('the database let it pass');
}
