import { setTimeout as sleep } from 'node:timers/promises';
import type { CallContext, NavigateReceipt, TabAddress, UpstreamDownload } from '@wheelhouse/contracts';
import { admitTarget, afterNavigation, checkLanding } from '../policy/navigation.ts';
import type { CamofoxClient } from './client.ts';
import { listDownloads } from './downloads.ts';
import { failureOf } from './outcome.ts';
import { errorOf, jsonOf, type Reply } from './reply.ts';
import { addressOf, checkTabs } from './tabs.ts';
import { NavigatedWire } from './wire.ts';

/**
 * Loads an address in a tab. A page that answers 4xx or 5xx is a page: it is displayed, and its status is in the
 * receipt. An address that turns out to be a file leaves the page as it was and is `applied` as well.
 *
 * The upstream destroys all tabs of a profile after three failed navigations in a row, three pages with status 500
 * included (recording 14-failure-threshold).
 *
 * @throws BrowserError before anything is sent for addresses outside the allowlist; `landed_elsewhere` (`applied`)
 */
export async function navigate(
  client: CamofoxClient,
  tab: TabAddress,
  url: string,
  context: CallContext,
): Promise<NavigateReceipt> {
  admitTarget(url, context.allowlist);
  const before = await listDownloads(client, tab, context).catch(() => null);
  const path = `/tabs/${encodeURIComponent(tab.upstreamTabId)}/navigate`;
  const reply = await client.request(
    { method: 'POST', path, body: { userId: tab.profileKey, url }, kind: 'navigate' },
    context,
  );
  // In production the server hides that this was a file; a new one in the list says it.
  if (isHiddenFailure(reply) && before !== null && (await hasNewDownload(client, tab, before, context))) {
    return receiptOf(await checkTabs(client, tab, context), null);
  }
  return landed(client, tab, reply, context);
}

function isHiddenFailure(reply: Reply): boolean {
  const { code, text } = errorOf(reply);
  return reply.status === 500 && code === null && text === 'Internal server error';
}

/** A download is listed once it is finished: small ones 0.1 to 1 s after the navigation failed (recording 10-downloads). */
const downloadWaitMs = 1_500;

async function hasNewDownload(
  client: CamofoxClient,
  tab: TabAddress,
  before: readonly UpstreamDownload[],
  context: CallContext,
): Promise<boolean> {
  const known = new Set(before.map(({ id }) => id));
  const until = Date.now() + downloadWaitMs;
  do {
    const now = await listDownloads(client, tab, context).catch(() => []);
    if (now.some(({ id }) => !known.has(id))) return true;
    await sleep(100, undefined, { signal: context.signal }).catch(() => undefined);
  } while (Date.now() < until && !context.signal.aborted);
  return false;
}

/** Back, forward or reload. Back and forward time out on some browsers (recording 08-input): `unknown` then. */
export async function moveInHistory(
  client: CamofoxClient,
  tab: TabAddress,
  move: 'back' | 'forward' | 'refresh',
  context: CallContext,
): Promise<NavigateReceipt> {
  const path = `/tabs/${encodeURIComponent(tab.upstreamTabId)}/${move}`;
  const reply = await client.request(
    { method: 'POST', path, body: { userId: tab.profileKey }, kind: 'navigate' },
    context,
  );
  return landed(client, tab, reply, context);
}

async function landed(
  client: CamofoxClient,
  tab: TabAddress,
  reply: Reply,
  context: CallContext,
): Promise<NavigateReceipt> {
  const read = NavigatedWire.safeParse(jsonOf(reply)).data;
  if (reply.status >= 200 && reply.status < 300 && read !== undefined) {
    const landingUrl = read.url ?? (await addressOf(client, tab, context).catch(() => null));
    if (landingUrl !== null) checkLanding(landingUrl, context.allowlist);
    return receiptOf(landingUrl, read.httpStatus ?? null);
  }
  const status = displayedDespite(reply);
  if (status === undefined) throw failureOf('navigate', reply, 'POST /tabs/…/navigate');
  return receiptOf(await checkTabs(client, tab, context), status);
}

function receiptOf(landingUrl: string | null, httpStatus: number | null): NavigateReceipt {
  const outcome = landingUrl === null ? 'applied_observation_failed' : 'applied';
  return { outcome, landingUrl, httpStatus, notInterceptable: afterNavigation };
}

/**
 * Error answers of navigations that did happen: the status of the page, `null` where there is none, `undefined` for
 * answers of another kind. 502 `destination_unavailable` is a page with status 5xx that is displayed; 500 "Download is
 * starting" is a file (recordings 04-navigate, 10-downloads). In production the text is hidden, so the status of the
 * page is told as 500.
 */
function displayedDespite(reply: Reply): number | null | undefined {
  const { code, text } = errorOf(reply);
  if (reply.status === 502 && code === 'destination_unavailable') return Number(/HTTP (\d{3})/.exec(text)?.[1] ?? 500);
  if (reply.status === 500 && /Download is starting/i.test(text)) return null;
  return undefined;
}
