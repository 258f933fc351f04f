import type { Database } from '@wheelhouse/db';
import type { Note } from './arena.ts';
import type { Answer } from './cycle.ts';
import { statement } from './statement.ts';

/** What is counted; all but `unknown` and `resolved` must be 0. */
export interface Verdict {
  /** Operations whose press arrived more than once. */
  readonly doubleEffects: number;
  /** Presses of something that nobody asked for. */
  readonly wrongElement: number;
  /** Places in the history where a profile had two holders at a time. */
  readonly leaseOverlaps: number;
  /** Said not to have been applied, by the ledger or by an answer, and pressed all the same. */
  readonly falseNotApplied: number;
  /** Said to have been applied, and never pressed. */
  readonly falseApplied: number;
  /** Unknown in the end. */
  readonly unknown: number;
  /** Unknown once, and settled by evidence. */
  readonly resolved: number;
  /** One line for each thing that is wrong, at most 20. */
  readonly findings: readonly string[];
}

/** Everything that is looked at: what the site counted, what workers said and noted, and the rows. */
export interface Evidence {
  readonly db: Database['kysely'];
  readonly operationIds: readonly string[];
  readonly presses: Readonly<Record<string, number>>;
  readonly answers: readonly Answer[];
  readonly notes: readonly Note[];
}

interface Row {
  readonly sessionId: string;
  readonly operationId: string;
  readonly lockFence: number;
  readonly outcome: string | null;
  readonly evidence: unknown;
}

/** Compares what is claimed with what happened. Shares no code with what it checks. */
export async function check(evidence: Evidence): Promise<Verdict> {
  const rows = await statement<Row>(
    evidence.db,
    `select session_id as "sessionId", operation_id as "operationId", lock_fence as "lockFence", outcome, evidence
     from browser_operation`,
  );
  const findings: string[] = [];
  const count = (name: string, found: readonly string[]) => {
    for (const one of found) findings.push(`${name}: ${one}`);
    return found.length;
  };
  const asked = new Set(evidence.operationIds);
  const pressed = (id: string) => evidence.presses[id] ?? 0;
  const ledger = new Map(rows.map((row) => [row.operationId, row]));
  const outcomeOf = (id: string) => ledger.get(id)?.outcome ?? null;
  const applied = (outcome: string | null) => outcome === 'applied' || outcome === 'applied_observation_failed';
  const saying = (test: (outcome: string | null) => boolean) =>
    evidence.operationIds.filter(
      (id) =>
        test(outcomeOf(id)) || evidence.answers.some((answer) => answer.operationId === id && test(answer.outcome)),
    );
  return {
    doubleEffects: count(
      'pressed twice',
      evidence.operationIds.filter((id) => pressed(id) > 1),
    ),
    wrongElement: count(
      'nobody asked for',
      Object.keys(evidence.presses).filter((id) => !asked.has(id)),
    ),
    leaseOverlaps: count('two holders', [
      ...(await overlapsInHistory(evidence.db)),
      ...lateSends(rows, evidence.notes),
    ]),
    falseNotApplied: count('pressed, and said not to be', [
      ...saying((outcome) => outcome === 'not_applied').filter((id) => pressed(id) > 0),
      ...evidence.operationIds.filter((id) => !ledger.has(id) && pressed(id) > 0),
    ]),
    falseApplied: count(
      'said to be pressed',
      saying(applied).filter((id) => pressed(id) === 0),
    ),
    unknown: evidence.operationIds.filter((id) => outcomeOf(id) === 'unknown').length,
    resolved: rows.filter((row) => asked.has(row.operationId) && applied(row.outcome) && wasResolved(row)).length,
    findings: findings.slice(0, 20),
  };
}

function wasResolved({ evidence }: Row): boolean {
  return typeof evidence === 'object' && evidence !== null && 'lookedAt' in evidence;
}

/**
 * By the history: whoever begins while another operation of the session is open has taken its lock, so the other one
 * may neither dispatch nor settle any more. Only a recovery may settle it, which says so (`fence_lost`).
 */
async function overlapsInHistory(db: Database['kysely']): Promise<readonly string[]> {
  const rows = await statement<{ session: string; type: string; id: string; code: string | null }>(
    db,
    `select session_id as session, type, data->>'operationId' as id, data->>'errorCode' as code
     from browser_event where type like 'operation.%' order by session_id, browser_event.id`,
  );
  const found: string[] = [];
  const states = new Map<string, 'open' | 'lost' | 'settled'>();
  for (const { session, type, id, code } of rows) {
    const key = `${session} ${id}`;
    const state = states.get(key);
    if (type === 'operation.settled') {
      if (state === 'settled' || (state === 'lost' && code !== 'fence_lost'))
        found.push(`${id} settled after its lock`);
      states.set(key, 'settled');
      continue;
    }
    if (type !== 'operation.reserved' && type !== 'operation.dispatched') continue;
    if (state === undefined) {
      for (const [other, was] of states) if (other.startsWith(session) && was === 'open') states.set(other, 'lost');
      states.set(key, 'open');
    } else if (state !== 'open') found.push(`${id} dispatched after its lock`);
  }
  return found;
}

/** By the clocks of the workers: a click that left after somebody with a later fence had begun. */
function lateSends(rows: readonly Row[], notes: readonly Note[]): readonly string[] {
  const rowOf = new Map(rows.map((row) => [row.operationId, row]));
  const begun = notes.flatMap((note) => {
    const row = rowOf.get(note.operationId);
    return note.what === 'begun' && row !== undefined ? [{ ...row, ns: note.ns }] : [];
  });
  return notes.flatMap((note) => {
    const row = rowOf.get(note.operationId);
    if (note.what !== 'sent' || row === undefined) return [];
    const later = begun.find(
      ({ sessionId, lockFence, ns }) => sessionId === row.sessionId && lockFence > row.lockFence && ns < note.ns,
    );
    return later === undefined ? [] : [`${row.operationId} sent while ${later.operationId} ran`];
  });
}
