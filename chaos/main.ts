import { parseArgs } from 'node:util';
import { runLocks } from './locks.ts';
import { runMisclicks } from './misclick.ts';
import { strikeKinds } from './plan.ts';
import { brokenParts } from './protocol.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    locks: { type: 'string' },
    misclick: { type: 'string' },
    break: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string) => void process.stderr.write(values.json ? '' : `${line}\n`);
const seed = Number(values.seed);
const broken = brokenParts.find((part) => part === values.break) ?? null;
say(`seed ${seed}`);
const run = () => {
  if (values.misclick !== undefined) return runMisclicks({ misclicks: Number(values.misclick), seed, broken });
  if (values.locks !== undefined) return runLocks(Number(values.locks), seed);
  return runChaos({
    cycles: Number(values.cycles),
    seed,
    broken,
    only: strikeKinds.find((kind) => kind === values.only),
    say,
  });
};
const report = await run();
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exitCode = report.ok ? 0 : 1;
