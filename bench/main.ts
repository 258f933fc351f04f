import Table from 'cli-table3';
import { measureLayer } from './layer.ts';
import { measureLockHandover } from './lock-handover.ts';
import { rounded } from './measure.ts';
import { measureOpenSessions } from './open-sessions.ts';
import { measureRedactLinear } from './redact-linear.ts';
import { measureRedactVsOneRegex } from './redact-vs-one-regex.ts';
import { measureRedactVsRuleList } from './redact-vs-rule-list.ts';
import { measureRoundTripsWithLook } from './round-trips-with-look.ts';
import { measureThroughput } from './throughput.ts';

/** The goal of a figure: at most this; `null` where none was set. */
const goals = {
  snapshotOverheadLive: 1.05,
  addedMsMock: 2,
  roundTripsPerOperation: 2,
  jobOverRawScript: 1.1,
  roundTripsWithLook: 3,
  lockHandoverVsNotify: 2,
  costAt500OverAt5: 1.2,
  redactLinear: 11,
  operationsPerSecond: null,
  operationsOverBareTransactions: null,
} as const;
/** The goal of a figure of which more is better: at least this. */
const floors = { redactVsOneRegex: 0.5, redactVsRuleList: 5 } as const;
type FigureName = keyof typeof goals | keyof typeof floors;

const json = process.argv.includes('--json');
const say = (line: string) => {
  if (!json) process.stderr.write(`${line}\n`);
};

async function measureAll(): Promise<Record<FigureName, number>> {
  say('redaction ...');
  const redaction = {
    redactVsOneRegex: rounded(measureRedactVsOneRegex()),
    redactLinear: rounded(measureRedactLinear()),
    redactVsRuleList: rounded(measureRedactVsRuleList()),
  };
  say('round trips of a click ...');
  const roundTripsWithLook = await measureRoundTripsWithLook();
  say('hand-over of a lock ...');
  const lockHandoverVsNotify = await measureLockHandover();
  say('operations a second ...');
  const throughput = await measureThroughput();
  say('500 open sessions ...');
  const costAt500OverAt5 = await measureOpenSessions();
  return {
    ...(await measureLayer(say)),
    roundTripsWithLook,
    lockHandoverVsNotify,
    costAt500OverAt5,
    ...throughput,
    ...redaction,
  };
}

const figures = await measureAll();
const rows = Object.entries(goals).map(([name, goal]) => ({
  name,
  goal,
  measured: figures[name as keyof typeof goals],
}));
const least = Object.entries(floors).map(([name, goal]) => ({
  name,
  goal,
  measured: figures[name as keyof typeof floors],
}));
const missed = [
  ...rows.filter(({ goal, measured }) => goal !== null && measured > goal),
  ...least.filter(({ goal, measured }) => measured < goal),
];
if (json) {
  process.stdout.write(`${JSON.stringify({ ok: missed.length === 0, ...figures })}\n`);
} else {
  const drawn = new Table({ head: ['figure', 'measured', 'goal'], style: { head: [], border: [] } });
  for (const { name, goal, measured } of rows) drawn.push([name, String(measured), goal === null ? '' : `≤ ${goal}`]);
  for (const { name, goal, measured } of least) drawn.push([name, String(measured), `≥ ${goal}`]);
  process.stdout.write(`${drawn.toString()}\n`);
}
