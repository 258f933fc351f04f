import { BrowserError } from '@wheelhouse/contracts';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { DB } from './tables.ts';

/** An open database. */
export interface Database extends AsyncDisposable {
  readonly kysely: Kysely<DB>;
  /** Ends all connections; running statements finish first. */
  close(): Promise<void>;
}

/** Oldest Postgres that the migrations are tested with. */
export const oldestPostgres = 15;

const int8 = 20;

/**
 * Opens a pool of connections. Nothing connects before the first statement.
 *
 * A connection that dies (server restart, network) is dropped and never ends this process; the statement on it fails
 * with `database_unreachable`. Failures of the server's rules (constraints) come through as they are.
 */
export function openDatabase(
  url: string,
  options: { readonly maxConnections?: number; readonly applicationName?: string } = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections ?? 10,
    application_name: options.applicationName ?? 'wheelhouse',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Fences and counts fit into a number; whatever does not must fail loudly.
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === int8 ? safeInteger : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // Without listeners a dying server would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool: new NamingPool(pool) }) });
  const close = () => kysely.destroy();
  return { kysely, close, [Symbol.asyncDispose]: close };
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new BrowserError('internal', 'a number in the database is too large');
  return value;
}

/** What kysely needs of a pool; turns connection failures into our words. */
class NamingPool {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect().catch((cause: unknown) => {
      throw databaseFailure(cause);
    });
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const named = (...args: unknown[]) =>
      query(...args).catch((cause: unknown) => {
        throw databaseFailure(cause);
      });
    return new Proxy(client, { get: (on, key) => (key === 'query' ? named : (Reflect.get(on, key, on) as unknown)) });
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Node's and Postgres' codes of a connection that is not there (any more), and of a server that is starting or stopping. */
const unreachable =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08\w{3}|57P0[1-3]|53300|28\w{3}|3D000)$/;

/**
 * A failure as `database_unreachable` where the server could not be used, and unchanged where it answered.
 * The address (with its password) and the server's text stay in the cause.
 */
export function databaseFailure(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const text = cause instanceof Error ? cause.message : '';
  if (unreachable.test(code))
    return new BrowserError('database_unreachable', `Postgres cannot be used (${code})`, { cause });
  if (code === '' && /terminated|timeout exceeded when trying to connect|not queryable/i.test(text)) {
    return new BrowserError('database_unreachable', 'the connection to Postgres broke off', { cause });
  }
  return cause;
}

/**
 * Checks that the server can be used at all.
 *
 * @throws BrowserError `database_unreachable`, `database_too_old`
 */
export async function checkServer(db: Kysely<DB>): Promise<{ readonly version: string }> {
  const { rows } = await sql<{ version: string; number: string }>`
    select current_setting('server_version') as version, current_setting('server_version_num') as number`.execute(db);
  const version = rows[0]?.version ?? 'unknown';
  if (Number(rows[0]?.number ?? 0) < oldestPostgres * 10_000) {
    throw new BrowserError(
      'database_too_old',
      `this is Postgres ${version}; Wheelhouse needs ${oldestPostgres} or newer`,
    );
  }
  return { version };
}

/** Runs one statement that kysely has no words for, for example `create database`. */
export async function runStatement(db: Kysely<DB>, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement));
}
