import { BrowserError, underlying } from '@wheelhouse/contracts';

/** An error as it may leave the process: class, code, redacted message, and what was underneath. */
export interface SafeError {
  readonly name: string;
  readonly code?: string | number;
  readonly message: string;
  readonly causes?: readonly SafeError[];
}

/** Longest message that is kept, characters: upstream errors quote whole pages. */
const longestMessage = 1000;
/** Deepest chain, and most errors of one aggregate, that are followed. */
const deepest = 6;
const most = 8;

/**
 * Describes an error without its secrets.
 *
 * Messages of ours are safe by contract and redacted all the same; messages of foreign errors are redacted and cut.
 * The cause of a `BrowserError` is private, since it may quote the page: of it only class and code are told.
 */
export function safeError(error: unknown, text: (value: string) => string, depth = 0): SafeError {
  if (!(error instanceof Error) && !BrowserError.is(error))
    return { name: typeof error, message: cut(text(messageOf(error))) };
  const code = codeOf(error);
  const causes =
    depth >= deepest
      ? []
      : causesOf(error)
          .slice(0, most)
          .map((cause) => safeError(cause, text, depth + 1));
  const hidden = BrowserError.is(error) ? privateCause(error) : [];
  const all = [...causes, ...hidden];
  return {
    name: cut(text(error.name)),
    ...(code === undefined ? {} : { code }),
    message: cut(text(error.message)),
    ...(all.length === 0 ? {} : { causes: all }),
  };
}

function causesOf(error: Error): unknown[] {
  const causes: unknown[] = [];
  if ('cause' in error && error.cause !== undefined && error.cause !== null) causes.push(error.cause);
  if ('errors' in error && Array.isArray(error.errors)) causes.push(...(error.errors as unknown[]));
  return causes;
}

function privateCause(error: BrowserError): SafeError[] {
  const cause = underlying(error);
  if (!(cause instanceof Error)) return [];
  const code = codeOf(cause);
  return [
    {
      name: /^\w{1,64}$/.test(cause.name) ? cause.name : 'Error',
      ...(code === undefined ? {} : { code }),
      message: '',
    },
  ];
}

/** Codes are words or numbers; whatever else stands there is not told. */
function codeOf(error: object): string | number | undefined {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(code) && !/\d{6}/.test(code)
    ? code
    : undefined;
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return error === undefined || error === null ? String(error) : `a thrown ${typeof error}`;
}

function cut(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage)}…`;
}
