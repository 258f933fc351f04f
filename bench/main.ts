import Table from 'cli-table3';
import { measureLayer } from './layer.ts';
import { measureLockHandover } from './lock-handover.ts';
import { measureOpenSessions } from './open-sessions.ts';
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
  operationsPerSecond: null,
  operationsOverBareTransactions: null,
} as const;

const json = process.argv.includes('--json');
const say = (line: string) => {
  if (!json) process.stderr.write(`${line}\n`);
};

async function measureAll(): Promise<Record<keyof typeof goals, number>> {
  say('round trips of a click ...');
  const roundTripsWithLook = await measureRoundTripsWithLook();
  say('hand-over of a lock ...');
  const lockHandoverVsNotify = await measureLockHandover();
  say('operations a second ...');
  const throughput = await measureThroughput();
  say('500 open sessions ...');
  const costAt500OverAt5 = await measureOpenSessions();
  return { ...(await measureLayer(say)), roundTripsWithLook, lockHandoverVsNotify, costAt500OverAt5, ...throughput };
}

const figures = await measureAll();
const rows = Object.entries(goals).map(([name, goal]) => ({
  name,
  goal,
  measured: figures[name as keyof typeof goals],
}));
const missed = rows.filter(({ goal, measured }) => goal !== null && measured > goal);
if (json) {
  process.stdout.write(`${JSON.stringify({ ok: missed.length === 0, ...figures })}\n`);
} else {
  const drawn = new Table({ head: ['figure', 'measured', 'goal'], style: { head: [], border: [] } });
  for (const { name, goal, measured } of rows) drawn.push([name, String(measured), goal === null ? '' : `≤ ${goal}`]);
  process.stdout.write(`${drawn.toString()}\n`);
}
