import { randomUUID } from 'node:crypto';
import { timeLimit } from '@wheelhouse/adapters';
import {
  type AllowlistEntries,
  BrowserError,
  type CallContext,
  effectOf,
  type Grant,
  Operation,
  type OperationInput,
  type OperationType,
  type Outcome,
  parseAllowlist,
  type Postcondition,
  ProfileKey,
  type SessionId,
} from '@wheelhouse/contracts';
import { type Admitted, dispatchOperation, type OperationChange, settleOperation } from '@wheelhouse/db';
import { holds, refuseSecrets } from '../evidence.ts';
import { safeFailure } from '../redaction.ts';
import { admit, checkGrant } from './admit.ts';
import { dispatch } from './dispatch.ts';
import { type Heartbeat, keepAlive } from './heartbeat.ts';
import { type Failpoint, type House, learningResolver, type SiteSecrets } from './house.ts';
import { narrowed } from './narrow.ts';
import { observe, type Observed } from './observe.ts';
import type { ProfileQueue } from './queue.ts';
import type { OperationResult } from './result.ts';

/** What a caller may say besides the operation itself. */
export interface OperateOptions {
  /** Gives up when it aborts; an operation that was dispatched is `unknown` then. */
  readonly signal?: AbortSignal | undefined;
  /** Whole call, milliseconds, waiting for the lock included. */
  readonly timeoutMs?: number | undefined;
  /** Largest accepted body, bytes. */
  readonly maxBytes?: number | undefined;
  readonly siteSecrets?: SiteSecrets | undefined;
}

const defaultTimeoutMs = 90_000;
const defaultMaxBytes = 16 * 1024 * 1024;
/** What a capture may take besides its wait: large files on slow disks. */
const captureTimeoutMs = 10 * 60 * 1000;
/** How long files of an operation are waited for at most; after that a capture that finds none closes its window. */
const captureWindowMs = 10 * 60 * 1000;

/**
 * The one way an operation goes: admit → reserve → dispatch → observe → commit.
 *
 * Two round trips to Postgres an operation; interactions, which look at the page before they are dispatched, three.
 *
 * @throws BrowserError with the `outcome` that the ledger holds; without one when nothing was dispatched.
 */
export async function operate<T extends OperationType>(
  house: House & { readonly queue: ProfileQueue },
  sessionId: SessionId,
  input: Extract<OperationInput, { type: T }>,
  caller: { readonly grant: Grant } & OperateOptions,
): Promise<OperationResult<T>> {
  const operation = storable(house, parseOperation(input));
  checkGrant(operation, caller.grant);
  const postcondition = postconditionOf(operation);
  if (postcondition !== undefined) refuseSecrets(house, postcondition);
  const timeoutMs = timeoutOf(operation, caller);
  const deadline = new Date(Date.now() + timeoutMs);
  using limit = timeLimit(timeoutMs);
  const signal = caller.signal === undefined ? limit.signal : AbortSignal.any([limit.signal, caller.signal]);
  const run = () => step(house, sessionId, operation, { ...caller, deadline, signal });
  // One function serves every type; what it returns for `T` is fixed by the tables in `perform` and `observe`.
  return (await house.queue.run(sessionId, signal, run)) as OperationResult<T>;
}

interface StepOptions extends OperateOptions {
  readonly grant: Grant;
  readonly deadline: Date;
  readonly signal: AbortSignal;
}

async function step(
  house: House,
  sessionId: SessionId,
  operation: Operation,
  options: StepOptions,
): Promise<OperationResult> {
  const effect = effectOf[operation.type];
  const holder = randomUUID();
  const operationId = 'operationId' in operation ? operation.operationId : null;
  const tabId = 'tabId' in operation ? operation.tabId : null;
  const postcondition = postconditionOf(operation);
  // Interactions look at the page first, and so does whatever is to be proven later, or may download.
  const mayDownload = 'mayDownload' in operation && operation.mayDownload === true;
  const looksFirst = effect === 'interact' || postcondition !== undefined || mayDownload;
  const reach = async (at: Failpoint) => house.failpoint?.(at, operationId);
  await reach('before-begin');
  const admitted = await admit(
    house,
    {
      sessionId,
      tabId,
      operationId,
      type: operation.type,
      effect,
      caller: options.grant.caller,
      documentToken: 'documentToken' in operation ? operation.documentToken : null,
      holder,
      lockTtlMs: house.lockTtlMs,
      dispatch: !looksFirst,
      postcondition,
    },
    options.signal,
  );
  const profileKey = ProfileKey.parse(admitted.session.profileKey);
  const lock = { providerId: admitted.provider.id, profileKey, holder, fence: admitted.lockFence };
  using beat = keepAlive(house, lock, { sessionId, fence: admitted.session.fence });

  const end = { sessionId, tabId, operationId, effect, holder, lockFence: admitted.lockFence };
  const settle = async (ending: Ending) => {
    const outcome = operationId === null ? undefined : 'unknown';
    await reach('before-settle');
    const done = await settleOperation(house.db.kysely, { ...end, ...ending }).catch((cause: unknown) => {
      // The row still says `dispatched`; whoever finds it settles it as unknown.
      throw new BrowserError('database_unreachable', `${operation.type} ran, but its end could not be written`, {
        operationId: operationId ?? undefined,
        outcome,
        cause,
      });
    });
    await reach('after-settle');
    if (done === 'settled') return;
    const lost =
      done === 'control_changed'
        ? `control changed hands while ${operation.type} ran; what it saw is not told`
        : `the profile lock was lost before ${operation.type} could be settled`;
    throw new BrowserError('fence_lost', lost, {
      operationId: operationId ?? undefined,
      outcome,
    });
  };

  let observed: Observed;
  let sent = !looksFirst;
  try {
    await reach('after-begin');
    const provider = house.adapterOf(admitted.provider);
    const context = contextOf(house, operation, admitted, { ...options, beat });
    const tab = tabAddress(sessionId, admitted);
    const heldBefore =
      postcondition === undefined || tab === null
        ? undefined
        : await holds(postcondition, provider, tab, context).catch((thrown: unknown) => unseen(thrown, context));
    if (mayDownload && admitted.session.downloadPolicy !== 'capture') {
      throw new BrowserError('download_blocked', 'this session blocks downloads');
    }
    const capture =
      mayDownload && tab !== null
        ? { known: (await provider.listDownloads(tab, context)).map(({ id }) => id), windowMs: captureWindowMs }
        : undefined;
    const dispatched = async () => {
      if (operationId === null) return;
      const held = { sessionId, operationId, holder, lockFence: admitted.lockFence, heldBefore, capture };
      await reach('before-dispatch');
      const askedAt = performance.now();
      const done = await dispatchOperation(house.db.kysely, held, house.lockTtlMs);
      if (done === 'capture_open') {
        throw new BrowserError(done, 'files of an operation before this one are not captured yet; nothing was sent');
      }
      if (done !== 'dispatched') throw new BrowserError(done, 'control or lock changed hands before anything was sent');
      await reach('after-dispatch');
      await reach('before-send');
      // A process that was stopped meanwhile wakes up here before its timers do: another one may act by now.
      if (beat.signal.aborted || performance.now() - askedAt > house.lockTtlMs) {
        throw new BrowserError(
          'fence_lost',
          'this process was held up for longer than its lock lives; nothing was sent',
        );
      }
      sent = true;
    };
    if (looksFirst && effect !== 'interact') await dispatched();
    await reach('before-look');
    const performed = await dispatch(house, operation, {
      provider,
      session: { sessionId, profileKey },
      tab,
      document: admitted.tab?.document ?? null,
      context,
      dispatched,
      capture: house.capture?.(sessionId) ?? noBlobStore,
    });
    await reach('after-answer');
    observed = observe(house, operation, admitted, performed);
  } catch (thrown) {
    // After the dispatch of an interaction, an adapter that does not say what it proved has proved nothing.
    const unproven = effect === 'interact' && sent ? 'unknown' : 'not_applied';
    const error = safeFailure(house.redactor, failureOf(thrown, operationId, { sent, unproven }));
    await settle(failedEnding(error, admitted, effect));
    throw error;
  }
  const { outcome, landing, httpStatus } = observed.result;
  await settle({
    outcome,
    errorCode: null,
    errorMessage: null,
    result: operationId === null ? null : { landingUrl: landing?.url ?? null, httpStatus },
    change: observed.change,
  });
  return observed.result;
}

const noBlobStore = () =>
  Promise.reject(new BrowserError('invalid_config', 'no blob store is configured, so files cannot be captured'));

type Ending = Omit<
  Parameters<typeof settleOperation>[1],
  'sessionId' | 'tabId' | 'operationId' | 'effect' | 'holder' | 'lockFence'
>;

/** What the rows are told of a failure. A dispatched operation without a proven outcome is `unknown` and needs a look. */
function failedEnding(error: BrowserError, admitted: Admitted, effect: string): Ending {
  const change: { -readonly [K in keyof OperationChange]: OperationChange[K] } = {
    sessionFence: admitted.session.fence,
  };
  if (error.outcome === 'unknown' && effect !== 'manage') change.recoveryState = 'needs_look';
  if (error.code === 'tab_lost' || error.code === 'browser_dead') change.tabStatus = 'lost';
  return {
    outcome: effect === 'observe' ? null : (error.outcome ?? 'not_applied'),
    errorCode: error.code,
    errorMessage: error.message,
    result: null,
    change,
  };
}

/** Whatever was thrown as a `BrowserError` that names the operation. A stranger's text may quote the page, so it stays a cause. */
function failureOf(
  thrown: unknown,
  operationId: string | null,
  { sent, unproven }: { readonly sent: boolean; readonly unproven: Outcome },
): BrowserError {
  // What never left has no effect, whatever an adapter says of it.
  const outcome = (claimed: Outcome): Outcome => (sent ? claimed : 'not_applied');
  if (BrowserError.is(thrown)) {
    return operationId === null
      ? thrown
      : BrowserError.with(thrown, { operationId, outcome: outcome(thrown.outcome ?? unproven) });
  }
  return new BrowserError('internal', 'an unexpected failure inside the layer', {
    cause: thrown,
    operationId: operationId ?? undefined,
    outcome: operationId === null ? undefined : outcome('unknown'),
  });
}

/** A postcondition that could not be looked at proves nothing later; that is no reason not to act. */
function unseen(thrown: unknown, { signal }: CallContext): undefined {
  if (signal.aborted) throw thrown;
}

function postconditionOf(operation: Operation): Postcondition | undefined {
  return 'postcondition' in operation ? operation.postcondition : undefined;
}

function tabAddress(sessionId: SessionId, { session, tab }: Admitted) {
  if (tab === null) return null;
  return { sessionId, profileKey: ProfileKey.parse(session.profileKey), upstreamTabId: tab.upstreamTabId };
}

function contextOf(
  house: House,
  operation: Operation,
  { session }: Admitted,
  options: StepOptions & { readonly beat: Heartbeat },
): CallContext {
  const budget = operation.type === 'navigate' ? operation.budget : undefined;
  const entries: AllowlistEntries = narrowed(session.allowlist, budget?.allowlist);
  return {
    signal: AbortSignal.any([options.signal, options.beat.signal]),
    deadline: options.deadline,
    allowlist: parseAllowlist(entries),
    maxBytes: budget?.maxBytes ?? options.maxBytes ?? defaultMaxBytes,
    resolveSecret: learningResolver(house, options.siteSecrets),
  };
}

function timeoutOf(operation: Operation, options: OperateOptions): number {
  if (operation.type === 'capture') return options.timeoutMs ?? operation.waitMs + captureTimeoutMs;
  const budget = operation.type === 'navigate' ? operation.budget?.timeoutMs : undefined;
  return budget ?? options.timeoutMs ?? defaultTimeoutMs;
}

/** The operation with its free text as it may stand in rows and events. */
function storable(house: House, operation: Operation): Operation {
  if (operation.type !== 'close_session') return operation;
  return { ...operation, reason: house.redactor.text(operation.reason).text.slice(0, 200) };
}

function parseOperation(input: OperationInput): Operation {
  const read = Operation.safeParse(input);
  if (read.success) return read.data;
  const wrong = read.error.issues.map(({ path, message }) => `${path.join('.') || 'operation'}: ${message}`).join('; ');
  throw new BrowserError('invalid_request', `the operation is malformed: ${wrong}`, { cause: read.error });
}
