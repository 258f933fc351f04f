import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of this folder in a process of its own. */
export interface Child {
  /** The first line it prints, read as JSON. Fails with what it said on stderr when it ends before. */
  readonly said: Promise<unknown>;
  /** Resolves when it is gone. */
  readonly ended: Promise<void>;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
}

/** Starts a program of this folder. */
export function startChild(program: string, args: readonly string[]): Child {
  const child = spawn(
    process.execPath,
    [
      '--conditions=@wheelhouse/source',
      '--import',
      import.meta.resolve('tsx'),
      fileURLToPath(new URL(program, import.meta.url)),
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => (complaint += text.toString()));
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const said = new Promise<unknown>((done, failed) => {
    createInterface(child.stdout).once('line', (line) => done(JSON.parse(line)));
    void ended.then(() => failed(new Error(`${program} ended without a word: ${complaint}`)));
  });
  return {
    said,
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
