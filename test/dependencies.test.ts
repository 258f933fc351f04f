import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = fileURLToPath(new URL('..', import.meta.url));
const Versions = z.record(z.string(), z.string()).default({});
const Manifest = z.object({
  name: z.string(),
  dependencies: Versions,
  devDependencies: Versions,
  optionalDependencies: Versions,
  engines: z.object({ node: z.string().optional() }).optional().catch(undefined),
});
const manifestIn = (folder: string) => Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));

const rooms = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
/** What runs where Wheelhouse runs; the testkit is for tests and the demo. */
const production = rooms.filter((folder) => !folder.endsWith('testkit'));

test('an install next year gets the versions that were tested', () => {
  const loose = [root, ...rooms].flatMap((folder) => {
    const { name, dependencies, devDependencies, optionalDependencies } = manifestIn(folder);
    return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(([, version]) => !/^(workspace:\*|(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?)$/.test(version))
      .map(([dependency, version]) => `${name}: ${dependency} ${version}`);
  });
  expect(loose).toEqual([]);
});

test('everything that runs in production says that it runs on Node 20.19', () => {
  const refusing = new Map<string, string>();
  const seen = new Set<string>();
  const visit = (folder: string) => {
    if (seen.has(folder)) return;
    seen.add(folder);
    const { name, engines, dependencies } = manifestIn(folder);
    if (engines?.node !== undefined && !accepts(engines.node)) refusing.set(name, engines.node);
    for (const dependency of Object.keys(dependencies)) {
      const found = locate(dependency, folder);
      if (found !== undefined) visit(found);
    }
  };
  production.forEach(visit);
  expect(seen.size).toBeGreaterThan(production.length);
  expect(Object.fromEntries(refusing)).toEqual({});
});

test.each([
  ['>=18', true],
  ['^18.0.0 || >=20.0.0', true],
  ['>= 20.19 <25', true],
  ['^20.17.0 || >=22.9.0', true],
  ['>=22', false],
  ['^22 || ^24', false],
  ['>=20.20.0', false],
  ['<20', false],
])('engines "%s" are read as a package manager reads them', (range, expected) => {
  expect(accepts(range)).toBe(expected);
});

/** Where Node would find a package; `undefined` for an optional one that is not installed. */
function locate(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (folder === dirname(folder)) return undefined;
  }
}

/** Whether a range of `engines` holds 20.19.0, the oldest Node that we promise. Knows the comparators in use. */
function accepts(range: string): boolean {
  const ours = 20_019_000;
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/(>=|<=|>|<|\^|~)?\s*v?(\d+|\*|x)(?:\.(\d+))?(?:\.(\d+))?/g)].every(
      ([, comparator, major = '*', minor = '0', patch = '0']) => {
        if (/[*x]/.test(major)) return true;
        const bound = Number(major) * 1_000_000 + Number(minor) * 1_000 + Number(patch);
        if (comparator === '>=') return ours >= bound;
        if (comparator === '>') return ours > bound;
        if (comparator === '<') return ours < bound;
        if (comparator === '<=') return ours <= bound;
        return Math.floor(ours / 1_000_000) === Number(major) && ours >= bound;
      },
    ),
  );
}
