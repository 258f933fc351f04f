import { OperationId, Postcondition, SessionId } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { DB } from '../tables.ts';
import { ProviderOfOperation } from './operations.ts';
import type { HeldProfileLock } from './profile-locks.ts';

const UnknownOperation = z.object({
  sessionId: SessionId,
  operationId: OperationId,
  type: z.string(),
  /** `null` for operations that prove themselves (`close_tab`). */
  postcondition: Postcondition.nullable(),
  /** Whether the postcondition held before anything was sent; `null` when nobody looked. */
  heldBefore: z.boolean().nullable(),
  /** Milliseconds since the request may have left, by the clock of the database. */
  ageMs: z.number(),
  profileKey: z.string(),
  allowlist: z.array(z.string()),
  upstreamTabId: z.string(),
  /** Upstream names of the other tabs of the session that should be there. */
  otherTabs: z.array(z.string()),
  provider: ProviderOfOperation,
});
/** An operation of which nobody knows yet whether it had its effect, with all that a look at it needs. */
export type UnknownOperation = z.infer<typeof UnknownOperation>;

/**
 * Unknown operations of the last day that evidence may still settle, the oldest first: in sessions under automation,
 * with control never moved since. At most `limit`.
 */
export async function listUnknowns(
  db: Kysely<DB>,
  { sessionId = null, limit = 50 }: { readonly sessionId?: SessionId | null; readonly limit?: number } = {},
): Promise<readonly UnknownOperation[]> {
  const { rows } = await sql<{ unknown: unknown }>`
    select jsonb_build_object('sessionId', o.session_id, 'operationId', o.operation_id, 'type', o.type,
      'postcondition', o.postcondition, 'heldBefore', o.evidence->'before',
      'ageMs', extract(epoch from now() - o.dispatched_at) * 1000, 'profileKey', s.profile_key,
      'allowlist', to_jsonb(s.allowlist), 'upstreamTabId', t.upstream_tab_id,
      'otherTabs', coalesce((select jsonb_agg(other.upstream_tab_id) from browser_tab other
        where other.session_id = s.id and other.id <> t.id and other.status = 'open'), '[]'),
      'provider', jsonb_build_object('id', p.id, 'name', p.name, 'kind', p.kind, 'baseUrl', p.base_url,
        'secretRef', p.secret_ref, 'enabled', p.enabled, 'config', p.config)) as unknown
    from browser_operation o
      join browser_session s on s.id = o.session_id
      join browser_provider p on p.id = s.provider_id
      join browser_tab t on t.id = o.tab_id
    where o.outcome = 'unknown' and (o.postcondition is not null or o.type = 'close_tab')
      and s.controller = 'automation' and s.fence = o.session_fence and p.enabled
      and o.settled_at > now() - interval '1 day' and not coalesce((o.evidence->>'final')::boolean, false)
      and (${sessionId}::uuid is null or s.id = ${sessionId}::uuid)
    order by o.settled_at limit ${limit}`.execute(db);
  return rows.map(({ unknown }) => UnknownOperation.parse(unknown));
}

/** What a look found. */
export interface Evidence {
  /** Whether the postcondition holds now. */
  readonly holds: boolean;
  /** No later look can prove more. */
  readonly final: boolean;
  readonly lookedAt: Date;
  /** Why it proves, or does not: one clause. */
  readonly because: string;
}

/**
 * Writes down what was found under a held lock, and the outcome where it is proven. One statement.
 *
 * Resolves with `superseded` when something else can have caused what was seen: control moved or a later operation
 * reached the tab. Nothing is written then, nor with `fence_lost` or `settled_before`.
 */
export async function resolveUnknown(
  db: Kysely<DB>,
  lock: HeldProfileLock,
  found: {
    readonly sessionId: SessionId;
    readonly operationId: OperationId;
    readonly outcome: 'applied' | 'not_applied' | null;
    readonly evidence: Evidence;
  },
): Promise<'resolved' | 'noted' | 'superseded' | 'fence_lost' | 'settled_before'> {
  const { rows } = await sql<{ done: unknown }>`
    select browser_operation_resolve_1(${found.sessionId}, ${found.operationId}, ${lock.holder}, ${lock.fence},
      ${found.outcome}, ${JSON.stringify(found.evidence)}::jsonb) as done`.execute(db);
  return z.enum(['resolved', 'noted', 'superseded', 'fence_lost', 'settled_before']).parse(rows[0]?.done);
}
