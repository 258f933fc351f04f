import { spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chownSync, closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BrowserError } from '@wheelhouse/contracts';
import { postgresBinaries } from './binaries.ts';
import { chooseIdentity, type RunAs } from './identity.ts';
import { postmasterAlive, type Postmaster, runningPostmaster } from './postmaster.ts';
import { enterStart, joinUsers } from './users.ts';

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
  /** Leaves the server; whoever leaves last stops it. */
  leave(): Promise<void>;
}

const user = 'wheelhouse';
/** Longest wait for a start, crash recovery included. */
const startTimeoutMs = 60_000;

/**
 * A Postgres of our own on a data folder, out of the npm binaries. Started when nobody runs it, shared when somebody
 * does: any number of processes may ask at once, one starts. Listens on 127.0.0.1 only, on a free port.
 *
 * The server outlives a killed parent; the next one adopts it. It is stopped when the last process that uses it leaves.
 *
 * @throws BrowserError `environment` with what to do
 */
export async function startEmbeddedPostgres(dataFolder: string): Promise<EmbeddedPostgres> {
  const dataDir = resolve(dataFolder);
  const native = postgresBinaries();
  const identity = chooseIdentity(native, dataDir);
  const leaveUsers = joinUsers(dataDir);
  const leave = async () => {
    using _start = await enterStart(dataDir, startTimeoutMs);
    if (leaveUsers() === 'last') await stopServer(dataDir);
  };
  try {
    using _start = await enterStart(dataDir, startTimeoutMs);
    const running = runningPostmaster(dataDir);
    if (running !== null) return { ...handleOf(dataDir, running), adopted: true, how: 'adopted', leave };
    await initialise(dataDir, identity);
    const started = await startServer(dataDir, identity);
    return { ...handleOf(dataDir, started), adopted: false, how: identity.how, leave };
  } catch (error) {
    leaveUsers();
    throw error;
  }
}

function handleOf(dataDir: string, { pid, port }: Postmaster) {
  const password = readFileSync(passwordFile(dataDir), 'utf8').trim();
  return { pid, port, url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres` };
}

const passwordFile = (dataDir: string) => `${dataDir}.password`;

async function initialise(dataDir: string, identity: RunAs): Promise<void> {
  if (existsSync(join(dataDir, 'PG_VERSION'))) {
    const version = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
    if (version === '18' && existsSync(passwordFile(dataDir))) return;
    const why = version === '18' ? 'has lost its password file' : `is of Postgres ${version}, this program runs 18`;
    throw new BrowserError('environment', `the data folder ${dataDir} ${why}; move it away or set DATABASE_URL`);
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(passwordFile(dataDir), `${password}\n`, { mode: 0o600 });
  // initdb reads the password from a file, so that it never stands in a process list.
  const handed = `${dataDir}.${randomUUID()}.init`;
  writeFileSync(handed, `${password}\n`, { mode: 0o600 });
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(handed, identity.uid, identity.gid);
  const [program, args, options] = command(identity, 'initdb', [
    '-D',
    dataDir,
    '-U',
    user,
    '--auth=scram-sha-256',
    `--pwfile=${handed}`,
    '--locale=C.UTF-8',
    '--encoding=UTF8',
    '--no-instructions',
  ]);
  const done = spawnSync(program, args, { ...options, encoding: 'utf8' });
  rmSync(handed, { force: true });
  if (done.status === 0) return;
  // A half-made folder would stand in the way of the next try.
  rmSync(dataDir, { recursive: true, force: true });
  throw new BrowserError(
    'environment',
    `the embedded Postgres could not be set up in ${dataDir} (${firstLine(done.stderr)})`,
    { cause: done.error },
  );
}

async function startServer(dataDir: string, identity: RunAs): Promise<Postmaster> {
  // A server that is still going down holds its folder.
  for (let waitedMs = 0; postmasterAlive(dataDir) && waitedMs < 10_000; waitedMs += 50) await sleep(50);
  for (let attempt = 1; ; attempt += 1) {
    const log = openSync(`${dataDir}.log`, 'a', 0o600);
    const [program, args, options] = command(identity, 'postgres', [
      '-D',
      dataDir,
      '-p',
      String(await freePort()),
      '-h',
      '127.0.0.1',
      '-k',
      '',
      '-c',
      'max_connections=200',
    ]);
    const server = spawn(program, args, { ...options, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    const ended = new Promise<'ended'>((done) => {
      server.once('exit', () => done('ended'));
      server.once('error', () => done('ended'));
    });
    server.unref();
    const up = await Promise.race([ended, becomesReady(dataDir)]);
    if (up !== 'ended' && up !== null) return up;
    // The port may have been taken between choosing and binding.
    if (attempt === 3 || up === null)
      throw new BrowserError('environment', `the embedded Postgres did not start; see ${dataDir}.log`);
  }
}

async function becomesReady(dataDir: string): Promise<Postmaster | null> {
  for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += 20) {
    const running = runningPostmaster(dataDir);
    if (running !== null) return running;
    await sleep(20);
  }
  return null;
}

/** Fast shutdown (SIGINT): running transactions are rolled back, nothing committed is lost. */
async function stopServer(dataDir: string): Promise<void> {
  const running = runningPostmaster(dataDir);
  if (running === null) return;
  process.kill(running.pid, 'SIGINT');
  for (let waitedMs = 0; postmasterAlive(dataDir) && waitedMs < 10_000; waitedMs += 20) await sleep(20);
}

function command(identity: RunAs, program: string, args: readonly string[]) {
  const [first = '', ...rest] = [...identity.before, join(identity.bin, program), ...args];
  const who = identity.uid === undefined || identity.gid === undefined ? {} : { uid: identity.uid, gid: identity.gid };
  return [first, rest, { ...who, cwd: '/', env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } }] as const;
}

function firstLine(text: string | null): string {
  return (
    text
      ?.split('\n')
      .find((line) => line.includes('error') || line.includes('FATAL'))
      ?.trim() ?? 'no message'
  );
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? done(address.port) : failed(new Error('no port')),
      );
    });
    probe.once('error', failed);
  });
}
