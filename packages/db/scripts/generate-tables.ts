import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrateToLatest, openDatabase, startEmbeddedPostgres } from '../src/index.ts';

const tables = fileURLToPath(new URL('../src/tables.ts', import.meta.url));

/** The table types as the migrations make them, out of a new database. */
export function generatedTables(url: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'wheelhouse-tables-'));
  try {
    const out = join(folder, 'tables.ts');
    const command = join(dirname(createRequire(import.meta.url).resolve('kysely-codegen')), 'cli/bin.js');
    // The address goes by environment: it holds a password.
    execFileSync(
      process.execPath,
      [command, '--dialect=postgres', '--exclude-pattern=browser_migration*', `--out-file=${out}`],
      {
        env: { ...process.env, DATABASE_URL: url },
        stdio: 'pipe',
        cwd: folder,
      },
    );
    // `openDatabase` reads int8 as a number, and fails where one would not fit.
    const read = readFileSync(out, 'utf8')
      .replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
      .replace('Int8 = ColumnType<string,', 'Int8 = ColumnType<number,');
    return `// Generated from the migrations by \`npm run generate\`. Do not edit.\n${read}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes `src/tables.ts` anew. */
export async function writeTables(dataFolder: string): Promise<void> {
  const server = await startEmbeddedPostgres(dataFolder);
  try {
    await using database = openDatabase(server.url);
    await migrateToLatest(database.kysely);
    writeFileSync(tables, generatedTables(server.url));
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    // The formatter leaves generated files alone unless they are named outside of its list.
    const copy = join(dataFolder, '..', 'tables.ts');
    copyFileSync(tables, copy);
    execFileSync(join(root, 'node_modules/.bin/oxfmt'), ['-c', join(root, '.oxfmtrc.json'), copy]);
    copyFileSync(copy, tables);
  } finally {
    await server.leave();
  }
}
