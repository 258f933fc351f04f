import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import type { Redactor } from '@wheelhouse/adapters';
import type { Hand } from './visit.ts';

/** A folder for the evidence of one job, readable by its owner only. */
export async function openEvidence(home: string, siteId: string, jobId: string): Promise<string> {
  const folder = join(home, 'evidence', `${siteId}-${jobId}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Writes a redacted snapshot and a screenshot of the present page. What cannot be taken is left out: evidence never
 * makes a job fail.
 */
export async function captureEvidence(
  folder: string,
  { hand, redactor }: { readonly hand: Hand; readonly redactor: Redactor },
  name: string,
): Promise<readonly string[]> {
  const files: string[] = [];
  const write = async (file: string, take: () => Promise<string | Uint8Array>) => {
    try {
      const taken = await take();
      // Redacted already; secrets that were learned since then go, too.
      await writeEvidence(folder, file, typeof taken === 'string' ? redactor.text(taken, 'a11y').text : taken);
      files.push(file);
    } catch (error) {
      if (!BrowserError.is(error)) throw error;
    }
  };
  await write(`${name}.snapshot.txt`, async () => {
    const { value } = await hand.operate('snapshot', {});
    return `${value.url}\n\n${value.text}\n`;
  });
  await write(`${name}.png`, async () => (await hand.operate('screenshot', {})).value.bytes);
  return files;
}

/** Writes a value as JSON, redacted once more on its way out. */
export async function writeJson(folder: string, file: string, value: unknown, redactor: Redactor): Promise<string> {
  await writeEvidence(folder, file, `${JSON.stringify(redactor.json(value), null, 2)}\n`);
  return file;
}

/** The one place that writes evidence: for its owner only. */
async function writeEvidence(folder: string, file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(join(folder, file), content, { mode: 0o600 });
}
