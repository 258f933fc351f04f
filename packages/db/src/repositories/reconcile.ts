import { Controller, ProfileKey, ProviderId, RecoveryState, SessionId, TabId } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { DB } from '../tables.ts';

/** What the last pass saw of a browser service; `null` where it saw nothing. */
export interface ReconcileMemory {
  readonly browserRunning: boolean | null;
  readonly activeSessions: number | null;
}

/**
 * Takes the turn to reconcile a provider. Resolves with what the last pass saw, or `null` while somebody else has the
 * turn. A turn ends by itself after `ttlMs`. One statement.
 */
export async function takeReconcileTurn(
  db: Kysely<DB>,
  want: { readonly providerId: string; readonly holder: string; readonly ttlMs: number },
): Promise<ReconcileMemory | null> {
  const { rows } = await sql<ReconcileMemory>`
    insert into browser_reconcile as r (provider_id, holder, expires_at)
    values (${want.providerId}, ${want.holder}, now() + ${want.ttlMs} * interval '1 millisecond')
    on conflict (provider_id) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where r.holder is null or r.expires_at <= now()
    returning browser_running as "browserRunning", active_sessions as "activeSessions"`.execute(db);
  return rows[0] ?? null;
}

/** Gives the turn back; with `saw`, the next pass is told. Nothing happens to a turn that was lost. One statement. */
export async function endReconcileTurn(
  db: Kysely<DB>,
  turn: { readonly providerId: string; readonly holder: string },
  saw: ReconcileMemory | null,
): Promise<void> {
  await db
    .updateTable('browser_reconcile')
    .set({ holder: null, expires_at: null })
    .$if(saw !== null, (update) =>
      update.set({
        browser_running: saw?.browserRunning ?? null,
        active_sessions: saw?.activeSessions ?? null,
        passed_at: sql<Date>`now()`,
      }),
    )
    .where('provider_id', '=', turn.providerId)
    .where('holder', '=', turn.holder)
    .execute();
}

const KnownProfile = z.object({
  providerId: ProviderId,
  profileKey: ProfileKey,
  /** The open session, or `null`. */
  open: z
    .object({
      id: SessionId,
      controller: Controller,
      recoveryState: RecoveryState,
      /** Milliseconds without an operation, and since it was opened, by the clock of the database. */
      idleMs: z.number(),
      ageMs: z.number(),
    })
    .nullable(),
  /** Tabs that the open session has or had, by the upstream's name. */
  tabs: z.array(z.object({ id: TabId, upstreamTabId: z.string(), status: z.enum(['open', 'closed', 'lost']) })),
  /** Closed sessions of this profile whose upstream half was never seen to be gone. */
  unswept: z.array(SessionId),
});
/** A profile with all that we believe the upstream has of it. */
export type KnownProfile = z.infer<typeof KnownProfile>;

const ended = sql`exists (select from browser_operation o where o.session_id = s.id and o.type = 'close_session'
  and o.outcome in ('applied', 'applied_observation_failed'))
  or exists (select from browser_event e where e.session_id = s.id and e.type = 'session.swept')`;

/**
 * The profiles of a provider that may have something upstream: those with an open session, and those with a session
 * that was closed in the last week without proof that its tabs went too. `profileKey` asks for one.
 */
export async function listKnownProfiles(
  db: Kysely<DB>,
  providerId: string,
  profileKey: ProfileKey | null = null,
): Promise<readonly KnownProfile[]> {
  const { rows } = await sql<{ profile: unknown }>`
    select jsonb_build_object('providerId', s.provider_id, 'profileKey', s.profile_key,
      'open', (jsonb_agg(jsonb_build_object('id', s.id, 'controller', s.controller, 'recoveryState', s.recovery_state,
        'idleMs', extract(epoch from now() - s.last_activity_at) * 1000,
        'ageMs', extract(epoch from now() - s.created_at) * 1000)) filter (where s.closed_at is null))->0,
      'unswept', coalesce(jsonb_agg(s.id) filter (where s.closed_at is not null), '[]'),
      'tabs', coalesce((select jsonb_agg(jsonb_build_object('id', t.id, 'upstreamTabId', t.upstream_tab_id,
          'status', t.status))
        from browser_tab t join browser_session own on own.id = t.session_id
        where own.provider_id = s.provider_id and own.profile_key = s.profile_key and own.closed_at is null), '[]')
      ) as profile
    from browser_session s
    where s.provider_id = ${providerId} and (${profileKey}::text is null or s.profile_key = ${profileKey})
      and (s.closed_at is null or (s.closed_at > now() - interval '7 days' and not (${ended})))
    group by s.provider_id, s.profile_key
    order by min(s.last_activity_at)`.execute(db);
  return rows.map(({ profile }) => KnownProfile.parse(profile));
}

/**
 * Notes that a session's whole upstream half is gone; its tabs are lost by their own statement. Resolves with `false`
 * when it was noted before or the session is closed. One statement.
 */
export async function loseSession(db: Kysely<DB>, sessionId: SessionId): Promise<boolean> {
  const { rows } = await sql`
    with lost as (
      update browser_session set recovery_state = 'lost'
      where id = ${sessionId} and closed_at is null and recovery_state <> 'lost' returning id, boot_epoch
    ), told as (
      insert into browser_event (session_id, type, data)
      select id, 'session.lost', jsonb_build_object('bootEpoch', boot_epoch) from lost returning id
    )
    select id from lost`.execute(db);
  return rows.length === 1;
}

/**
 * Takes a tab into a session that the upstream opened by itself (a popup). `url` is an operator projection. Resolves
 * with its id, or `null` when a row knows it already or the session is not under automation. One statement.
 */
export async function adoptTab(
  db: Kysely<DB>,
  tab: { readonly sessionId: SessionId; readonly upstreamTabId: string; readonly url: string; readonly title: string },
): Promise<TabId | null> {
  const { rows } = await sql<{ id: TabId }>`
    with session as materialized (
      select id from browser_session where id = ${tab.sessionId} and controller = 'automation' for no key update
    ), adopted as (
      insert into browser_tab (session_id, upstream_tab_id, url, title)
      select id, ${tab.upstreamTabId}, ${tab.url}, ${tab.title} from session
      on conflict on constraint upstream_tab_is_listed_once do nothing
      returning id, session_id
    ), told as (
      insert into browser_event (session_id, type, data)
      select session_id, 'tab.opened', jsonb_build_object('tabId', id, 'adopted', true) from adopted returning id
    )
    select id from adopted`.execute(db);
  return rows[0]?.id ?? null;
}
