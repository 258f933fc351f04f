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
export async function captureEvidence(folder: string, hand: Hand, name: string): Promise<readonly string[]> {
  const files: string[] = [];
  const write = async (file: string, take: () => Promise<string | Uint8Array>) => {
    try {
      await writeFile(join(folder, file), await take(), { mode: 0o600 });
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
  await writeFile(join(folder, file), `${JSON.stringify(redactor.json(value), null, 2)}\n`, { mode: 0o600 });
  return file;
}
