import { createReadStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat, copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import type { Shelf, ShelvedBlob } from './shelf.ts';

/** Blobs in a folder of this host: `FOLDER/<ref>`, written whole or not at all. */
export function createLocalShelf(folder: string): Shelf {
  const pathOf = (ref: string) => join(folder, ref);
  return {
    name: `folder ${folder}`,
    put: async (ref, localFile) => {
      const path = pathOf(ref);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await moveFile(localFile, path);
      // Until the folder is written, a power cut forgets the new name.
      for (let up = dirname(path); up.length >= folder.length; up = dirname(up)) await syncPath(up);
    },
    open: async (ref) => {
      const path = pathOf(ref);
      await access(path).catch((cause: unknown) => {
        throw new BrowserError('blob_missing', 'the bytes of this file are not in the blob store', { cause });
      });
      return createReadStream(path);
    },
    has: (ref) =>
      access(pathOf(ref)).then(
        () => true,
        () => false,
      ),
    remove: (ref) => rm(pathOf(ref), { force: true }),
    list: () => listBelow(folder, ''),
  };
}

/** Moves a file; over the border of a file system it is copied under another name first, so that it appears whole. */
async function moveFile(from: string, to: string): Promise<void> {
  try {
    await syncPath(from);
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    const near = `${to}.partial`;
    await copyFile(from, near);
    await syncPath(near);
    await rename(near, to);
  }
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function* listBelow(folder: string, prefix: string): AsyncGenerator<ShelvedBlob, void, undefined> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const ref = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) yield* listBelow(folder, ref);
    else {
      const found = await stat(join(folder, ref)).catch(() => null);
      if (found !== null) yield { ref, sizeBytes: found.size, storedAt: found.mtime };
    }
  }
}
