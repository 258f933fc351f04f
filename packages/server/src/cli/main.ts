import { createRedactor } from '@wheelhouse/runtime';
import { runCommandLine } from './program.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), createRedactor());
