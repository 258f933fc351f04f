import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readAllEvents } from '@wheelhouse/db';
import { statement } from '../chaos/statement.ts';
import type { Search } from './search.ts';
import type { World } from './world.ts';

/** Reads everything that the run left anywhere. */
export async function lookEverywhere(world: World, search: Search): Promise<void> {
  await dumpDatabase(world, search);
  for (const event of await readAllEvents(world.db, { limit: 100_000 })) {
    search.look('events', event.type, JSON.stringify(event));
  }
  const home = join(world.folder, 'home');
  lookAtFiles(search, 'evidence', join(home, 'evidence'));
  lookAtFiles(search, 'blob store', join(home, 'files'));
  search.look('log', 'app.log', readFileSync(world.logFile));
  search.look('postgres log', 'postgres.log', readFileSync(join(world.folder, 'postgres.log')));
  lookAtFiles(search, 'postgres files', join(world.folder, 'postgres'));
  lookAtProcesses(search);
}

/** Every value of every column of every table: as text, what JSON holds in it, and bytes as they are. */
async function dumpDatabase({ db }: World, search: Search): Promise<void> {
  const tables = await statement<{ schema: string; name: string }>(
    db,
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  for (const { schema, name } of tables) {
    for (const row of await statement<Record<string, unknown>>(db, `select * from "${schema}"."${name}"`)) {
      for (const [column, value] of Object.entries(row)) {
        for (const part of partsOf(value)) search.look('database', `${name}.${column}`, part);
      }
    }
  }
}

function partsOf(value: unknown): readonly (string | Uint8Array)[] {
  if (value instanceof Uint8Array) return [value];
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [JSON.stringify(value)];
  return [JSON.stringify(value), ...Object.entries(value).flatMap(([key, field]) => [key, ...partsOf(field)])];
}

function lookAtFiles(search: Search, sink: string, folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []) {
    const path = join(folder, name);
    search.look(sink, name, name);
    if (statSync(path).isFile()) search.look(sink, name, readFileSync(path));
  }
}

/** Arguments and titles of all processes, where the system shows them. */
function lookAtProcesses(search: Search): void {
  for (const pid of existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []) {
    try {
      search.look('process titles', pid, readFileSync(`/proc/${pid}/cmdline`));
    } catch {
      // It ended meanwhile.
    }
  }
}
