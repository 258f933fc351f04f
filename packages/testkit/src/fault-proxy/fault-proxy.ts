import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { BrowserError } from '@wheelhouse/contracts';

/** A call on its way. */
export interface PassingCall {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  /** The body as it was sent; empty when there is none. */
  readonly body: string;
}

/** `lose`: the call is made and its answer breaks off before the first byte. `stall`: it is made and never answered. */
export type ProxyFault = 'lose' | 'stall';

/** Stands between a caller and a real HTTP server on this machine, and spoils answers. */
export interface FaultProxy extends AsyncDisposable {
  readonly origin: string;
  /** Spoils the answer of the next call that fits, once. The server gets the call whole. */
  spoilNext(fits: (call: PassingCall) => boolean, fault: ProxyFault): void;
  stop(): Promise<void>;
}

/** Starts it on 127.0.0.1. */
export async function startFaultProxy(targetOrigin: string): Promise<FaultProxy> {
  const planned: { readonly fits: (call: PassingCall) => boolean; readonly fault: ProxyFault }[] = [];
  const take = (call: PassingCall) => {
    const at = planned.findIndex(({ fits }) => fits(call));
    return at < 0 ? undefined : planned.splice(at, 1)[0]?.fault;
  };
  const server = createServer((incoming, outgoing) => {
    pass(targetOrigin, take, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((done, failed) => server.once('error', failed).listen(0, '127.0.0.1', done));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new BrowserError('environment', 'the proxy has no port');
  const stop = async () => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  return {
    origin: `http://127.0.0.1:${address.port}`,
    spoilNext: (fits, fault) => void planned.push({ fits, fault }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function pass(
  targetOrigin: string,
  take: (call: PassingCall) => ProxyFault | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await bodyOf(incoming);
  const { method = 'GET', url = '/', headers } = incoming;
  const fault = take({ method, path: url.split('?', 1)[0] ?? url, body: body.toString('utf8') });
  const answer = await new Promise<IncomingMessage>((done, failed) => {
    request(targetOrigin + url, { method, headers }, done)
      .once('error', failed)
      .end(body);
  });
  const answered = await bodyOf(answer);
  if (fault === 'stall') return;
  if (fault === 'lose') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const { 'transfer-encoding': _chunked, connection: _connection, ...kept } = answer.headers;
  outgoing.writeHead(answer.statusCode ?? 502, kept).end(answered);
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
