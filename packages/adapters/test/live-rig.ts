import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import {
  BrowserError,
  type ElementTarget,
  type Look,
  parseAllowlist,
  ProfileKey,
  SessionId,
} from '@wheelhouse/contracts';
import { type LiveCamofox, type LiveCamofoxOptions, startLiveCamofox } from '@wheelhouse/testkit';
import { createCamofoxProvider, createRedactor, createServiceDispatcher } from '../src/index.ts';

/** The adapter on the real server, and a site whose elements report when they are pressed. */
export interface LiveRig {
  readonly live: LiveCamofox;
  open(path: string): Promise<void>;
  look(): Promise<Look>;
  find(role: string, name: string, nth?: number): Promise<ElementTarget>;
  click(role: string, name: string, nth?: number): Promise<void>;
  clickOn(target: ElementTarget): Promise<void>;
  type(role: string, name: string, text: string): Promise<void>;
  /** Ids of the elements pressed since the page was opened, as the site was told. */
  presses(): readonly string[];
  /** Values of the fields of the page, by id. */
  values(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

const script = `<script>
addEventListener('click', (event) => {
  const one = event.composedPath()[0].closest('[id]');
  if (one) navigator.sendBeacon('/hit', one.id);
  if (one?.tagName === 'A') event.preventDefault();
}, true);
setInterval(() => {
  document.title = JSON.stringify(Object.fromEntries([...document.querySelectorAll('input')].map((e) => [e.id, e.value])));
}, 20);
</script>`;

/** Starts server and site. */
export async function startLiveRig(
  pages: Readonly<Record<string, string>>,
  options: LiveCamofoxOptions = {},
): Promise<LiveRig> {
  const hits: string[] = [];
  const site = await serve(pages, hits);
  const live = await startLiveCamofox(options);
  const dispatcher = createServiceDispatcher();
  const key = async () => live.accessKey ?? undefined;
  const provider = createCamofoxProvider({
    baseUrl: live.origin,
    dispatcher,
    redactor: createRedactor(),
    accessKey: key,
    apiKey: key,
  });
  const session = { sessionId: SessionId.parse(randomUUID()), profileKey: ProfileKey.parse('wh-live-rig') };
  const context = () => ({
    signal: AbortSignal.timeout(60_000),
    deadline: new Date(Date.now() + 60_000),
    allowlist: parseAllowlist(['127.0.0.1']),
    maxBytes: 16 * 1024 * 1024,
    resolveSecret: async () => 'Synthetic-Secret-1',
    dispatched: async () => undefined,
  });
  const { upstreamTabId } = await provider.openTab(session, context());
  const tab = { ...session, upstreamTabId };
  const rig: LiveRig = {
    live,
    open: async (path) => {
      await provider.navigate(tab, `${site.origin}${path}`, context());
      hits.length = 0;
    },
    look: () => provider.look(tab, context()),
    find: async (role, name, nth = 0) => {
      const { elements, text } = await rig.look();
      const found = elements.filter((element) => element.role === role && element.name === name)[nth];
      if (found === undefined) throw new BrowserError('internal', `no ${role} ${name} in:\n${text}`);
      return { ref: found.ref, fingerprint: found.fingerprint, origin: site.origin };
    },
    click: async (role, name, nth = 0) => rig.clickOn(await rig.find(role, name, nth)),
    clickOn: async (target) => {
      await provider.click(tab, { ...target, double: false }, context());
    },
    type: async (role, name, text) => {
      const target = await rig.find(role, name);
      await provider.type(tab, { ...target, input: { kind: 'text', text }, submit: false }, context());
    },
    presses: () => hits,
    values: async () => {
      const open = await provider.listTabs(session, context());
      const title = open.find((one) => one.upstreamTabId === upstreamTabId)?.title ?? '{}';
      return JSON.parse(title) as Record<string, string>;
    },
    close: async () => {
      await live.stop();
      await dispatcher.close();
      site.server.closeAllConnections();
      site.server.close();
    },
  };
  return rig;
}

async function serve(pages: Readonly<Record<string, string>>, hits: string[]) {
  const server: Server = createServer((request, response) => {
    if (request.url === '/hit') {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        hits.push(body);
        response.writeHead(204).end();
      });
      return;
    }
    const page = pages[request.url ?? ''];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><title>{}</title>${script}<body>${page ?? 'nothing here'}</body>`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { server, origin: `http://127.0.0.1:${port}` };
}
