import Table from 'cli-table3';
import { measureLayer } from './layer.ts';

/** The goal of a figure: at most this. */
const goals = {
  snapshotOverheadLive: 1.05,
  addedMsMock: 2,
  roundTripsPerOperation: 2,
  jobOverRawScript: 1.1,
} as const;

const json = process.argv.includes('--json');
const figures = await measureLayer((line) => {
  if (!json) process.stderr.write(`${line}\n`);
});
const missed = Object.entries(goals).filter(([name, goal]) => figures[name as keyof typeof goals] > goal);
if (json) {
  process.stdout.write(`${JSON.stringify({ ok: missed.length === 0, ...figures })}\n`);
} else {
  const drawn = new Table({ head: ['figure', 'measured', 'goal'], style: { head: [], border: [] } });
  for (const [name, goal] of Object.entries(goals))
    drawn.push([name, String(figures[name as keyof typeof goals]), `≤ ${goal}`]);
  process.stdout.write(`${drawn.toString()}\n`);
}
