import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import type { ChildMessage, Failure } from './protocol.ts';

/** The child ended before it answered. */
export class ChildDied extends Error {
  override readonly name = 'ChildDied';
}

/** The call was answered with a failure. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A program in a process of its own. */
export interface Child {
  readonly pid: number;
  readonly alive: () => boolean;
  /** What it said when it was ready. Rejects with `ChildDied`. */
  readonly ready: Promise<unknown>;
  /** Resolves when it is gone. */
  readonly ended: Promise<void>;
  /** Rejects with `CallFailed` or `ChildDied`. */
  call(command: object): Promise<unknown>;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
}

/** Starts a bundled program; `hear` gets what it says without being asked. */
export function startChild(
  path: string,
  env: Readonly<Record<string, string>>,
  hear: (message: ChildMessage) => void = () => undefined,
): Child {
  const program = basename(path);
  const child: ChildProcess = spawn(process.execPath, [path], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  let gone = false;
  let calls = 0;
  const waiting = new Map<number, { done: (value: unknown) => void; failed: (error: Error) => void }>();
  child.stderr?.on('data', (text: Buffer) => (complaint += text.toString()));
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const ready = new Promise<unknown>((done, failed) => {
    child.on('message', (said) => {
      const message = said as ChildMessage;
      if (message.says === 'ready') return done(message.value);
      if (message.says !== 'answer' && message.says !== 'failure') return hear(message);
      const call = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.says === 'answer') call?.done(message.value);
      else call?.failed(new CallFailed(message.failure));
    });
    child.once('close', () => {
      gone = true;
      for (const { failed: fail } of waiting.values()) fail(new ChildDied(`${program} ended`));
      waiting.clear();
      failed(new ChildDied(`${program} ended without a word: ${complaint.slice(0, 2_000)}`));
    });
  });
  ready.catch(() => undefined);
  return {
    pid: child.pid ?? -1,
    alive: () => !gone,
    ready,
    ended,
    signal: (name) => void child.kill(name),
    call: (command) =>
      new Promise((done, failed) => {
        if (gone) return failed(new ChildDied(`${program} is gone`));
        const id = (calls += 1);
        waiting.set(id, { done, failed });
        child.send({ ...command, id }, (error) => {
          if (error === null) return;
          waiting.delete(id);
          failed(new ChildDied(`${program} is gone`));
        });
      }),
  };
}

/** The child's side: tells that it is ready, and answers calls until its parent is gone. */
export function serveParent(ready: unknown, answer: (call: never) => Promise<unknown>): void {
  process.on('message', (said) => {
    const { id, ...call } = said as { readonly id: number };
    answer(call as never).then(
      (value) => tellParent({ says: 'answer', id, value }),
      (thrown: unknown) => tellParent({ says: 'failure', id, failure: failureOf(thrown) }),
    );
  });
  process.once('disconnect', () => process.exit(0));
  tellParent({ says: 'ready', value: ready });
}

/** Tells the parent something without being asked. A parent that is gone is not told. */
export function tellParent(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { code: 'stranger', message: String(thrown) };
  if (!BrowserError.is(thrown)) return { code: 'stranger', message: thrown.message };
  return { code: thrown.code, message: thrown.message, outcome: thrown.outcome };
}
