import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a run of the command line left. */
export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The last line of stdout as JSON. */
  json(): unknown;
}

/** A command line with a home of its own. Runs the program as a user would: another process, its streams are pipes. */
export interface CommandLine extends Disposable {
  readonly home: string;
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Run>;
}

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const tsx = import.meta.resolve('tsx');

/** Makes one; the embedded database of its home ends with the last run. */
export function commandLine(): CommandLine {
  const home = mkdtempSync(join(tmpdir(), 'wheelhouse-cli-'));
  return {
    home,
    run: (args, environment = {}) =>
      new Promise((done) => {
        const env = {
          PATH: process.env['PATH'],
          HOME: home,
          WHEELHOUSE_HOME: join(home, 'wheelhouse'),
          ...environment,
        };
        const argv = ['--conditions=@wheelhouse/source', '--import', tsx, main, ...args];
        execFile(process.execPath, argv, { cwd: home, env, timeout: 90_000 }, (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
          done({
            exitCode: code,
            stdout,
            stderr,
            json: () => JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown,
          });
        });
      }),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}
