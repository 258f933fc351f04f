import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import { loadDefinition, type SiteDefinition } from './definition.ts';

/**
 * Finds a definition: a path to a file, or the name of a file in one of the folders.
 *
 * @throws BrowserError `site_not_found` with names that look alike, `invalid_definition`
 */
export async function findDefinition(site: string, folders: readonly string[]): Promise<SiteDefinition> {
  if (/[/\\]|\.ya?ml$/i.test(site)) return read(site);
  const known: string[] = [];
  for (const folder of folders) {
    const files = await readdir(folder).catch(() => []);
    const file = files.find((name) => name.replace(/\.ya?ml$/i, '').toLowerCase() === site.toLowerCase());
    if (file !== undefined) return read(join(folder, file));
    known.push(...files.filter((name) => /\.ya?ml$/i.test(name)).map((name) => name.replace(/\.ya?ml$/i, '')));
  }
  const alike = known.filter((name) => distance(name.toLowerCase(), site.toLowerCase()) <= 2).slice(0, 3);
  const hint =
    alike.length > 0
      ? `; did you mean ${alike.join(', ')}?`
      : folders.length === 0
        ? '; no definition folders are configured'
        : '';
  throw new BrowserError('site_not_found', `there is no definition called ${site}${hint}`);
}

async function read(path: string): Promise<SiteDefinition> {
  const source = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new BrowserError('site_not_found', `the definition file ${path} cannot be read`, { cause });
  });
  return loadDefinition(source, path);
}

/** Levenshtein distance: how many letters differ. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      current[j] = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + same);
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
