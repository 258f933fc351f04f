import { BrowserError, type CallContext } from '@wheelhouse/contracts';
import { type Dispatcher, errors as undiciErrors } from 'undici';
import type { z } from 'zod';
import { timeLimit } from '../time-limit.ts';
import { failureOf, hasEffect } from './outcome.ts';
import type { CallKind } from './outcome-rows.ts';
import { jsonOf, type Reply } from './reply.ts';

/** What a client needs. */
export interface CamofoxClientOptions {
  /** Where the server answers: scheme, host, port, and a path if it stands behind one. */
  readonly baseUrl: string;
  readonly dispatcher: Dispatcher;
  /** `CAMOFOX_ACCESS_KEY`; resolved for each request and kept nowhere. `undefined`: the server has none. */
  readonly accessKey: () => Promise<string | undefined>;
  /** `CAMOFOX_API_KEY`, for cookie import where the server has one. */
  readonly apiKey: () => Promise<string | undefined>;
}

/** One request. */
export interface CamofoxRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** What a failure of it may mean. */
  readonly kind: CallKind;
  readonly key?: 'access' | 'api';
}

/**
 * Longest wait for one answer, whatever the caller's deadline: 35 s for the tab's lock or 30 s for the user's queue,
 * and then the operation itself (README, limits).
 */
const longestCallMs = 110_000;

/** The only place that speaks HTTP to camofox. Never repeats a request. */
export class CamofoxClient {
  readonly #options: CamofoxClientOptions;
  readonly #origin: string;
  readonly #prefix: string;

  constructor(options: CamofoxClientOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.#options = options;
    this.#origin = origin;
    this.#prefix = pathname.replace(/\/$/, '');
  }

  /**
   * Sends a request and reads its answer as JSON of the given shape.
   *
   * @throws BrowserError as `outcome.ts` reads a status that is not 2xx; `unexpected_shape` for anything that is not
   *   this shape, `unknown` where the request had an effect
   */
  async json<S extends z.ZodType>(request: CamofoxRequest, shape: S, context: CallContext): Promise<z.infer<S>> {
    return this.read(request, await this.request(request, context), shape);
  }

  /** Reads an answer; throws as `json` does. */
  read<S extends z.ZodType>(request: CamofoxRequest, reply: Reply, shape: S): z.infer<S> {
    if (reply.status < 200 || reply.status > 299) throw failureOf(request.kind, reply, describe(request));
    const read = shape.safeParse(jsonOf(reply));
    if (read.success) return read.data;
    throw new BrowserError('unexpected_shape', `${describe(request)} answered another shape than expected`, {
      ...sent(request.kind),
      cause: read.error,
    });
  }

  /**
   * Sends one request and resolves with whatever status came back.
   *
   * @throws BrowserError `upstream_unreachable` (`not_applied`: nothing left this host), `answer_lost`, `deadline`,
   *   `too_large` (`unknown`; no outcome for a look, which has no effect)
   */
  async request(request: CamofoxRequest, context: CallContext): Promise<Reply> {
    return wholeReply(this.#exchange(request, context));
  }

  /**
   * Sends one request and hands its body on as it arrives, at most `context.maxBytes`. A reader that stops closes the
   * connection.
   *
   * @throws BrowserError as `request` does, and as `outcome.ts` reads a status that is not 2xx
   */
  async *stream(request: CamofoxRequest, context: CallContext): AsyncGenerator<Buffer, void, undefined> {
    const exchange = this.#exchange(request, context);
    const head = await headOf(exchange);
    if (head.status < 200 || head.status > 299) {
      throw failureOf(request.kind, { ...head, body: await joined(exchange) }, describe(request));
    }
    for await (const part of exchange) if (Buffer.isBuffer(part)) yield part;
  }

  /** The one exchange: head first, then the body in parts. Its failures are in our words, wherever it breaks off. */
  async *#exchange(request: CamofoxRequest, context: CallContext): AsyncGenerator<Head | Buffer, void, undefined> {
    const { dispatcher } = this.#options;
    const leftMs = Math.min(context.deadline.getTime() - Date.now(), longestCallMs);
    if (leftMs <= 0 || context.signal.aborted) {
      throw new BrowserError('deadline', `no time was left for ${describe(request)}`, unsent(request.kind));
    }
    using limit = timeLimit(leftMs);
    const signal = AbortSignal.any([context.signal, limit.signal]);
    const key = await (request.key === 'api' ? this.#options.apiKey() : this.#options.accessKey());
    try {
      const answer = await dispatcher.request({
        origin: this.#origin,
        path: this.#prefix + request.path + queryOf(request.query),
        method: request.method,
        signal,
        // The signal is the only clock.
        headersTimeout: 0,
        bodyTimeout: 0,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: request.body === undefined ? null : JSON.stringify(request.body),
      });
      yield { status: answer.statusCode, contentType: String(answer.headers['content-type'] ?? '') };
      let size = 0;
      for await (const part of answer.body as AsyncIterable<Buffer>) {
        size += part.length;
        if (size > context.maxBytes) {
          const why = `${describe(request)} answered more than ${context.maxBytes} bytes`;
          throw new BrowserError('too_large', why, sent(request.kind));
        }
        yield part;
      }
    } catch (cause) {
      // A signal may abort with a failure of its own, which knows nothing of this request: that it may have arrived.
      const stopped = signal.aborted && cause === signal.reason;
      if (BrowserError.is(cause) && !stopped) throw cause;
      throw broken(request, this.#origin, { cause, stopped });
    }
  }
}

type Head = Omit<Reply, 'body'>;

async function wholeReply(exchange: AsyncGenerator<Head | Buffer, void, undefined>): Promise<Reply> {
  return { ...(await headOf(exchange)), body: await joined(exchange) };
}

async function headOf(exchange: AsyncGenerator<Head | Buffer, void, undefined>): Promise<Head> {
  const { value } = await exchange.next();
  if (value === undefined || Buffer.isBuffer(value)) throw new BrowserError('internal', 'an answer without a head');
  return value;
}

async function joined(parts: AsyncIterable<Head | Buffer>): Promise<Buffer> {
  const body: Buffer[] = [];
  for await (const part of parts) if (Buffer.isBuffer(part)) body.push(part);
  return Buffer.concat(body);
}

/** A request as it may be named in messages: no ids of profiles, no query (S004-29). */
function describe({ method, path }: CamofoxRequest): string {
  return `${method} ${path.replace(/\/(tabs|sessions|group)\/(?!open|group)[^/]+/g, '/$1/…')}`;
}

function queryOf(query: CamofoxRequest['query']): string {
  if (query === undefined) return '';
  return `?${new URLSearchParams(Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))).toString()}`;
}

function broken(
  request: CamofoxRequest,
  origin: string,
  { cause, stopped }: { readonly cause: unknown; readonly stopped: boolean },
): BrowserError {
  const call = describe(request);
  if (neverLeft(cause))
    return new BrowserError('upstream_unreachable', `no browser service answers at ${origin} (${call})`, {
      ...unsent(request.kind),
      cause,
    });
  const timedOut = cause instanceof Error && (cause.name === 'AbortError' || cause.name === 'TimeoutError');
  return stopped || timedOut
    ? new BrowserError('deadline', `${call} ran out of time`, { ...sent(request.kind), cause })
    : new BrowserError('answer_lost', `${call} broke off`, { ...sent(request.kind), cause });
}

/** Looks and aims have no effect that counts, so their failures have no outcome. */
const sent = (kind: CallKind) => (hasEffect(kind) ? ({ outcome: 'unknown' } as const) : {});
const unsent = (kind: CallKind) => (hasEffect(kind) ? ({ outcome: 'not_applied' } as const) : {});

/** Connecting failed, so no byte of the request was written. */
function neverLeft(cause: unknown): boolean {
  if (cause instanceof undiciErrors.ConnectTimeoutError) return true;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH') return true;
  return cause instanceof AggregateError && cause.errors.every(neverLeft);
}
