import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from '@commander-js/extra-typings';
import { scrub, scrubStream, type Redactor } from '@wheelhouse/runtime';
import { z } from 'zod';
import { answerLines } from './jsonl.ts';
import { exitCodes } from './output.ts';

const Line = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  /** Unknown surfaces are read as plain text. */
  surface: z
    .enum(['url', 'a11y', 'log', 'json', 'header', 'html', 'error', 'magnet', 'text'])
    .optional()
    .catch(undefined),
  input: z.string(),
});

/** `wheelhouse redact`: takes secrets out of a log before it is posted. Reads stdin, writes stdout, needs no database. */
export function redactCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('redact')
    .description('take passwords, passkeys, cookies and tokens out of a text: wheelhouse redact < log > safe.log')
    .option('--jsonl', 'lines of {id,surface,input} become lines of {id,output,rules}')
    .action(async (options) => {
      process.stdin.setEncoding('utf8');
      if (options.jsonl === true) {
        await answerLines(Line, ({ id, surface, input }) => {
          const { text, rules } = scrub(redactor, input, surface);
          return { id, output: text, rules };
        });
      } else {
        const safe = Readable.from(scrubStream(redactor, process.stdin as AsyncIterable<string>));
        await pipeline(safe, process.stdout, { end: false });
      }
      done(exitCodes.ok);
    });
}
