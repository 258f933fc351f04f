import { BrowserError } from '@wheelhouse/contracts';
import { type Kysely, type Migration, Migrator } from 'kysely';
import { migrations } from '../migrations/index.ts';
import type { DB } from './tables.ts';

/** What a migration run did. */
export interface Migrated {
  /** Names of the migrations that this call applied; empty when another starter was faster or nothing was due. */
  readonly applied: readonly string[];
  /** Name of the newest migration of this program. */
  readonly version: string;
}

const newest = Object.keys(migrations).at(-1) ?? 'none';

function migratorOf(db: Kysely<DB>): Migrator {
  const all: Record<string, Migration> = { ...migrations };
  return new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(all) },
    migrationTableName: 'browser_migration',
    migrationLockTableName: 'browser_migration_lock',
  });
}

/**
 * Brings the database to the newest migration of this program. Any number of starters may call it at once: one
 * applies, the others wait and find nothing to do.
 *
 * @throws BrowserError `database_outdated` when the database is newer than this program, `internal` when one failed
 *   (all of this call are rolled back then)
 */
export async function migrateToLatest(db: Kysely<DB>): Promise<Migrated> {
  const { error, results = [] } = await migratorOf(db).migrateToLatest();
  if (error !== undefined) {
    if (BrowserError.is(error)) throw error;
    const failed = results.find(({ status }) => status === 'Error')?.migrationName;
    if (failed === undefined && /missing|corrupted/i.test(error instanceof Error ? error.message : '')) {
      throw new BrowserError('database_outdated', 'the database is newer than this program; update Wheelhouse', {
        cause: error,
      });
    }
    throw new BrowserError('internal', `the migration ${failed ?? 'run'} failed`, { cause: error });
  }
  return {
    applied: results.filter(({ status }) => status === 'Success').map((done) => done.migrationName),
    version: newest,
  };
}

/** Names of the migrations that are due. */
export async function pendingMigrations(db: Kysely<DB>): Promise<readonly string[]> {
  const all = await migratorOf(db).getMigrations();
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}
