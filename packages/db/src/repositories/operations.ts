import {
  BrowserErrorCode,
  Fence,
  Outcome,
  type Postcondition,
  ProviderKind,
  SecretRef,
  SessionId,
  TabId,
} from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { DB } from '../tables.ts';

/** What a snapshot saw of a tab: enough to recognise its elements later, nothing a person could read. */
export const StoredDocument = z.object({
  /** Canonical origin with port, `null` for pages without one. */
  origin: z.string().nullable(),
  /** Fingerprint of each ref. */
  elements: z.record(z.string(), z.string()),
});
export type StoredDocument = z.infer<typeof StoredDocument>;

/** Why an operation was not admitted; each is a `BrowserError` code. */
const Refused = z.object({
  refused: z.enum([
    'session_not_found',
    'session_closed',
    'human_in_control',
    'waiting_for_human',
    'tab_not_found',
    'tab_lost',
    'snapshot_required',
    'stale_snapshot',
    'operation_replayed',
  ]),
  waitingReason: z.string().nullish(),
  /** Who has control, and until when. */
  controlHolder: z.string().nullish(),
  until: z.coerce.date().nullish(),
  /** Of a replay: what became of the first call. */
  state: z.string().nullish(),
  outcome: Outcome.nullish(),
  errorCode: BrowserErrorCode.nullish().catch(null),
  result: z.json().nullish(),
});

const Busy = z.object({
  busy: z.literal(true),
  /** What the holder does, for example `navigate`. */
  holderNote: z.string().nullable(),
  since: z.coerce.date().nullable(),
  expiresAt: z.coerce.date().nullable(),
  profileKey: z.string(),
  providerId: z.string(),
});

/** The provider of an admitted operation, as far as an adapter needs it. */
export const ProviderOfOperation = z.object({
  id: z.string(),
  name: z.string(),
  kind: ProviderKind,
  baseUrl: z.string().nullable(),
  secretRef: SecretRef.nullable(),
  enabled: z.boolean(),
  config: z.record(z.string(), z.json()),
});
export type ProviderOfOperation = z.infer<typeof ProviderOfOperation>;

const Admitted = z.object({
  lockFence: z.int(),
  session: z.object({
    id: SessionId,
    profileKey: z.string(),
    fence: Fence,
    allowlist: z.array(z.string()),
    recoveryState: z.string(),
    downloadPolicy: z.string(),
  }),
  provider: ProviderOfOperation,
  tab: z
    .object({
      id: TabId,
      upstreamTabId: z.string(),
      generation: z.int(),
      document: StoredDocument.nullish(),
    })
    .nullable(),
});

const Begun = z.union([Refused, Busy, Admitted]);
/** What became of the wish to begin. */
export type Begun = z.infer<typeof Begun>;
/** An admitted operation: the profile lock is held under `lockFence`. */
export type Admitted = z.infer<typeof Admitted>;
/** The lock is held by another operation; nothing was written. */
export type Busy = z.infer<typeof Busy>;
/** The operation may not run now; only a replay was counted. */
export type Refused = z.infer<typeof Refused>;

/** What is asked of `beginOperation`. */
export interface BeginRequest {
  readonly sessionId: string;
  readonly tabId: string | null;
  /** `null` for observations, which leave no row. */
  readonly operationId: string | null;
  readonly type: string;
  readonly effect: 'observe' | 'navigate' | 'interact' | 'manage';
  readonly caller: string;
  /** Document token that an interaction was chosen with. */
  readonly documentToken: string | null;
  /** Unique for this attempt: names the holder of the lock. */
  readonly holder: string;
  readonly lockTtlMs: number;
  /** Commit as `dispatched` at once; `false` for interactions, which look first. */
  readonly dispatch: boolean;
  /** What may settle an unknown outcome later; stored as it is. */
  readonly postcondition?: Postcondition | undefined;
}

/**
 * Admits, locks and reserves in one round trip: checks controller, tab and token, takes the profile lock, claims the
 * operation id for ever and kills the document token.
 *
 * Nothing is written when it is refused (but the replay count) or busy (but that somebody waits).
 */
export async function beginOperation(db: Kysely<DB>, want: BeginRequest): Promise<Begun> {
  const { rows } = await sql<{ begun: unknown }>`
    select browser_operation_begin_2(${want.sessionId}, ${want.tabId}, ${want.operationId}, ${want.type}, ${want.effect},
      ${want.caller}, ${want.documentToken}, ${want.holder}, ${want.lockTtlMs}, ${want.dispatch},
      ${want.postcondition === undefined ? null : JSON.stringify(want.postcondition)}::jsonb) as begun`.execute(db);
  return Begun.parse(rows[0]?.begun);
}

/** An operation that holds the lock. */
export interface HeldOperation {
  readonly sessionId: string;
  readonly operationId: string;
  readonly holder: string;
  readonly lockFence: number;
  /** Whether the operation's postcondition held before anything was sent; absent without one, or when it was not seen. */
  readonly heldBefore?: boolean | undefined;
  /** Of an operation that may download: what the tab had downloaded before, and how long its window stays open. */
  readonly capture?: { readonly known: readonly string[]; readonly windowMs: number } | undefined;
}

/**
 * Notes that the request is about to leave. Committed before the first byte does; a crash after it is `unknown`.
 *
 * Resolves with `dispatched`, or with why nothing may be sent: `fence_lost` (lock or control changed hands),
 * `outcome_unknown` (not reserved any more) or `capture_open` (files of an operation before are not captured yet).
 */
export async function dispatchOperation(
  db: Kysely<DB>,
  held: HeldOperation,
  lockTtlMs: number,
): Promise<'dispatched' | 'fence_lost' | 'outcome_unknown' | 'capture_open'> {
  const { rows } = await sql<{ done: unknown }>`
    select browser_operation_dispatch_3(${held.sessionId}, ${held.operationId}, ${held.holder}, ${held.lockFence},
      ${lockTtlMs}, ${held.heldBefore ?? null}, ${held.capture?.known ?? null}::text[],
      ${held.capture?.windowMs ?? null}) as done`.execute(db);
  return z.enum(['dispatched', 'fence_lost', 'outcome_unknown', 'capture_open']).parse(rows[0]?.done);
}

/** What a finished operation changes besides its own row. Addresses are operator projections. */
export interface OperationChange {
  /** Fence of the session at admission; with another one now, document and recovery state are left alone. */
  readonly sessionFence: number;
  readonly currentUrl?: string | undefined;
  readonly recoveryState?: 'ok' | 'lost' | 'needs_look' | undefined;
  readonly tabUrl?: string | undefined;
  readonly tabTitle?: string | undefined;
  readonly tabStatus?: 'closed' | 'lost' | undefined;
  readonly documentToken?: string | undefined;
  readonly document?: StoredDocument | undefined;
  /** Page generation that the snapshot saw; another one now means it is stale already. */
  readonly generation?: number | undefined;
  readonly newTab?: { readonly id: string; readonly upstreamTabId: string } | undefined;
  readonly closeReason?: string | undefined;
}

/** How an operation ended. */
export interface Settlement {
  readonly sessionId: string;
  readonly tabId: string | null;
  readonly operationId: string | null;
  readonly effect: 'observe' | 'navigate' | 'interact' | 'manage';
  readonly holder: string;
  readonly lockFence: number;
  readonly outcome: Outcome | null;
  readonly errorCode: BrowserErrorCode | null;
  readonly errorMessage: string | null;
  /** What a replay is told; small and free of secrets. */
  readonly result: z.infer<ReturnType<typeof z.json>> | null;
  readonly change: OperationChange;
}

/**
 * Writes outcome, session, tab and event and gives the lock back, in one transaction and one round trip.
 *
 * Resolves with `fence_lost` when the lock was lost meanwhile: then nothing was written. With `control_changed` when an
 * observation ended after control had changed hands: the lock is free, and what was seen must not be told.
 */
export async function settleOperation(
  db: Kysely<DB>,
  end: Settlement,
): Promise<'settled' | 'fence_lost' | 'outcome_unknown' | 'control_changed'> {
  const { rows } = await sql<{ done: unknown }>`
    select browser_operation_settle_2(${end.sessionId}, ${end.tabId}, ${end.operationId}, ${end.effect}, ${end.holder},
      ${end.lockFence}, ${end.outcome}, ${end.errorCode}, ${end.errorMessage},
      ${end.result === null ? null : JSON.stringify(end.result)}::jsonb, ${JSON.stringify(end.change)}::jsonb) as done`.execute(
    db,
  );
  return z.enum(['settled', 'fence_lost', 'outcome_unknown', 'control_changed']).parse(rows[0]?.done);
}

/** An operation whose holder is gone. */
export interface Abandoned {
  readonly sessionId: string;
  readonly operationId: string;
  readonly type: string;
  readonly outcome: 'unknown' | 'not_applied';
}

/**
 * Settles operations whose holder no longer holds the profile lock: dispatched ones become `unknown` and their session
 * needs a fresh look, reserved ones never left and become `not_applied`. One statement, idempotent, from any process.
 */
export async function settleAbandoned(db: Kysely<DB>): Promise<readonly Abandoned[]> {
  const { rows } = await sql<Abandoned>`
    with gone as (
      select o.session_id, o.operation_id
      from browser_operation o
      join browser_session s on s.id = o.session_id
      left join browser_profile_lock l on l.provider_id = s.provider_id and l.profile_key = s.profile_key
        and l.holder = o.holder and l.fence = o.lock_fence and l.expires_at > now()
      where o.outcome is null and l.holder is null
      for no key update of s skip locked
    ), settled as (
      update browser_operation o
      set state = 'settled', settled_at = now(), error_code = 'fence_lost',
          outcome = case when o.dispatched_at is null then 'not_applied' else 'unknown' end
      from gone where o.session_id = gone.session_id and o.operation_id = gone.operation_id and o.outcome is null
      returning o.session_id, o.operation_id, o.type, o.outcome
    ), marked as (
      update browser_session s set recovery_state = 'needs_look'
      from settled where s.id = settled.session_id and settled.outcome = 'unknown'
        and s.recovery_state = 'ok' and s.closed_at is null
      returning s.id
    ), told as (
      insert into browser_event (session_id, type, data)
      select session_id, 'operation.settled',
        jsonb_build_object('operationId', operation_id, 'outcome', outcome, 'errorCode', 'fence_lost') from settled
      returning id
    )
    select session_id as "sessionId", operation_id as "operationId", type, outcome from settled`.execute(db);
  return rows;
}

/** The ledger of a session, oldest first, at most `limit` rows. */
export async function listOperations(db: Kysely<DB>, sessionId: string, limit = 200) {
  return db
    .selectFrom('browser_operation')
    .select([
      'operation_id as operationId',
      'type',
      'effect',
      'state',
      'outcome',
      'error_code as errorCode',
      'caller',
      'replays',
      'reserved_at as reservedAt',
      'dispatched_at as dispatchedAt',
      'settled_at as settledAt',
    ])
    .where('session_id', '=', sessionId)
    .orderBy('reserved_at')
    .orderBy('operation_id')
    .limit(limit)
    .execute();
}
