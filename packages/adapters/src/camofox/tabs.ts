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
import { CreatedTabWire, StatsWire, TabListWire } from './wire.ts';

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

/** Where a tab is, as the server says; `null` before its first navigation on versions that do not tell. */
export async function addressOf(client: CamofoxClient, tab: TabAddress, context: CallContext): Promise<string | null> {
  const path = `/tabs/${encodeURIComponent(tab.upstreamTabId)}/stats`;
  const request = { method: 'GET', path, query: { userId: tab.profileKey }, kind: 'look' } as const;
  return (await client.json(request, StatsWire, context)).url ?? null;
}

/** The tabs of a session, to tell later which are new; `null` when they could not be seen. */
export async function tabsOf(
  client: CamofoxClient,
  session: SessionAddress,
  context: CallContext,
): Promise<readonly UpstreamTab[] | null> {
  const tabs = await listTabs(client, session, context).catch(() => null);
  return tabs?.filter(({ sessionId }) => sessionId === null || sessionId === session.sessionId) ?? null;
}

/**
 * Checks where the tabs of a session are after an action: the one acted on, and those that opened or moved meanwhile,
 * since popups become tabs of the same session without notice (recording 19-popups-dialogs). A popup outside the
 * allowlist is closed, for nobody else knows of it. Resolves with the address of the tab acted on, or `null` when that
 * could not be seen.
 *
 * @param before the tabs as they were before the action; absent: all that are there count as moved
 * @throws BrowserError `landed_elsewhere`, outcome `applied`
 */
export async function checkTabs(
  client: CamofoxClient,
  tab: TabAddress,
  context: CallContext,
  before?: readonly UpstreamTab[] | null,
): Promise<string | null> {
  const tabs = await tabsOf(client, tab, context);
  if (tabs === null) return null;
  const own = tabs.find(({ upstreamTabId }) => upstreamTabId === tab.upstreamTabId);
  if (own !== undefined) checkLanding(own.url, context.allowlist);
  for (const other of tabs) {
    const known = before?.find(({ upstreamTabId }) => upstreamTabId === other.upstreamTabId);
    if (other === own || known?.url === other.url) continue;
    try {
      checkLanding(other.url, context.allowlist);
    } catch (refused) {
      const popup = before != null && known === undefined;
      if (popup) await closeTab(client, { ...tab, upstreamTabId: other.upstreamTabId }, context).catch(() => undefined);
      throw refused;
    }
  }
  return own?.url ?? null;
}
