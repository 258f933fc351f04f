import { createInterface } from 'node:readline';
import { BrowserError } from '@wheelhouse/contracts';
import type { z } from 'zod';

/**
 * Reads stdin as lines of JSON of one shape, and writes one line of JSON for each.
 *
 * @throws BrowserError `invalid_request` naming the first line that is not of this shape; earlier ones were answered
 */
export async function answerLines<S extends z.ZodType>(shape: S, answer: (line: z.infer<S>) => unknown): Promise<void> {
  let number = 0;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    number += 1;
    if (line.trim() === '') continue;
    const read = shape.safeParse(jsonOf(line));
    if (!read.success) {
      const [issue] = read.error.issues;
      const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
      throw new BrowserError('invalid_request', `line ${number} of the input is not as expected${where}`);
    }
    process.stdout.write(`${JSON.stringify(answer(read.data))}\n`);
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
