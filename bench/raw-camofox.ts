import { createServer, type IncomingMessage } from 'node:http';
import { Agent, request } from 'undici';

/** One call to the upstream, as it went over the wire. */
export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

/** The REST calls of a script without any layer: keep-alive connections, no checks. */
export function rawClient(origin: string, accessKey: string) {
  const dispatcher = new Agent();
  const headers = { authorization: `Bearer ${accessKey}` };
  const call = async (method: string, path: string, body?: string) => {
    const answer = await request(origin + path, {
      dispatcher,
      method: method as 'GET',
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    return Buffer.from(await answer.body.arrayBuffer());
  };
  return { call, close: () => dispatcher.close() };
}

/** A proxy that notes every call, to learn which ones a job makes. Measured runs go around it. */
export async function recordingProxy(origin: string) {
  const calls: RecordedCall[] = [];
  const dispatcher = new Agent();
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await textOf(incoming);
      const method = incoming.method ?? 'GET';
      const path = incoming.url ?? '/';
      calls.push({ method, path, body: body === '' ? undefined : body });
      const { authorization = '' } = incoming.headers;
      const answer = await request(origin + path, {
        dispatcher,
        method: method as 'GET',
        headers: { authorization, ...(body === '' ? {} : { 'content-type': 'application/json' }) },
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type'] ?? '') });
      response.end(Buffer.from(await answer.body.arrayBuffer()));
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await dispatcher.close();
    },
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Repeats the recorded calls of a job as a script would: the same order, the same bodies, with the id of the tab that
 * the script itself opened.
 */
export async function replay(client: ReturnType<typeof rawClient>, calls: readonly RecordedCall[]): Promise<void> {
  let recordedTab: string | undefined;
  let tab: string | undefined;
  const translated = (text: string) =>
    recordedTab === undefined || tab === undefined ? text : text.replaceAll(recordedTab, tab);
  for (const { method, path, body } of calls) {
    const answer = await client.call(method, translated(path), body === undefined ? undefined : translated(body));
    if (method === 'POST' && path === '/tabs') {
      tab = (JSON.parse(answer.toString('utf8')) as { tabId: string }).tabId;
      recordedTab = calls.map((call) => /^\/tabs\/([0-9a-f-]{36})/.exec(call.path)?.[1]).find((id) => id !== undefined);
    }
  }
}
