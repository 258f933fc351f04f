import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Postgres programs that are installed on this machine. */
export interface SystemPostgres {
  readonly bin: string;
  readonly version: string;
}

/** Postgres programs on the path or in the usual folders, 15 or newer; `null` when there are none. */
export function findSystemPostgres(): SystemPostgres | null {
  const onPath = spawnSync('which', ['pg_ctl'], { encoding: 'utf8' }).stdout?.trim();
  const folders = [onPath ? dirname(onPath) : '', ...[18, 17, 16, 15].map((v) => `/usr/lib/postgresql/${v}/bin`)];
  for (const bin of folders.filter((folder) => folder !== '')) {
    const said = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
    const version = /\d+\.\d+/.exec(said.stdout ?? '')?.[0];
    if (said.status === 0 && version !== undefined && Number.parseInt(version, 10) >= 15) return { bin, version };
  }
  return null;
}

/** A server of these programs in a folder of its own, gone when disposed. */
export async function startSystemPostgres({
  bin,
}: SystemPostgres): Promise<AsyncDisposable & { readonly url: string }> {
  const home = mkdtempSync(join(tmpdir(), 'wheelhouse-system-pg-'));
  const data = join(home, 'data');
  mkdirSync(data, { mode: 0o700 });
  const user = process.getuid?.() === 0 ? nobody() : undefined;
  if (user !== undefined) {
    chmodSync(home, 0o711);
    chownSync(data, user.uid, user.gid);
  }
  const run = (program: string, args: readonly string[]) =>
    execFileSync(join(bin, program), args, { ...user, cwd: '/', stdio: 'ignore' });
  run('initdb', ['-D', data, '-U', 'wheelhouse', '--auth=trust', '--no-sync', '--locale=C', '--encoding=UTF8']);
  const port = await freePort();
  run('pg_ctl', ['-D', data, '-l', join(data, 'log'), '-w', '-o', `-h 127.0.0.1 -p ${port} -k ''`, 'start']);
  return {
    url: `postgres://wheelhouse@127.0.0.1:${port}/postgres`,
    [Symbol.asyncDispose]: () => {
      run('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']);
      rmSync(home, { recursive: true, force: true });
      return Promise.resolve();
    },
  };
}

function nobody(): { uid: number; gid: number } {
  try {
    const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return { uid: 65_534, gid: statSync('/').gid };
  }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => done(port));
    });
  });
}
