import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const entries = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'src/index.ts'));

const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (path) => ts.sys.readFile(path));
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root, undefined, 'tsconfig.json');
const program = ts.createProgram(entries, options);
const checker = program.getTypeChecker();

/** Every public name of every package, with the declaration behind it. */
const exported = entries.flatMap((entry) => {
  const file = program.getSourceFile(entry);
  const symbol = file && checker.getSymbolAtLocation(file);
  return (symbol ? checker.getExportsOfModule(symbol) : []).map((named) => ({
    where: `${relative(root, entry)}: ${named.name}`,
    name: named.name,
    symbol: named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named,
  }));
});

/** `DB` is written by a generator; the other two say in their names what they are, and wait for their sentence. */
const silentSoFar = new Set(['DB', 'OperationType', 'CheckedStep']);

test('whoever hovers over a public name reads what it promises', () => {
  expect(exported.length).toBeGreaterThan(50);
  const silent = exported.filter(
    ({ name, symbol }) => !silentSoFar.has(name) && symbol.getDocumentationComment(checker).length === 0,
  );
  expect(silent.map(({ where }) => where)).toEqual([]);
});

test('a public name is the same in every file that imports it', () => {
  expect(exported.filter(({ name }) => name === 'default').map(({ where }) => where)).toEqual([]);
});
