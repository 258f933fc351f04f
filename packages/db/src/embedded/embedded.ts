import { resolve } from 'node:path';
import { postgresPrograms } from './binaries.ts';
import { embeddedRole, initialise, readPassword } from './cluster.ts';
import { chooseIdentity, makeParent } from './identity.ts';
import { type Postmaster, runningPostmaster } from './postmaster.ts';
import { startServer, startTimeoutMs, stopServer } from './server.ts';
import { oneAtATime, joinUsers } from './users.ts';

/** An embedded server that this process uses. Other processes may use the same one. */
export interface EmbeddedPostgres {
  /** Address with password, for this machine only. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Whether it ran already, started by somebody else. */
  readonly adopted: boolean;
  /** How it was started, for people; `adopted` when it was not by us. */
  readonly how: string;
  /** Leaves the server; whoever leaves last stops it. A second call does nothing. */
  leave(): Promise<void>;
}

/**
 * A Postgres of our own on a data folder, out of the npm binaries. Started when nobody runs it, shared when somebody
 * does: any number of processes may ask at once, one starts. Listens on 127.0.0.1 only, on a free port.
 *
 * The server outlives a killed parent; the next one adopts it. It is stopped when the last process that uses it leaves.
 * Beside the folder stand `.password`, `.log`, `.users/` and, while somebody starts or stops it, `.starting`.
 *
 * @throws BrowserError `environment` with what to do
 */
export async function startEmbeddedPostgres(dataFolder: string): Promise<EmbeddedPostgres> {
  const dataDir = resolve(dataFolder);
  makeParent(dataDir);
  const leaveUsers = joinUsers(dataDir);
  let left = false;
  const leave = async () => {
    if (left) return;
    left = true;
    await oneAtATime(dataDir, startTimeoutMs, async () => {
      if (leaveUsers() === 'last') await stopServer(dataDir);
    });
  };
  try {
    return await oneAtATime(dataDir, startTimeoutMs, async () => {
      const running = runningPostmaster(dataDir);
      if (running !== null) return { ...handleOf(dataDir, running), adopted: true, how: 'adopted', leave };
      const identity = chooseIdentity(postgresPrograms(dataDir), dataDir);
      initialise(dataDir, identity);
      const started = await startServer(dataDir, identity);
      return { ...handleOf(dataDir, started), adopted: false, how: identity.how, leave };
    });
  } catch (error) {
    leaveUsers();
    throw error;
  }
}

function handleOf(dataDir: string, { pid, port }: Postmaster) {
  return { pid, port, url: `postgres://${embeddedRole}:${readPassword(dataDir)}@127.0.0.1:${port}/postgres` };
}
