import type { SessionId } from '@wheelhouse/contracts';
import { sql } from 'kysely';
import {
  type Admitted,
  beginOperation,
  type BeginRequest,
  type Database,
  dispatchOperation,
  settleOperation,
  type Settlement,
} from '../src/index.ts';

let count = 0;

/** A wish that is granted on a free session, with an id and a holder of its own. */
export const wanted = (sessionId: SessionId, change: Partial<BeginRequest> = {}): BeginRequest => ({
  sessionId,
  tabId: null,
  operationId: `op-${(count += 1)}`,
  type: 'navigate',
  effect: 'navigate',
  caller: 'job',
  documentToken: null,
  holder: `holder-${(count += 1)}`,
  lockTtlMs: 60_000,
  dispatch: true,
  ...change,
});

/** An admitted operation. */
export interface Running {
  readonly want: BeginRequest;
  readonly admitted: Admitted;
}

function ending({ want, admitted }: Running, change: Partial<Settlement> = {}): Settlement {
  return {
    ...want,
    lockFence: admitted.lockFence,
    outcome: want.operationId === null ? null : 'applied',
    errorCode: null,
    errorMessage: null,
    result: null,
    ...change,
    change: { sessionFence: admitted.session.fence, ...change.change },
  };
}
/** The steps of an operation as a worker takes them. */
export function stepsOf(database: { readonly db: Database['kysely'] }) {
  async function begun(sessionId: SessionId, change: Partial<BeginRequest> = {}): Promise<Running> {
    const want = wanted(sessionId, change);
    const admitted = await beginOperation(database.db, want);
    if (!('lockFence' in admitted)) throw new Error(JSON.stringify(admitted));
    return { want, admitted };
  }

  const settle = (running: Running, change: Partial<Settlement> = {}) =>
    settleOperation(database.db, ending(running, change));
  const dispatch = ({ want, admitted }: Running) =>
    dispatchOperation(
      database.db,
      {
        sessionId: want.sessionId,
        operationId: want.operationId ?? '',
        holder: want.holder,
        lockFence: admitted.lockFence,
      },
      60_000,
    );

  async function lockRunsOut(sessionId: SessionId): Promise<void> {
    await sql`update browser_profile_lock l set expires_at = now() - interval '1 ms' from browser_session s
    where s.id = ${sessionId} and l.provider_id = s.provider_id and l.profile_key = s.profile_key`.execute(database.db);
  }
  return { begun, settle, dispatch, lockRunsOut };
}
