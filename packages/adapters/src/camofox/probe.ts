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
import { jsonOf } from './reply.ts';
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

/** Judges health by whether a browser runs; a server whose browser died still answers `200 ok:true` (recording 15-crash). */
export async function probeHealth(client: CamofoxClient, context: CallContext): Promise<ProviderHealth> {
  const reply = await client.request({ method: 'GET', path: '/health', kind: 'look' }, context);
  const read = HealthWire.safeParse(jsonOf(reply));
  if (!read.success) return down('there is a server, but it does not answer like camofox');
  const health = read.data;
  const about = {
    engine: null,
    browserRunning: health.browserRunning === true,
    activeTabs: health.activeTabs ?? null,
    activeSessions: health.activeSessions ?? null,
  };
  const version = await versionOf(client, context);
  if (reply.status !== 200)
    return { ...about, version, status: 'degraded', note: health.reason ?? 'the browser is being restarted' };
  // An idle server stops its browser and starts it again with the next tab.
  const note = about.browserRunning ? undefined : 'no browser runs yet; the first tab starts one';
  return { ...about, version, status: 'ok', note };
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

async function versionOf(client: CamofoxClient, context: CallContext): Promise<string | null> {
  const answer = await client.json({ method: 'GET', path: '/openapi.json', kind: 'look' }, OpenApiWire, context);
  return answer.info.version;
}

/**
 * What this adapter can do on this server.
 *
 * @throws BrowserError `unsupported_version` for a server older than 1.14 or of another major version
 */
export async function probeCapabilities(client: CamofoxClient, context: CallContext): Promise<Capabilities> {
  const version = await versionOf(client, context);
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  if (major !== oldest[0] || minor < oldest[1]) {
    throw new BrowserError('unsupported_version', `this is camofox-browser ${version}; 1.14 to 1.17 are supported`);
  }
  const viewer = await probeViewer(client, context);
  return capabilitiesWith(
    {
      ...claims,
      ...(minor > newest[1]
        ? { sessions: { supported: true, note: `version ${version} is newer than what was tried (1.17)` } }
        : {}),
      takeover: { supported: viewer.available, source: 'probed', note: viewer.note },
    },
    otherwise,
    { upstreamVersion: version, probedAt: new Date() },
  );
}

/** Whether the VNC plugin is on; its screen shows every account's windows (05-camofox §6). */
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
