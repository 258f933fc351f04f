import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { redactionRules } from '@wheelhouse/adapters';
import { runCanaries } from './run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    live: { type: 'boolean', default: false },
    break: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const broken = values.break ?? null;
if (broken !== null && broken !== 'all' && !redactionRules.some(({ id }) => id === broken)) {
  process.stderr.write(`no rule ${broken}; there are: all, ${redactionRules.map(({ id }) => id).join(', ')}\n`);
  process.exit(2);
}
const seed = values.seed ?? randomUUID();
const say = (line: string) => void process.stderr.write(values.json ? '' : `${line}\n`);
say(`seed ${seed}`);
const report = await runCanaries({ seed, live: values.live, broken, say });
if (!values.json) for (const leak of report.leaks) say(`${leak.canary}, ${leak.encoding}: ${leak.sink}, ${leak.place}`);
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exitCode = report.ok ? 0 : 1;
