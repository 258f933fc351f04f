import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import { handOver, type RunAs } from './identity.ts';
import { postgresCommand, reasonIn } from './programs.ts';

/** Name of the one role of an embedded server. */
export const embeddedRole = 'wheelhouse';

/** Major version of the programs that this package installs. */
const majorVersion = '18';

/** The password of an embedded server; random, in a file beside its data that only its owner may read. */
export function readPassword(dataDir: string): string {
  try {
    return readFileSync(passwordFile(dataDir), 'utf8').trim();
  } catch (cause) {
    throw new BrowserError(
      'environment',
      `the password file of ${dataDir} cannot be read; run as the user who created it, or set DATABASE_URL`,
      { cause },
    );
  }
}

const passwordFile = (dataDir: string) => `${dataDir}.password`;

/**
 * Makes the data folder unless it is there. It is made aside and moved into place whole: a crash in between leaves no
 * half of one.
 *
 * @throws BrowserError `environment` for a folder of another major version or without its password, or when it cannot
 *   be made
 */
export function initialise(dataDir: string, identity: RunAs): void {
  const version = versionOf(dataDir);
  if (version !== undefined) {
    if (version !== majorVersion) {
      throw new BrowserError(
        'environment',
        `the data folder ${dataDir} is of Postgres ${version} and this program runs ${majorVersion}; move it away, or set DATABASE_URL to a Postgres ${version} that runs on it`,
      );
    }
    readPassword(dataDir);
    handOver(dataDir, identity);
    return;
  }
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new BrowserError(
      'environment',
      `the folder ${dataDir} is not empty and holds no Postgres data; choose another`,
    );
  }
  removeLeftovers(dataDir);
  const aside = `${dataDir}.new-${randomUUID()}`;
  const password = randomBytes(24).toString('base64url');
  // initdb reads the password from a file, so that it never stands in a process list.
  const handed = `${aside}.password`;
  try {
    mkdirSync(aside, { mode: 0o700 });
    writeFileSync(handed, `${password}\n`, { mode: 0o600 });
    handOver(aside, identity);
    if (identity.owner !== undefined) chownSync(handed, identity.owner.uid, identity.owner.gid);
    runInitdb(aside, handed, identity);
    writeFileSync(passwordFile(dataDir), `${password}\n`, { mode: 0o600 });
    rmSync(dataDir, { recursive: true, force: true });
    renameSync(aside, dataDir);
  } finally {
    rmSync(handed, { force: true });
    rmSync(aside, { recursive: true, force: true });
  }
}

function runInitdb(folder: string, passwordAt: string, identity: RunAs): void {
  const [program, args, options] = postgresCommand(identity, 'initdb', [
    '-D',
    folder,
    '-U',
    embeddedRole,
    '--auth=scram-sha-256',
    `--pwfile=${passwordAt}`,
    '--locale=C.UTF-8',
    '--encoding=UTF8',
    '--no-instructions',
  ]);
  const done = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (done.status === 0) return;
  throw new BrowserError(
    'environment',
    `the embedded Postgres could not be set up (${reasonIn(done.stderr ?? '')}); set DATABASE_URL to use another`,
    { cause: done.error },
  );
}

/**
 * What a killed predecessor left while it made this folder. Only one makes it at a time; its initdb may still write for
 * a moment, and what cannot be removed now is removed the next time.
 */
function removeLeftovers(dataDir: string): void {
  const prefix = `${basename(dataDir)}.new-`;
  for (const entry of readdirSync(dirname(dataDir)).filter((name) => name.startsWith(prefix))) {
    try {
      rmSync(join(dirname(dataDir), entry), { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    } catch {
      continue;
    }
  }
}

function versionOf(dataDir: string): string | undefined {
  const path = join(dataDir, 'PG_VERSION');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
