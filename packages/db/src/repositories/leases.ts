import {
  BrowserError,
  Controller,
  type ControlEvent,
  type ControlLease,
  type Fence,
  type LeaseRequest,
  nextController,
  type SessionId,
} from '@wheelhouse/contracts';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DB } from '../tables.ts';
import { controlChannel } from './control.ts';

const columns = sql.raw(
  `id, session_id as "sessionId", holder_kind as "holderKind", holder, reason, status, fence,
   acquired_at as "acquiredAt", expires_at as "expiresAt", released_at as "releasedAt", release_reason as "releaseReason"`,
);

/** States that an event may start from, as the state machine in `contracts` says. */
function statesBefore(event: ControlEvent): readonly Controller[] {
  return Controller.options.filter((state) => nextController[state][event] !== 'refused');
}

/**
 * Gives control of a session to one person and moves its fence forward. All that was seen before is void, and
 * automation looks again first when it gets control back.
 *
 * `display` names the screen that the person will see, when other sessions show their windows on it too: one person at
 * a time on it. Resolves with the lease; with `refused` when the session is closed, unknown or held by somebody; with
 * `display_busy`. Nothing changed then. One statement.
 *
 * The guard reads the session's own row. Postgres looks at that row again after it waited for the lock, so of two
 * grants at once the second sees the first. A subquery over the leases would still see the old state.
 */
export async function grantLease(
  db: Kysely<DB>,
  request: LeaseRequest & { readonly display?: string | undefined },
): Promise<ControlLease | 'refused' | 'display_busy'> {
  const { sessionId, holder, reason, ttlMs, display = null } = request;
  try {
    const { rows } = await sql<ControlLease>`
      with moved as (
        update browser_session set controller = 'human', fence = fence + 1, last_activity_at = now(),
          recovery_state = case recovery_state when 'ok' then 'needs_look' else recovery_state end
        where id = ${sessionId} and controller in (${sql.join(statesBefore('grant'))})
        returning id, provider_id, fence
      ), lease as (
        insert into browser_control_lease (session_id, holder_kind, fence, holder, reason, expires_at)
        select id, 'human', fence, ${holder}, ${reason}, now() + ${ttlMs} * interval '1 millisecond' from moved
        returning *
      ), screen as (
        insert into browser_display_lease (provider_id, display, lease_id)
        select moved.provider_id, ${display}::text, lease.id from moved, lease where ${display}::text is not null
        returning id
      ), blinded as (
        update browser_tab t set document_token = null, document = null, generation = generation + 1
        from moved where t.session_id = moved.id and t.status = 'open'
        returning t.id
      ), told as (
        insert into browser_event (session_id, type, data)
        select session_id, 'control.changed', jsonb_build_object('event', 'grant', 'controller', 'human', 'fence', fence,
          'leaseId', id, 'holder', holder, 'reason', reason, 'until', expires_at) from lease
        returning id
      )
      select ${columns}, pg_notify(${controlChannel}, session_id::text) from lease`.execute(db);
    return leaseOf(rows) ?? 'refused';
  } catch (error) {
    if (isViolationOf(error, 'one_human_per_display')) return 'display_busy';
    throw error;
  }
}

/**
 * Keeps control for `ttlMs` from now, or longer if it was promised before. Resolves with the lease, or `null` when it
 * is over or somebody else's. One statement.
 */
export async function extendLease(
  db: Kysely<DB>,
  want: { readonly leaseId: string; readonly holder: string; readonly ttlMs: number },
): Promise<ControlLease | null> {
  const { rows } = await sql<ControlLease>`
    with session as materialized (
      select s.id from browser_session s join browser_control_lease l on l.session_id = s.id
      where l.id = ${want.leaseId} for no key update of s
    ), extended as (
      update browser_control_lease l
      set expires_at = greatest(l.expires_at, now() + ${want.ttlMs} * interval '1 millisecond')
      from session where l.session_id = session.id and l.id = ${want.leaseId} and l.holder = ${want.holder}
        and l.status = 'active' and l.expires_at > now()
      returning l.*
    ), told as (
      insert into browser_event (session_id, type, data)
      select session_id, 'control.changed', jsonb_build_object('event', 'extend', 'controller', 'human', 'fence', fence,
        'leaseId', id, 'until', expires_at) from extended
      returning id
    )
    select ${columns}, pg_notify(${controlChannel}, session_id::text) from extended`.execute(db);
  return leaseOf(rows);
}

/**
 * Gives control back to automation, in the words of whoever had it. Resolves with the ended lease, or `null` when it
 * is over already or somebody else's. One statement.
 */
export function handBackLease(
  db: Kysely<DB>,
  want: { readonly leaseId: string; readonly holder: string; readonly note: string },
): Promise<ControlLease | null> {
  const due = sql`
    select s.id, l.id as lease_id from browser_control_lease l join browser_session s on s.id = l.session_id
    where l.id = ${want.leaseId} and l.holder = ${want.holder} and l.expires_at > now() and l.status = 'active'
    for no key update of s`;
  return endLeases(db, due, { event: 'hand_back', status: 'released', reason: want.note }).then(leaseOf);
}

/**
 * Takes control away from whoever holds it, for a reason that is kept. The session waits: nobody knows what state the
 * page is in. Resolves with the ended lease, or `null` when it is over already. One statement.
 */
export function revokeLease(
  db: Kysely<DB>,
  want: { readonly leaseId: string; readonly reason: string },
): Promise<ControlLease | null> {
  const due = sql`
    select s.id, l.id as lease_id from browser_control_lease l join browser_session s on s.id = l.session_id
    where l.id = ${want.leaseId} and l.status = 'active'
    for no key update of s`;
  return endLeases(db, due, { event: 'revoke', status: 'revoked', reason: want.reason }).then(leaseOf);
}

/**
 * Ends all leases whose time is over; their sessions wait, never straight back to automation. Any number of processes
 * may do it at once, each lease ends once. One statement.
 */
export function expireLeases(db: Kysely<DB>): Promise<readonly ControlLease[]> {
  const due = sql`
    select s.id, l.id as lease_id from browser_control_lease l join browser_session s on s.id = l.session_id
    where l.status = 'active' and l.expires_at <= now()
    order by l.expires_at limit 100
    for no key update of s, l skip locked`;
  return endLeases(db, due, { event: 'expire', status: 'expired', reason: 'the time was over' });
}

interface Ending {
  readonly event: 'hand_back' | 'revoke' | 'expire';
  readonly status: ControlLease['status'];
  readonly reason: string;
}

/**
 * `due` names sessions and leases, and locks the session first, as everything does that moves control.
 *
 * A lease is the one in force while the session is with a person under its fence; both are read from the row that is
 * changed, so of two endings at once the second finds nothing.
 */
async function endLeases(db: Kysely<DB>, due: RawBuilder<unknown>, ending: Ending): Promise<readonly ControlLease[]> {
  const next = nextController.human[ending.event];
  const waitingReason = {
    hand_back: sql`null`,
    revoke: sql`coalesce(s.waiting_reason, 'other')`,
    expire: sql`'lease_expired'`,
  }[ending.event];
  const { rows } = await sql<ControlLease>`
    with due as materialized (${due}), moved as (
      update browser_session s set controller = ${next}, waiting_reason = ${waitingReason}, fence = s.fence + 1,
        last_activity_at = now(),
        recovery_state = case s.recovery_state when 'ok' then 'needs_look' else s.recovery_state end
      from due, browser_control_lease l
      where s.id = due.id and l.id = due.lease_id and s.controller = 'human' and s.fence = l.fence
      returning s.id, s.fence, due.lease_id
    ), ended as (
      update browser_control_lease l set status = ${ending.status}, released_at = now(), release_reason = ${ending.reason}
      from moved where l.id = moved.lease_id and l.status = 'active'
      returning l.*
    ), freed as (
      update browser_display_lease d set released_at = now()
      from moved where d.lease_id = moved.lease_id and d.released_at is null
      returning d.id
    ), blinded as (
      update browser_tab t set document_token = null, document = null, generation = generation + 1
      from moved where t.session_id = moved.id and t.status = 'open'
      returning t.id
    ), told as (
      insert into browser_event (session_id, type, data)
      select id, 'control.changed', jsonb_build_object('event', ${ending.event}::text, 'controller', ${next}::text,
        'fence', fence, 'leaseId', lease_id, 'reason', ${ending.reason}::text) from moved
      returning id
    )
    select ${columns}, pg_notify(${controlChannel}, session_id::text) from ended`.execute(db);
  return rows.map(withoutNotice);
}

/** The lease in force on a session, or `null`. */
export async function activeLease(db: Kysely<DB>, sessionId: SessionId): Promise<ControlLease | null> {
  const { rows } = await sql<ControlLease>`
    select ${columns} from browser_control_lease where session_id = ${sessionId} and status = 'active'`.execute(db);
  return rows[0] ?? null;
}

/** The lease of this id, over or not, or `null`. */
export async function getLease(db: Kysely<DB>, leaseId: string): Promise<ControlLease | null> {
  const { rows } = await sql<ControlLease>`
    select ${columns} from browser_control_lease where id = ${leaseId}`.execute(db);
  return rows[0] ?? null;
}

/**
 * How long a lease still gives control, milliseconds by the clock of the database; 0 when it does not (any more), or
 * when the fence is not its own. What a gateway asks before it passes input on.
 */
export async function remainingControl(db: Kysely<DB>, leaseId: string, fence: Fence): Promise<number> {
  const { rows } = await sql<{ remainingMs: number }>`
    select greatest(0, floor(extract(epoch from l.expires_at - clock_timestamp()) * 1000))::float8 as "remainingMs"
    from browser_control_lease l join browser_session s on s.id = l.session_id
    where l.id = ${leaseId} and l.fence = ${fence} and l.status = 'active' and s.fence = l.fence and s.controller = 'human'
  `.execute(db);
  return rows[0]?.remainingMs ?? 0;
}

function leaseOf(rows: readonly ControlLease[]): ControlLease | null {
  const [row] = rows;
  return row === undefined ? null : withoutNotice(row);
}

/** `pg_notify` is a column of the answer. */
function withoutNotice(row: ControlLease & { readonly pg_notify?: unknown }): ControlLease {
  const { pg_notify: _notice, ...lease } = row;
  return lease;
}

function isViolationOf(error: unknown, constraint: string): boolean {
  return !BrowserError.is(error) && error instanceof Error && 'constraint' in error && error.constraint === constraint;
}
