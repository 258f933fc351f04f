import { parseArgs } from 'node:util';
import { brokenParts } from './protocol.ts';
import { runChaos } from './run.ts';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    break: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string) => void process.stderr.write(values.json ? '' : `${line}\n`);
const seed = Number(values.seed);
const broken = brokenParts.find((part) => part === values.break) ?? null;
say(`seed ${seed}`);
const report = await runChaos({ cycles: Number(values.cycles), seed, broken, say });
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exitCode = report.ok ? 0 : 1;
