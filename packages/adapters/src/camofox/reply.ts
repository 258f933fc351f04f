import { ErrorWire } from './wire.ts';

/** An answer of the upstream, whatever its status. */
export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** The answer as JSON; `undefined` for HTML pages and broken text, which no shape accepts. */
export function jsonOf(reply: Reply): unknown {
  try {
    return JSON.parse(reply.body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** The code and text of an error answer; both absent where it has none. */
export function errorOf(reply: Reply): { readonly code: string | null; readonly text: string } {
  const read = ErrorWire.safeParse(jsonOf(reply));
  return { code: read.data?.code ?? null, text: read.data?.error ?? '' };
}
