import { BrowserError } from '@wheelhouse/contracts';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, type PoolClient, types } from 'pg';
import type { DB } from './tables.ts';

/** An open database. */
export interface Database extends AsyncDisposable {
  readonly kysely: Kysely<DB>;
  /** Ends all connections; running statements finish first. */
  close(): Promise<void>;
}

/** How a database is opened. */
export interface DatabaseOptions {
  /** Default 10. */
  readonly maxConnections?: number | undefined;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string | undefined;
  /** Called once for each statement that is sent: a round trip. For measuring. */
  readonly onStatement?: (() => void) | undefined;
}

/** Oldest Postgres that the migrations are tested with. */
export const oldestPostgres = 15;

const int8 = 20;
/** Of all types but int8, as the driver reads them. The type of its parameter is a closed list, which oids are not. */
const typeParser: (oid: number, format?: 'text' | 'binary') => (value: string) => unknown = types.getTypeParser;

/**
 * Opens a pool of connections. Nothing connects before the first statement.
 *
 * A connection that dies (server restart, network) is dropped and never ends this process; the statement on it fails
 * with `database_unreachable`. Failures of the server's rules (constraints) come through as they are.
 *
 * @throws BrowserError `invalid_config` for an address that is none
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const pool = new Pool({
    ...connectionOf(url),
    max: options.maxConnections ?? 10,
    application_name: options.applicationName ?? 'wheelhouse',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Fences and counts fit into a number; whatever does not must fail loudly.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? safeInteger : typeParser(oid, format),
    },
  });
  // Without listeners a dying server would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: new NamingPool(pool) }),
    ...(options.onStatement === undefined ? {} : { log: options.onStatement }),
  });
  const close = () => kysely.destroy();
  return { kysely, close, [Symbol.asyncDispose]: close };
}

/** Reads the address once, here: the driver would quote it, password and all, in the failure of the first statement. */
export function connectionOf(url: string): { readonly connectionString: string } {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new BrowserError('invalid_config', 'the database address is not of the form postgres://user@host/name');
  }
  return { connectionString: url };
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new BrowserError('internal', 'a number in the database is too large');
  return value;
}

/** What kysely needs of a pool; turns connection failures into our words. */
class NamingPool {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async connect(): Promise<PoolClient> {
    const client = await this.#pool.connect().catch((cause: unknown) => {
      throw notConnected(cause);
    });
    const query: (...args: unknown[]) => Promise<unknown> = client.query.bind(client);
    let broken = false;
    const named = (...args: unknown[]) =>
      query(...args).catch((cause: unknown) => {
        const failure = databaseFailure(cause);
        broken ||= failure !== cause;
        throw failure;
      });
    // A server says that it cuts a connection before the socket ends: without a word from us the pool would hand the
    // dead connection to the next caller.
    const release = () => client.release(broken);
    return new Proxy(client, {
      get: (on, key): unknown => (key === 'query' ? named : key === 'release' ? release : Reflect.get(on, key, on)),
    });
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Node's and Postgres' codes of a connection that broke, and of a server that is going down or coming up. */
const brokenOff = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|08\w{3}|57P0[1-3])$/;

/** What pg says, without a code, when the connection under a statement is gone. */
const pgWords = /terminated|not queryable|connection (was )?closed/i;

/**
 * A failure as `database_unreachable` where the connection broke off, and unchanged where the server answered.
 * The address (with its password) and the server's text stay in the cause.
 */
export function databaseFailure(cause: unknown): unknown {
  const code = codeOf(cause);
  const broken = code === '' ? cause instanceof Error && pgWords.test(cause.message) : brokenOff.test(code);
  if (!broken) return cause;
  return new BrowserError('database_unreachable', `the connection to Postgres broke off${inBrackets(code)}`, { cause });
}

/** No connection could be made, for whatever reason: nothing was sent. */
function notConnected(cause: unknown): unknown {
  if (BrowserError.is(cause)) return cause;
  return new BrowserError('database_unreachable', `Postgres cannot be used${inBrackets(reasonOf(cause))}`, { cause });
}

/** Codes that a person who sets an address gets wrong, in words. */
const reasons: Readonly<Record<string, string>> = {
  '28P01': 'wrong password',
  '28000': 'this user may not connect',
  '3D000': 'there is no such database',
  '53300': 'too many connections',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
};

function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  return reasons[code] ?? code;
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}

function inBrackets(reason: string): string {
  return reason === '' ? '' : ` (${reason})`;
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
