import { migrateToLatest, openDatabase } from '../src/index.ts';

/** One of many processes that start at once on one database: `migration-child.ts`, address in `DATABASE_URL`. */
await using database = openDatabase(process.env['DATABASE_URL'] ?? '');
const { applied, version } = await migrateToLatest(database.kysely);
process.stdout.write(`${JSON.stringify({ applied, version })}\n`);
