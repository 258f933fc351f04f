import {
  BrowserError,
  type CallContext,
  type Capabilities,
  capabilitiesWith,
  type CapabilityClaim,
  type CapabilityName,
  type ProviderHealth,
} from '@wheelhouse/contracts';
import type { CamofoxClient } from './client.ts';
import { jsonOf, type Reply } from './reply.ts';
import { HealthWire, OpenApiWire, VncWire } from './wire.ts';

/** Versions that the recordings cover: 1.14 to 1.17. */
const oldest = [1, 14] as const;
const newest = [1, 17] as const;

/** What this adapter does over each version that it knows. */
const claims = {
  sessions: { supported: true },
  tabs: { supported: true },
  navigate: { supported: true },
  history: { supported: true, note: 'back and forward may time out on some browsers' },
  snapshot: { supported: true },
  screenshot: { supported: true, note: 'pixels are not masked: never for models' },
  pageHtml: { supported: true, note: 'jobs only' },
  interact: { supported: true, note: 'by element ref; elements inside frames are refused' },
  hover: { supported: true },
  links: { supported: true },
  downloadCapture: { supported: true, note: 'the newest 20 files of a tab' },
  persistentProfile: { supported: true, note: 'cookies and localStorage, written at close and by checkpoint' },
  cookies: { supported: true, note: 'needs the API key where the server has one' },
} as const satisfies Partial<Record<CapabilityName, CapabilityClaim>>;

const otherwise = 'camofox has no such call';

/** What the adapter implements, before any server was asked. */
export const camofoxDeclared: Capabilities = capabilitiesWith(claims, otherwise);

/**
 * Judges health by whether a browser runs; a server whose browser died still answers `200 ok:true` (recording 15-crash).
 * A server that cannot be reached is `down`, which is an answer and no failure.
 */
export async function probeHealth(client: CamofoxClient, context: CallContext): Promise<ProviderHealth> {
  let reply: Reply;
  try {
    reply = await client.request({ method: 'GET', path: '/health', kind: 'look' }, context);
  } catch (failure) {
    // A key that is missing says nothing about the service.
    if (BrowserError.is(failure) && failure.kind === 'network' && !context.signal.aborted) return down(failure.message);
    throw failure;
  }
  const read = HealthWire.safeParse(jsonOf(reply));
  if (!read.success) return down('there is a server, but it does not answer like camofox');
  const health = read.data;
  const browserRunning = health.browserRunning === true;
  const activeSessions = health.activeSessions ?? null;
  const about = { engine: null, browserRunning, activeTabs: health.activeTabs ?? null, activeSessions };
  const found = await versionOf(client, context).catch((failure: unknown) => {
    if (BrowserError.is(failure)) return failure;
    throw failure;
  });
  if (BrowserError.is(found)) return { ...about, version: null, status: 'degraded', note: noteOf(found) };
  if (reply.status !== 200) {
    return { ...about, version: found, status: 'degraded', note: health.reason ?? 'the browser is being restarted' };
  }
  if (!browserRunning && (activeSessions ?? 0) > 0) {
    const note = 'the browser has stopped while sessions were open; opening a tab starts it again';
    return { ...about, version: found, status: 'degraded', note };
  }
  // An idle server stops its browser and starts it again with the next tab.
  const note = browserRunning ? undefined : 'no browser runs yet; the first tab starts one';
  return { ...about, version: found, status: 'ok', note };
}

function noteOf({ code, message }: BrowserError): string {
  return code === 'upstream_auth' ? 'it does not accept the access key' : message;
}

function down(note: string): ProviderHealth {
  return {
    status: 'down',
    version: null,
    engine: null,
    browserRunning: false,
    activeTabs: null,
    activeSessions: null,
    note,
  };
}

/** The server's version; `null` where it serves no description of itself. */
async function versionOf(client: CamofoxClient, context: CallContext): Promise<string | null> {
  const request = { method: 'GET', path: '/openapi.json', kind: 'look' } as const;
  const reply = await client.request(request, context);
  if (reply.status === 404) return null;
  return client.read(request, reply, OpenApiWire).info.version;
}

/** A tab that no server has: asked about it, a route that exists says so in JSON, and one that does not in HTML. */
const nowhere = '/tabs/wheelhouse-probe';
const probe = { userId: 'wheelhouse-probe' };
const routes = {
  navigate: { method: 'POST', path: `${nowhere}/navigate`, body: probe },
  snapshot: { method: 'GET', path: `${nowhere}/snapshot`, query: probe },
  act: { method: 'POST', path: '/act', body: probe },
  evaluate: { method: 'POST', path: `${nowhere}/evaluate`, body: probe },
  select: { method: 'POST', path: `${nowhere}/select`, body: probe },
} as const;

/**
 * What this adapter can do on this server: what it declares, less what the server has no route for. A version outside
 * 1.14 to 1.17 is used and said to be untried; the document that names the routes is empty on many servers
 * (recording 01-system), so the routes themselves are asked.
 *
 * @throws BrowserError `unsupported_version` for a server without the routes that everything needs
 */
export async function probeCapabilities(client: CamofoxClient, context: CallContext): Promise<Capabilities> {
  const version = await versionOf(client, context);
  const has = async (route: keyof typeof routes) => {
    const reply = await client.request({ ...routes[route], kind: 'look' }, context);
    return !(reply.status === 404 && /text\/html/.test(reply.contentType));
  };
  for (const needed of ['navigate', 'snapshot', 'act'] as const) {
    if (await has(needed)) continue;
    const { method, path } = routes[needed];
    const call = `${method} ${path.replace(nowhere, '/tabs/…')}`;
    throw new BrowserError(
      'unsupported_version',
      `this server (${version ?? 'of unknown version'}) has no ${call}; camofox-browser 1.14 to 1.17 is supported`,
    );
  }
  const [evaluates, selects, viewer] = [await has('evaluate'), await has('select'), await probeViewer(client, context)];
  const probed: Partial<Record<CapabilityName, CapabilityClaim>> = {
    ...claims,
    sessions: { supported: true, ...untried(version) },
    pageHtml: { ...claims.pageHtml, supported: evaluates, source: 'probed' },
    takeover: { supported: viewer.available, source: 'probed', note: viewer.note },
  };
  if (!selects) {
    const note = `${claims.interact.note}; options of lists cannot be selected before 1.15`;
    probed.interact = { supported: true, source: 'probed', note };
  }
  return capabilitiesWith(probed, otherwise, { upstreamVersion: version, probedAt: new Date() });
}

function untried(version: string | null): { readonly note?: string } {
  const [major, minor = 0] = (version ?? '').split('.').map(Number);
  const tried = major === oldest[0] && minor >= oldest[1] && minor <= newest[1];
  return tried ? {} : { note: `version ${version ?? 'unknown'} was never tried; 1.14 to 1.17 were` };
}

/** Whether the VNC plugin is on; its screen shows every account's windows (recording 24-vnc). */
export async function probeViewer(client: CamofoxClient, context: CallContext) {
  const reply = await client.request({ method: 'GET', path: '/vnc/status', kind: 'look' }, context);
  if (reply.status === 404) return { available: false, note: 'the VNC plugin is off (ENABLE_VNC=1)' };
  const read = VncWire.safeParse(jsonOf(reply));
  const running = read.success && read.data.enabled === true && read.data.running === true;
  return {
    available: running,
    note: running ? 'one screen for all accounts' : 'the VNC plugin is on but does not run',
  };
}
