import type { Redactor } from '@wheelhouse/runtime';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';

/** How a logger is made. */
export interface LoggerOptions {
  /** Knows the secrets of this process; the one that the runtime was given. */
  readonly redactor: Redactor;
  /** Default `info`. */
  readonly level?: Level | undefined;
  /** Where lines go. Default: stderr. */
  readonly destination?: DestinationStream | undefined;
  /** Facts of every line. Default: none. */
  readonly base?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A pino logger that writes nothing unredacted: messages and what is put into them, objects, facts of child loggers,
 * and errors with all their causes, which are told as `redactor.error` tells them (of a `BrowserError`, class and code
 * of the cause only; no stack, since stacks repeat messages).
 *
 * Every line is redacted as a whole right before it is written, so that no way of calling it goes around.
 *
 * @example
 * const log = createLogger({ redactor, level: 'debug' });
 * log.warn({ error, url: 'https://t.example/dl?passkey=…' }, 'a job of %s failed', site);
 */
export function createLogger(options: LoggerOptions): Logger {
  const { redactor, level = 'info', base = {} } = options;
  const safe = (facts: object) => redactor.json(facts) as Record<string, unknown>;
  return pino(
    {
      level,
      base,
      // pino's own would print stacks, and with them the messages of all causes.
      serializers: { err: (error: unknown) => (error instanceof Error ? redactor.error(error) : error) },
      formatters: { log: safe },
      hooks: { streamWrite: (line) => safeLine(line, redactor) },
    },
    options.destination ?? pino.destination(2),
  );
}

/** A line of JSON without its secrets. What cannot be read is not written. */
function safeLine(line: string, redactor: Redactor): string {
  try {
    return `${JSON.stringify(redactor.json(JSON.parse(line)))}\n`;
  } catch {
    return `${JSON.stringify({ level: 50, time: Date.now(), msg: 'a log line could not be read, and was left out' })}\n`;
  }
}
