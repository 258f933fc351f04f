import { setTimeout as sleep } from 'node:timers/promises';
import { openArena } from './arena.ts';
import { check, type Verdict } from './checker.ts';
import { type CycleReport, operationIdOf, runCycle } from './cycle.ts';
import { planOf, type Strike } from './plan.ts';
import type { BrokenPart } from './protocol.ts';

/** What is run. */
export interface ChaosOptions {
  readonly cycles: number;
  readonly seed: number;
  readonly broken?: BrokenPart | null;
  /** Strikes of one kind only. */
  readonly only?: Strike['kind'] | undefined;
  /** Sessions side by side. Default 12. */
  readonly lanes?: number;
  /** Worker processes. Default 3. */
  readonly workers?: number;
  /** Default 2,000. */
  readonly lockTtlMs?: number;
  readonly say?: (line: string) => void;
}

/** What was found. */
export interface ChaosReport extends Omit<Verdict, 'findings'> {
  readonly ok: boolean;
  readonly seed: number;
  readonly cycles: number;
  readonly stuckSessions: number;
  /** Cycles by what struck them. */
  readonly strikes: Readonly<Record<string, number>>;
  /** Longest time from the last fault to a new operation that ran, milliseconds. */
  readonly slowestReturnMs: number;
  readonly durationMs: number;
  readonly findings: readonly string[];
}

/** How long late effects may still arrive when all is over, milliseconds. */
const quietMs = 2_500;

/** Runs all cycles of a plan and checks what they left behind. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const began = performance.now();
  const { cycles, seed, say = () => undefined, broken = null } = options;
  const lanes = Math.min(options.lanes ?? 12, cycles);
  const arena = await openArena({
    lanes,
    workers: options.workers ?? 3,
    lockTtlMs: options.lockTtlMs ?? 2_000,
    broken,
  });
  await using _ = arena;
  say(`everything runs after ${Math.round(performance.now() - began)} ms`);
  const plan = planOf(seed, cycles, options.only);
  const reports: CycleReport[] = [];
  let next = 0;
  await Promise.all(
    arena.lanes.map(async (lane) => {
      for (let cycle = plan[next++]; cycle !== undefined; cycle = plan[next++]) {
        reports.push(await runCycle(arena, lane, cycle));
        if (reports.length % 100 === 0) say(`${reports.length} of ${cycles}`);
      }
    }),
  );
  await sleep(quietMs);
  const verdict = await check({
    db: arena.database.db,
    operationIds: plan.map(({ number }) => operationIdOf(number)),
    presses: await arena.presses(),
    answers: reports.flatMap(({ answers }) => answers),
    notes: arena.notes,
  });
  for (const report of reports) {
    const suspicious = report.stuck || verdict.findings.some((line) => line.endsWith(report.operationId));
    if (suspicious) say(JSON.stringify({ ...report, strike: plan[report.number]?.strike }));
  }
  const { findings, unknown, resolved, ...counts } = verdict;
  const stuckSessions = reports.filter(({ stuck }) => stuck).length;
  const ok = stuckSessions === 0 && Object.values(counts).every((count) => count === 0);
  const strikes: Record<string, number> = {};
  for (const { strike } of plan) strikes[strike.kind] = (strikes[strike.kind] ?? 0) + 1;
  const slowestReturnMs = Math.round(Math.max(0, ...reports.map(({ backAfterMs }) => backAfterMs)));
  const durationMs = Math.round(performance.now() - began);
  return {
    ok,
    seed,
    cycles,
    ...counts,
    stuckSessions,
    unknown,
    resolved,
    strikes,
    slowestReturnMs,
    durationMs,
    findings,
  };
}
