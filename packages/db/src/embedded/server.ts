import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BrowserError } from '@wheelhouse/contracts';
import type { RunAs } from './identity.ts';
import { forgetDeadPostmaster, postmasterAlive, type Postmaster, runningPostmaster } from './postmaster.ts';
import { runningProcess } from './processes.ts';
import { postgresCommand, reasonIn } from './programs.ts';

/** Longest wait for a start, crash recovery included, milliseconds. */
export const startTimeoutMs = 60_000;
/** How long a start that something passing prevents is tried again, milliseconds. */
const retryMs = 10_000;
const stopTimeoutMs = 20_000;
const largestLog = 4 * 1024 * 1024;

/**
 * What passes by itself: a port that somebody took between choosing and binding; children of a killed server that have
 * not noticed yet (they hold its shared memory).
 */
const passing =
  /Address already in use|could not (bind|create any TCP)|pre-existing shared memory|lock file .* already exists/;

/**
 * Starts a server on a folder that nobody serves. It outlives this process.
 *
 * @throws BrowserError `environment` with the reason that Postgres gave
 */
export async function startServer(dataDir: string, identity: RunAs): Promise<Postmaster> {
  const log = `${dataDir}.log`;
  const retryUntil = Date.now() + retryMs;
  // A server that is still going down holds its folder.
  while (postmasterAlive(dataDir) && Date.now() < retryUntil) await sleep(20);
  if (existsSync(log) && statSync(log).size > largestLog) truncateSync(log);
  for (;;) {
    forgetDeadPostmaster(dataDir);
    const before = existsSync(log) ? statSync(log).size : 0;
    const found = await tryStart(dataDir, identity, log);
    if (found === 'slow') {
      throw new BrowserError('environment', `the embedded Postgres is still recovering; see ${log}, and try later`);
    }
    if (found !== 'ended') return found;
    const said = readFileSync(log).subarray(before).toString();
    if (!passing.test(said) || Date.now() > retryUntil) {
      throw new BrowserError('environment', `the embedded Postgres did not start (${reasonIn(said)}); see ${log}`);
    }
    await sleep(100);
  }
}

async function tryStart(dataDir: string, identity: RunAs, log: string): Promise<Postmaster | 'ended' | 'slow'> {
  const [program, args, options] = postgresCommand(identity, 'postgres', [
    '-D',
    dataDir,
    '-h',
    '127.0.0.1',
    '-p',
    String(await freePort()),
    '-k',
    '',
    // Rows stay out of the log.
    '-c',
    'max_connections=200',
    '-c',
    'log_error_verbosity=terse',
    '-c',
    'log_checkpoints=off',
  ]);
  const output = openSync(log, 'a', 0o600);
  const server = spawn(program, args, { ...options, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  let ended = false;
  server.once('exit', () => (ended = true));
  server.once('error', () => (ended = true));
  server.unref();
  for (const until = Date.now() + startTimeoutMs; Date.now() < until; await sleep(20)) {
    const running = runningPostmaster(dataDir);
    if (running !== null) return running;
    if (ended) return 'ended';
  }
  return 'slow';
}

/** Fast shutdown (SIGINT): running transactions are rolled back, nothing committed is lost. Resolves when it is gone. */
export async function stopServer(dataDir: string): Promise<void> {
  const running = runningPostmaster(dataDir);
  if (running === null) return;
  const identity = runningProcess(running.pid)?.identity;
  process.kill(running.pid, 'SIGINT');
  // It takes its pid file away before it ends, so the file does not tell.
  for (const until = Date.now() + stopTimeoutMs; Date.now() < until; await sleep(20)) {
    if (runningProcess(running.pid)?.identity !== identity) return;
  }
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
