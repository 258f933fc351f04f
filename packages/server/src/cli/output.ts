import { BrowserError, type BrowserErrorKind } from '@wheelhouse/contracts';
import Table from 'cli-table3';
import pc from 'picocolors';

/** Exit codes of every command: 0 ok, 1 a problem of a site or a check was found, 2 usage, 3 environment. */
export const exitCodes = { ok: 0, problem: 1, usage: 2, environment: 3 } as const;

/** Where a command writes. Results go to stdout, everything else to stderr, so that pipes stay clean. */
export interface Terminal {
  /** Whether results are written as JSON lines. */
  readonly json: boolean;
  /** Writes a result: the JSON value, or the text for people. */
  result(value: unknown, text: () => string): void;
  /** Writes one line of progress for people; silent with `--json` and in pipes. */
  progress(line: string): void;
  /** Something a person should know that is no result. */
  note(line: string): void;
}

/** The terminal of this process. */
export function createTerminal(json: boolean): Terminal {
  const watched = process.stderr.isTTY && !json;
  return {
    json,
    result(value, text) {
      process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text()}\n`);
    },
    progress(line) {
      if (watched) process.stderr.write(`${pc.dim(line)}\n`);
    },
    note(line) {
      if (!json) process.stderr.write(`${line}\n`);
    },
  };
}

/** A table for people: a head and rows, as wide as it needs. Colours follow the terminal. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const drawn = new Table({
    head: [...head],
    style: { head: pc.isColorSupported ? ['cyan'] : [], border: pc.isColorSupported ? ['gray'] : [] },
  });
  for (const row of rows) drawn.push([...row]);
  return drawn.toString();
}

const ofUsage: ReadonlySet<BrowserErrorKind> = new Set(['bad_request', 'not_found', 'not_implemented']);

/**
 * Writes a failure as one sentence with what to do, or as JSON, and answers with the exit code: 2 where the caller
 * can correct the call, 3 where the environment is at fault.
 */
export function reportFailure(thrown: unknown, json: boolean): number {
  const error = BrowserError.is(thrown)
    ? thrown
    : new BrowserError(
        'internal',
        'an unexpected failure; run again with WHEELHOUSE_DEBUG=1 and report what it prints',
        { cause: thrown },
      );
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, error: error.toJSON() })}\n`);
  else process.stderr.write(`${pc.red(error.message)}\n  ${pc.dim('→')} ${error.next} ${pc.dim(`[${error.code}]`)}\n`);
  return ofUsage.has(error.kind) ? exitCodes.usage : exitCodes.environment;
}

/** A mark for a state in a table. */
export const mark = {
  ok: () => pc.green('✓'),
  bad: () => pc.red('✗'),
  off: () => pc.dim('–'),
} as const;
