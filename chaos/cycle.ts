import { setTimeout as sleep } from 'node:timers/promises';
import { ElementRef, OperationId, type OperationInput, type Snapshot, type TabId } from '@wheelhouse/contracts';
import { grantLease, handBackLease, resumeAutomation } from '@wheelhouse/db';
import type { Fault, FaultMatch } from '@wheelhouse/testkit';
import type { Failpoint } from '../packages/runtime/src/pipeline/house.ts';
import type { Arena, Lane, Seat } from './arena.ts';
import { CallFailed, ChildDied } from './child.ts';
import type { Cycle, Strike, UpstreamCall } from './plan.ts';

/** What a worker said of one attempt at the click. */
export interface Answer {
  readonly operationId: string;
  readonly said: 'applied' | 'failed' | 'died';
  readonly code: string | null;
  /** What the answer claims to know of the effect; `null` when it claims nothing. */
  readonly outcome: string | null;
}

/** What one cycle left behind, besides the rows. */
export interface CycleReport {
  readonly number: number;
  readonly operationId: string;
  readonly answers: readonly Answer[];
  /** Milliseconds from the last fault to the first new operation that ran. */
  readonly backAfterMs: number;
  /** Whether that took longer than two lives of a lock. */
  readonly stuck: boolean;
}

/** The id of the operation, and of the press that it is meant to make. */
export const operationIdOf = (cycle: number) => `cycle-${cycle}`;

const callTimeoutMs = 8_000;

/** Makes one intended click under fire, lets another process recover, and asks for its end. */
export async function runCycle(arena: Arena, lane: Lane, cycle: Cycle): Promise<CycleReport> {
  const operationId = operationIdOf(cycle.number);
  const url = `${arena.siteOrigin}/lab/choice?id=${operationId}`;
  const ready = await newOperation(arena, lane, { name: `${operationId}/prepare`, url });
  const answers: Answer[] = [];
  if (ready.page !== null) {
    const click = { ...ready.page, operationId };
    await attempts(arena, lane, cycle, { click, answers });
  }
  await arena.upstream({ do: 'clear', lane: lane.number });
  await recovered(arena, lane, cycle.second);
  // The next operation of whoever comes: that it can run is what "not stuck" means.
  const back = await newOperation(arena, lane, { name: `${operationId}/after`, url: `${arena.siteOrigin}/lab` });
  return { number: cycle.number, operationId, answers, backAfterMs: back.tookMs, stuck: ready.stuck || back.stuck };
}

interface Click {
  readonly tabId: TabId;
  readonly documentToken: string;
  readonly ref: string;
  readonly operationId: string;
}

interface Aim {
  readonly click: Click;
  readonly answers: Answer[];
}

async function attempts(arena: Arena, lane: Lane, cycle: Cycle, { click, answers }: Aim): Promise<void> {
  const first = await arena.worker(cycle.first);
  const second = await arena.worker(cycle.second, first);
  const { strike } = cycle;
  const send = (seat: Seat, holdAt?: Failpoint) => attempt(arena, lane, seat, { click, holdAt });
  if (strike.kind === 'race') {
    answers.push(...(await Promise.all([send(first), send(second)])));
  } else {
    if (strike.kind === 'upstream') await arena.upstream({ do: 'fault', lane: lane.number, fault: faultOf(strike) });
    const holdAt = 'at' in strike ? strike.at : undefined;
    const reached = arena.held(click.operationId);
    const answered = send(first, holdAt);
    const held = await Promise.race([reached.then(() => true), answered.then(() => false)]);
    if (held) await act(arena, lane, { cycle, first, second, click, answered });
    answers.push(await answered);
  }
  if (cycle.again || answers.every(({ said }) => said !== 'applied')) answers.push(await send(second));
}

interface Scene {
  readonly cycle: Cycle;
  readonly first: Seat;
  readonly second: Seat;
  readonly click: Click;
  readonly answered: Promise<Answer>;
}

/** Does what was planned while the operation stands still, and lets it go on. */
async function act(arena: Arena, lane: Lane, scene: Scene): Promise<void> {
  const { first, second, click, cycle } = scene;
  const { strike } = cycle;
  const go = () => arena.call(first, { do: 'go', operationId: click.operationId }).catch(() => undefined);
  switch (strike.kind) {
    case 'kill':
      arena.kill(first);
      return;
    case 'stop': {
      first.child.signal('SIGSTOP');
      first.disturbedAt = performance.now();
      await sleep(arena.lockTtlMs * 1.1);
      // The other worker may be stopped by another cycle, which waits for this one in its turn.
      await Promise.race([elsewhere(arena, lane, scene), sleep(2 * arena.lockTtlMs)]);
      void go();
      first.child.signal('SIGCONT');
      first.disturbedAt = performance.now();
      return;
    }
    case 'backends':
      if (!strike.late) await arena.database.cut(first.name).catch(() => undefined);
      void go();
      if (strike.late) await arena.database.cut(first.name).catch(() => undefined);
      return;
    case 'postgres':
      await arena.database.killServer();
      void go();
      return;
    case 'takeover': {
      const request = { sessionId: lane.sessionId, holder: 'person', reason: 'chaos', ttlMs: 60_000 };
      const lease = await grantLease(arena.database.db, request);
      void go();
      await Promise.race([scene.answered, sleep(300)]);
      if (typeof lease === 'string') return;
      await handBackLease(arena.database.db, { leaseId: lease.id, holder: 'person', note: 'chaos' });
      return;
    }
    case 'browser':
      await arena.upstream({ do: 'kill-browser', lane: lane.number });
      void go();
      return;
    case 'none':
    case 'race':
    case 'upstream':
      void go();
  }
}

/** Somebody else takes the profile and leads the tab to another page, with and without a recovery before. */
async function elsewhere(arena: Arena, lane: Lane, { cycle, second, click }: Scene): Promise<void> {
  if (cycle.again) await arena.call(second, { do: 'recover' }).catch(() => undefined);
  const { tabId, operationId } = click;
  const url = `${arena.siteOrigin}/lab/choice?id=${operationId}-elsewhere`;
  const input = operation({ type: 'navigate', tabId, url, operationId: `${operationId}/elsewhere` });
  const command = { do: 'operate', sessionId: lane.sessionId, input, timeoutMs: callTimeoutMs } as const;
  await arena.call(second, command).catch(() => undefined);
}

async function attempt(
  arena: Arena,
  lane: Lane,
  seat: Seat,
  { click, holdAt }: { readonly click: Click; readonly holdAt?: Failpoint | undefined },
): Promise<Answer> {
  const { operationId } = click;
  // After the press the site shows its page, which a resolver may look for.
  const postcondition = { kind: 'address_is', url: `${arena.siteOrigin}/act/${operationId}` } as const;
  const input = operation({ type: 'click', ...click, postcondition });
  try {
    const command = { do: 'operate', sessionId: lane.sessionId, input, timeoutMs: callTimeoutMs, holdAt } as const;
    const result = (await arena.call(seat, command)) as { readonly outcome: string };
    return { operationId, said: 'applied', code: null, outcome: result.outcome };
  } catch (thrown) {
    if (thrown instanceof ChildDied) return { operationId, said: 'died', code: null, outcome: null };
    if (!(thrown instanceof CallFailed)) throw thrown;
    return { operationId, said: 'failed', code: thrown.failure.code, outcome: thrown.failure.outcome ?? null };
  }
}

function operation(input: object): OperationInput {
  return input as OperationInput;
}

const matches: Readonly<Record<UpstreamCall, FaultMatch>> = {
  snapshot: { method: 'GET', path: /\/snapshot$/ },
  hover: { method: 'POST', path: '/act', kind: 'hover' },
  tabs: { method: 'GET', path: '/tabs' },
  click: { method: 'POST', path: '/act', kind: 'click' },
};

function faultOf({ call, fault, ms }: Extract<Strike, { kind: 'upstream' }>): Fault {
  return { match: matches[call], kind: fault, ...(ms === undefined ? {} : { ms }) };
}

/** Recovery by processes that had nothing to do with it, until no operation of this session is open. */
async function recovered(arena: Arena, lane: Lane, choice: number): Promise<void> {
  const until = performance.now() + 4 * arena.lockTtlMs;
  while (performance.now() < until) {
    const seat = await arena.worker(choice);
    await arena.call(seat, { do: 'recover' }).catch(() => undefined);
    await arena.call(seat, { do: 'resolve', sessionId: lane.sessionId }).catch(() => undefined);
    const open = await arena.database.db
      .selectFrom('browser_operation')
      .select('operation_id')
      .where('session_id', '=', lane.sessionId)
      .where('outcome', 'is', null)
      .execute()
      .catch(() => [{ operation_id: 'unread' }]);
    if (open.length === 0) return;
    await sleep(100);
  }
}

interface Ran {
  /** The button to press, as the newest snapshot has it; `null` when no operation ran at all. */
  readonly page: Omit<Click, 'operationId'> | null;
  readonly tookMs: number;
  readonly stuck: boolean;
}

/**
 * Loads a page and looks at it, by whichever worker is there. Counts the time from the first try, or from the last
 * disturbance that came from outside, until it worked.
 */
async function newOperation(
  arena: Arena,
  lane: Lane,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<Ran> {
  const limitMs = 2 * arena.lockTtlMs;
  let from = performance.now();
  const giveUpAt = from + 20 * limitMs;
  let stuck = false;
  for (let round = 0; performance.now() < giveUpAt; round += 1) {
    const seat = await arena.worker(lane.number + round);
    const began = performance.now();
    const run = (input: object) =>
      arena.call(seat, { do: 'operate', sessionId: lane.sessionId, input: operation(input), timeoutMs: callTimeoutMs });
    try {
      if (lane.tabId === null) {
        const opened = (await run({ type: 'open_tab', operationId: `${name}/tab-${round}` })) as Opened;
        lane.tabId = opened.value.tabId;
      }
      await run({ type: 'navigate', tabId: lane.tabId, url, operationId: OperationId.parse(`${name}/load-${round}`) });
      const look = (await run({ type: 'snapshot', tabId: lane.tabId })) as { readonly value: Snapshot };
      const button = look.value.elements.find((element) => element.name === 'Press');
      const page = {
        tabId: lane.tabId,
        documentToken: look.value.documentToken,
        ref: ElementRef.parse(button?.ref ?? 'e1'),
      };
      return { page, tookMs: performance.now() - from, stuck };
    } catch (thrown) {
      const disturbed = Math.max(seat.disturbedAt, arena.database.restartedAt());
      if (thrown instanceof ChildDied || disturbed > began) from = Math.max(from, performance.now());
      // Slowness is no fault: stuck is what is still refused when it is tried after that time.
      else if (began - from > limitMs) stuck = true;
      await afterFailure(arena, lane, thrown);
    }
  }
  return { page: null, tookMs: performance.now() - from, stuck: true };
}

interface Opened {
  readonly value: { readonly tabId: TabId };
}

const gone = new Set(['tab_lost', 'tab_not_found', 'browser_dead', 'capacity']);

async function afterFailure(arena: Arena, lane: Lane, thrown: unknown): Promise<void> {
  if (thrown instanceof CallFailed) {
    const { code } = thrown.failure;
    if (gone.has(code)) lane.tabId = null;
    if (code === 'waiting_for_human') await resumeAutomation(arena.database.db, lane.sessionId, 'chaos');
  }
  await sleep(20);
}
