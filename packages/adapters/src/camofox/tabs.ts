import {
  BrowserError,
  type CallContext,
  type Receipt,
  type SessionAddress,
  type TabAddress,
  type UpstreamTab,
} from '@wheelhouse/contracts';
import { checkLanding } from '../policy/navigation.ts';
import type { CamofoxClient } from './client.ts';
import { CreatedTabWire, TabListWire } from './wire.ts';

/** All tabs of a profile. The list names closed ones of a dead browser too (recording 15-crash), so it proves absence only. */
export async function listTabs(
  client: CamofoxClient,
  session: SessionAddress,
  context: CallContext,
): Promise<UpstreamTab[]> {
  const { tabs } = await client.json(
    { method: 'GET', path: '/tabs', query: { userId: session.profileKey }, kind: 'look' },
    TabListWire,
    context,
  );
  return tabs.map(({ tabId, url, title, listItemId }) => ({
    upstreamTabId: tabId,
    url: url ?? '',
    title: title ?? '',
    sessionId: listItemId ?? null,
  }));
}

/**
 * Opens a blank tab. Never with an address: a tab whose first navigation fails stays behind, and its id is not told
 * (recordings 03-tabs, 10-downloads). Refuses below the upstream's own limit, where it would silently close another
 * tab of this session instead (recording 13-limits).
 */
export async function openTab(client: CamofoxClient, session: SessionAddress, maxTabs: number, context: CallContext) {
  const open = await listTabs(client, session, context);
  if (open.length >= maxTabs) {
    throw new BrowserError('capacity', `this profile has ${open.length} tabs open, and ${maxTabs} is its limit`, {
      outcome: 'not_applied',
    });
  }
  // Versions differ in which of the two names they want; all accept both.
  const body = { userId: session.profileKey, sessionKey: session.sessionId, listItemId: session.sessionId };
  const { tabId } = await client.json({ method: 'POST', path: '/tabs', body, kind: 'manage' }, CreatedTabWire, context);
  const receipt: Receipt = { outcome: 'applied', landingUrl: 'about:blank', notInterceptable: [] };
  return { ...receipt, upstreamTabId: tabId };
}

/** Closes one tab and looks whether it is gone: the upstream answers `ok:true` to every DELETE (recording 03-tabs). */
export async function closeTab(client: CamofoxClient, tab: TabAddress, context: CallContext): Promise<Receipt> {
  const path = `/tabs/${encodeURIComponent(tab.upstreamTabId)}`;
  await remove(client, path, tab, context);
  return gone(client, tab, ({ upstreamTabId }) => upstreamTabId === tab.upstreamTabId, context);
}

/** Closes all tabs of one session; the profile and its cookies stay. */
export async function closeSession(
  client: CamofoxClient,
  session: SessionAddress,
  context: CallContext,
): Promise<Receipt> {
  await remove(client, `/tabs/group/${encodeURIComponent(session.sessionId)}`, session, context);
  return gone(client, session, ({ sessionId }) => sessionId === session.sessionId, context);
}

async function remove(
  client: CamofoxClient,
  path: string,
  session: SessionAddress,
  context: CallContext,
): Promise<void> {
  await client.json(
    { method: 'DELETE', path, query: { userId: session.profileKey }, kind: 'manage' },
    TabListWire.partial(),
    context,
  );
}

async function gone(
  client: CamofoxClient,
  session: SessionAddress,
  isOne: (tab: UpstreamTab) => boolean,
  context: CallContext,
): Promise<Receipt> {
  const left = (await listTabs(client, session, context)).filter(isOne);
  if (left.length > 0) {
    throw new BrowserError('upstream_failed', `the browser service still lists ${left.length} tabs after closing`, {
      outcome: 'unknown',
    });
  }
  return { outcome: 'applied', landingUrl: null, notInterceptable: [] };
}

/**
 * Checks where every tab of a session is after an action: popups become tabs of the same session without notice
 * (recording 19-popups-dialogs). Resolves with the address of the tab acted on, or `null` when that could not be seen.
 *
 * @throws BrowserError `landed_elsewhere`, outcome `applied`
 */
export async function checkTabs(client: CamofoxClient, tab: TabAddress, context: CallContext): Promise<string | null> {
  const tabs = await listTabs(client, tab, context).catch(() => null);
  if (tabs === null) return null;
  for (const { url, sessionId } of tabs) {
    if (sessionId === null || sessionId === tab.sessionId) checkLanding(url, context.allowlist);
  }
  return tabs.find(({ upstreamTabId }) => upstreamTabId === tab.upstreamTabId)?.url ?? null;
}
