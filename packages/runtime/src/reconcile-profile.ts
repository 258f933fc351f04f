import {
  BrowserError,
  type BrowserProvider,
  type CallContext,
  type SessionId,
  type UpstreamTab,
} from '@wheelhouse/contracts';
import { adoptTab, appendEvent, type KnownProfile, loseSession, loseTabs } from '@wheelhouse/db';
import type { House } from './pipeline/house.ts';

/** What is done about tabs that nobody asked for. */
export interface StrayPolicy {
  /** Tabs that a page opened by itself: taken into the session, or closed. */
  readonly popups: 'adopt' | 'close';
  /** Tabs of sessions that are closed, and of rows that are closed or lost. */
  readonly orphans: 'close' | 'leave';
}

/** What a look at profiles found and did, as counts. */
export interface ProfileFindings {
  /** Rows whose tab the upstream no longer has. */
  readonly lostTabs: number;
  /** Sessions that lost everything they had open. */
  readonly lostSessions: number;
  /** Popups taken into their session. */
  readonly adoptedTabs: number;
  /** Tabs closed upstream that no open row stands for. */
  readonly closedTabs: number;
  /** Closed sessions whose upstream half is proven to be gone now. */
  readonly sweptSessions: number;
  /** Tabs of this profile that are not ours; never touched. */
  readonly foreignTabs: number;
}

/** One profile under its lock. */
export interface ProfileLook {
  readonly adapter: BrowserProvider;
  readonly profile: KnownProfile;
  readonly rules: StrayPolicy;
  readonly context: CallContext;
}

/**
 * Compares what we believe of one profile with what the upstream lists, both ways. The caller holds the profile lock
 * and read the rows under it.
 *
 * While a person has the session, or it waits for one, rows are corrected and nothing is opened or closed (`skipped`).
 */
export async function compareProfile(
  house: House,
  look: ProfileLook,
): Promise<{ readonly known: number; readonly skipped: boolean; readonly findings: ProfileFindings }> {
  const { profile } = look;
  const tabs = await listedTabs(look);
  const losses = await loseVanished(house, profile, tabs);
  const mayAct = profile.open === null || profile.open.controller === 'automation';
  const strays = tabs.filter(({ upstreamTabId }) => rowOf(profile, upstreamTabId)?.status !== 'open');
  const actions = mayAct ? await tidy(house, look, strays) : untouched;
  return {
    known: profile.tabs.filter(({ status }) => status === 'open').length,
    skipped: !mayAct,
    findings: { ...losses, ...actions },
  };
}

const untouched = { adoptedTabs: 0, closedTabs: 0, sweptSessions: 0, foreignTabs: 0 };

function rowOf({ tabs }: KnownProfile, upstreamTabId: string) {
  return tabs.find((row) => row.upstreamTabId === upstreamTabId);
}

/**
 * The upstream's list of this profile, empty when no browser runs: a dead one goes on listing its tabs (05-camofox.md,
 * finding 6). Asked under the lock, since a tab that was opened a moment ago starts the browser again.
 */
async function listedTabs({ adapter, profile, context }: ProfileLook): Promise<readonly UpstreamTab[]> {
  const sessionId = profile.open?.id ?? profile.unswept[0];
  if (sessionId === undefined) return [];
  if (!(await adapter.health(context)).browserRunning) return [];
  return adapter.listTabs({ sessionId, profileKey: profile.profileKey }, context);
}

async function loseVanished(house: House, { open, tabs }: KnownProfile, upstream: readonly UpstreamTab[]) {
  const there = new Set(upstream.map(({ upstreamTabId }) => upstreamTabId));
  const believed = tabs.filter(({ status }) => status === 'open');
  const vanished = believed.filter(({ upstreamTabId }) => !there.has(upstreamTabId)).map(({ id }) => id);
  if (open === null || vanished.length === 0) return { lostTabs: 0, lostSessions: 0 };
  const lost = await loseTabs(house.db.kysely, open.id, vanished);
  const whole = vanished.length === believed.length && (await loseSession(house.db.kysely, open.id));
  return { lostTabs: lost.length, lostSessions: whole ? 1 : 0 };
}

/** Adopts popups, closes what is left of closed rows and sessions, and leaves what is not ours. */
async function tidy(house: House, look: ProfileLook, strays: readonly UpstreamTab[]) {
  const { profile, rules } = look;
  const counts = { ...untouched };
  for (const tab of strays) {
    const known = rowOf(profile, tab.upstreamTabId) !== undefined;
    const opener = !known && tab.sessionId === profile.open?.id ? profile.open : undefined;
    if (opener && rules.popups === 'adopt') {
      counts.adoptedTabs += (await adopt(house, opener.id, tab)) ? 1 : 0;
    } else if (opener || (known && rules.orphans === 'close')) {
      await closeTab(look, tab);
      counts.closedTabs += 1;
    } else if (tab.sessionId === null || !profile.unswept.some((id) => id === tab.sessionId)) {
      counts.foreignTabs += 1;
    }
  }
  if (rules.orphans === 'leave') return counts;
  for (const sessionId of profile.unswept) {
    const left = strays.filter((tab) => tab.sessionId === sessionId).length;
    if (left > 0) await look.adapter.closeSession({ sessionId, profileKey: profile.profileKey }, look.context);
    await appendEvent(house.db.kysely, { sessionId, type: 'session.swept', data: { closedTabs: left } });
    counts.closedTabs += left;
    counts.sweptSessions += 1;
  }
  return counts;
}

async function adopt(house: House, sessionId: SessionId, { upstreamTabId, url, title }: UpstreamTab): Promise<boolean> {
  const shown = { url: house.redactor.url(url, 'operator'), title: house.redactor.text(title).text };
  return (await adoptTab(house.db.kysely, { sessionId, upstreamTabId, ...shown })) !== null;
}

/** One that is gone already is closed as well. */
async function closeTab({ adapter, profile, context }: ProfileLook, { upstreamTabId }: UpstreamTab): Promise<void> {
  if (profile.open === null) return;
  const tab = { sessionId: profile.open.id, profileKey: profile.profileKey, upstreamTabId };
  await adapter.closeTab(tab, context).catch((thrown: unknown) => {
    if (!BrowserError.is(thrown) || thrown.code !== 'tab_lost') throw thrown;
  });
}
