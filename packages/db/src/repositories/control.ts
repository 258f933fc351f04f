import {
  type BrowserSession,
  Controller,
  nextController,
  type SessionId,
  type WaitingReason,
} from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';

/** NOTIFY channel of every change of control; the payload is the session's id. */
export const controlChannel = 'browser_control';

/** What a change of control left behind. */
export type ControlState = Pick<BrowserSession, 'id' | 'controller' | 'waitingReason' | 'fence'>;

const state = sql.raw(`id, controller, waiting_reason as "waitingReason", fence`);

/**
 * Stops automation until a person has looked; `brief` tells them what to do. Asked for again, only the reason changes. Resolves with the state, or
 * `null` when a person has control already, or the session is closed or unknown. One statement.
 */
export async function needHuman(
  db: Kysely<DB>,
  sessionId: SessionId,
  reason: WaitingReason,
  brief = '',
): Promise<ControlState | null> {
  const from = Controller.options.filter((before) => nextController[before].need_human === 'waiting');
  const { rows } = await sql<ControlState>`
    with moved as (
      update browser_session set controller = 'waiting', waiting_reason = ${reason},
        fence = case controller when 'waiting' then fence else fence + 1 end
      where id = ${sessionId} and controller in (${sql.join(from)})
      returning *
    ), blinded as (
      update browser_tab t set document_token = null, document = null, generation = generation + 1
      from moved where t.session_id = moved.id and t.status = 'open' returning t.id
    ), told as (
      insert into browser_event (session_id, type, data)
      select id, 'control.changed', jsonb_build_object('event', 'need_human', 'controller', controller, 'fence', fence,
        'waitingReason', waiting_reason, 'brief', ${brief}::text) from moved returning id
    )
    select ${state}, pg_notify(${controlChannel}, id::text) from moved`.execute(db);
  return stateOf(rows);
}

/**
 * Lets automation go on without a person having driven. It looks again first. Resolves with the state, or `null` when
 * the session does not wait. One statement.
 */
export async function resumeAutomation(db: Kysely<DB>, sessionId: SessionId, by: string): Promise<ControlState | null> {
  const from = Controller.options.filter((before) => nextController[before].resume === 'automation');
  const { rows } = await sql<ControlState>`
    with moved as (
      update browser_session set controller = 'automation', waiting_reason = null, fence = fence + 1,
        recovery_state = case recovery_state when 'ok' then 'needs_look' else recovery_state end
      where id = ${sessionId} and controller in (${sql.join(from)})
      returning *
    ), told as (
      insert into browser_event (session_id, type, data)
      select id, 'control.changed', jsonb_build_object('event', 'resume', 'controller', controller, 'fence', fence,
        'holder', ${by}::text) from moved returning id
    )
    select ${state}, pg_notify(${controlChannel}, id::text) from moved`.execute(db);
  return stateOf(rows);
}

function stateOf([row]: readonly ControlState[]): ControlState | null {
  if (row === undefined) return null;
  const { id, controller, waitingReason, fence } = row;
  return { id, controller, waitingReason, fence };
}
