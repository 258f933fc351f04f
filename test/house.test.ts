import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as contractsPackage from '@wheelhouse/contracts';
import { contracts, effectOf, errorCodes, Operation } from '@wheelhouse/contracts';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = new URL('..', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const present = (path: string) => existsSync(new URL(path, root));
const folders = (path: string) =>
  readdirSync(new URL(path, root), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));

/** Every TypeScript file below the given folders, as a path from the root. */
function sources(...under: readonly string[]): readonly string[] {
  return under.flatMap((folder) =>
    readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sources(path);
      return /\.(ts|mjs)$/.test(entry.name) ? [path] : [];
    }),
  );
}
const rooms = folders('packages/');
const everything = sources('packages', 'scripts', 'demo', 'bench', 'test');

test('whoever meets an error code finds its heading in the reference, and none of a code that is gone', () => {
  const documented = [...read('docs/reference/errors.md').matchAll(/^## `(\w+)`$/gm)].map(([, code]) => code);
  expect(new Set(documented)).toEqual(new Set(Object.keys(errorCodes)));
  expect(documented.length).toBe(Object.keys(errorCodes).length);
});

test('no adapter kind is shipped that never passed the conformance suite', () => {
  const kinds = folders('packages/adapters/src/').filter((name) => name !== 'policy');
  const tested = readdirSync(new URL('packages/adapters/test/', root)).filter((name) => name.includes('.conformance.'));
  expect(kinds.length).toBeGreaterThan(0);
  expect(kinds.filter((kind) => !tested.some((name) => name.startsWith(kind)))).toEqual([]);
});

test('a contract with a name of its own is not left out of the JSON Schema export', () => {
  const listed = new Set<unknown>(Object.values(contracts));
  const left = Object.entries(contractsPackage).flatMap(([name, value]) =>
    value instanceof z.ZodObject && z.globalRegistry.get(value)?.id !== undefined && !listed.has(value) ? [name] : [],
  );
  expect(left).toEqual([]);
});

test('every operation has an effect class, and none of an operation that is gone', () => {
  const types = Operation.options.map((option) => option.shape.type.value);
  expect(Object.keys(effectOf).toSorted()).toEqual(types.toSorted());
});

test('no package stands outside the rules of who may import whom', () => {
  const rules = read('.dependency-cruiser.cjs');
  expect(rooms.filter((room) => !new RegExp(`^  ${room}: \\[`, 'm').test(rules))).toEqual([]);
});

test('every package tells a newcomer what it is', () => {
  expect(rooms.filter((room) => !present(`packages/${room}/README.md`))).toEqual([]);
});

test('documentation does not send its reader to a page that is not there', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'docs/README.md',
    ...readdirSync(new URL('docs/decisions/', root)).map((name) => `docs/decisions/${name}`),
  ];
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].flatMap(([, link = '']) =>
      existsSync(new URL(link, new URL(page, root))) ? [] : [`${page}: ${link}`],
    ),
  );
  expect(broken).toEqual([]);
});

test('the environment is read in few places, so that a setting cannot hide in a rule', () => {
  const allowed =
    /^(scripts|demo|bench|test|packages\/testkit)\/|^packages\/server\/src\/(cli\/|config\.ts)|\/(test|scripts)\//;
  const elsewhere = everything.filter((path) => !allowed.test(path) && read(path).includes('process.env'));
  expect(elsewhere).toEqual([]);
});

test('nothing names a folder of the machine that it was written on', () => {
  const machine = new RegExp(['/work/', '/home/\\w+/', '/tmp/briefs'].map((path) => `(?<![\\w.])${path}`).join('|'));
  const texts = [...everything.filter((path) => path !== 'test/house.test.ts'), 'README.md', 'docs/architecture.md'];
  expect(texts.filter((path) => machine.test(read(path)))).toEqual([]);
});
