import { connect, createServer, type Socket } from 'node:net';
import { createScratchDatabase, type Database, openDatabase, startEmbeddedPostgres } from '@wheelhouse/db';
import { statement } from './statement.ts';

/** A Postgres that can be broken in the middle of everything, at an address that stays. */
export interface BreakableDatabase extends AsyncDisposable {
  /** For workers: through a port that outlives restarts of the server. */
  readonly url: string;
  /** The server itself, until it is killed. */
  readonly directUrl: string;
  readonly db: Database['kysely'];
  /** Cuts all connections of one application, by `pg_terminate_backend`. */
  cut(applicationName: string): Promise<void>;
  /** Kills the server as `kill -9` does and starts it again. Resolves when it answers. */
  killServer(): Promise<void>;
  /** When the server last came back, by `performance.now()`; 0 when it never went, and now while it is away. */
  restartedAt(): number;
}

/** Starts a server of its own in this folder, with a migrated database in it. */
export async function startDatabase(folder: string): Promise<BreakableDatabase> {
  let server = await startEmbeddedPostgres(folder);
  let restartedAt = 0;
  let away = false;
  const scratch = await createScratchDatabase(server.url);
  const open = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(server.port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const address = proxy.address();
  const url = new URL(scratch.url);
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  const database = openDatabase(url.href, { maxConnections: 8, applicationName: 'chaos harness' });
  return {
    url: url.href,
    directUrl: scratch.url,
    db: database.kysely,
    cut: async (applicationName) => {
      const named = `application_name = '${applicationName}'`;
      await statement(database.kysely, `select pg_terminate_backend(pid) from pg_stat_activity where ${named}`);
    },
    killServer: async () => {
      away = true;
      process.kill(server.pid, 'SIGKILL');
      await server.leave();
      server = await startEmbeddedPostgres(folder);
      restartedAt = performance.now();
      away = false;
    },
    restartedAt: () => (away ? performance.now() : restartedAt),
    async [Symbol.asyncDispose]() {
      await database.close();
      for (const socket of open) socket.destroy();
      await new Promise((done) => proxy.close(done));
      await server.leave();
    },
  };
}
