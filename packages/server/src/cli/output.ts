import { BrowserError, type BrowserErrorKind } from '@wheelhouse/contracts';
import { createRedactor, type Redactor } from '@wheelhouse/runtime';
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

/** The terminal of this process. All that it writes was redacted, by rules and by what `redactor` learned. */
export function createTerminal(json: boolean, redactor: Redactor = createRedactor()): Terminal {
  const watched = process.stderr.isTTY && !json;
  const safe = (text: string) => redactor.text(text, 'log').text;
  return {
    json,
    result(value, text) {
      process.stdout.write(json ? `${JSON.stringify(redactor.json(value))}\n` : `${safe(text())}\n`);
    },
    progress(line) {
      if (watched) process.stderr.write(`${pc.dim(safe(line))}\n`);
    },
    note(line) {
      if (!json) process.stderr.write(`${safe(line)}\n`);
    },
  };
}

/** Where a parser of arguments may write: what it says quotes the arguments, which a person may have got wrong. */
export function parserOutput(redactor: Redactor) {
  const safe = (text: string) => redactor.text(text, 'log').text;
  return {
    writeOut: (text: string) => void process.stdout.write(safe(text)),
    writeErr: (text: string) => void process.stderr.write(safe(text)),
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
export function reportFailure(thrown: unknown, json: boolean, redactor: Redactor = createRedactor()): number {
  const error = BrowserError.is(thrown)
    ? thrown
    : new BrowserError(
        'internal',
        'an unexpected failure; run again with WHEELHOUSE_DEBUG=1 and report what it prints',
        { cause: thrown },
      );
  const terminal = createTerminal(json, redactor);
  if (json) terminal.result({ ok: false, error: error.toJSON() }, () => '');
  else terminal.note(`${pc.red(error.message)}\n  ${pc.dim('→')} ${error.next} ${pc.dim(`[${error.code}]`)}`);
  return ofUsage.has(error.kind) ? exitCodes.usage : exitCodes.environment;
}

/** A mark for a state in a table. */
export const mark = {
  ok: () => pc.green('✓'),
  bad: () => pc.red('✗'),
  off: () => pc.dim('–'),
} as const;
