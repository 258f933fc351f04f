import { Command } from '@commander-js/extra-typings';
import type { Redactor } from '@wheelhouse/runtime';
import { commandContext, withRuntime } from './context.ts';
import { exitCodes } from './output.ts';

/** `wheelhouse migrate`: brings the database to the version of this program. Safe to run from many hosts at once. */
export function migrateCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('migrate')
    .description('create or update the tables; safe to run from many hosts at once')
    .option('--json', 'write the result as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (options) => {
      const context = commandContext(options, redactor);
      await withRuntime(context, async (runtime) => {
        const { applied, version } = runtime.database.migrated;
        context.terminal.result({ ok: true, applied, version }, () =>
          applied.length === 0 ? `the database is up to date (${version})` : `applied: ${applied.join(', ')}`,
        );
      });
      done(exitCodes.ok);
    });
}
