import { Command, CommanderError } from '@commander-js/extra-typings';
import { allowCommand } from './allow.ts';
import { artifactsCommand } from './artifacts.ts';
import { definitionsCommand } from './definitions.ts';
import { doctorCommand } from './doctor.ts';
import { grabCommand } from './grab.ts';
import { migrateCommand } from './migrate.ts';
import { exitCodes, reportFailure } from './output.ts';
import { providersCommand } from './providers.ts';
import { redactCommand } from './redact.ts';
import { supportBundleCommand } from './support-bundle.ts';
import { troubleshootCommand } from './troubleshoot.ts';

/**
 * The command line. Each command does one call into the runtime and writes what comes back.
 *
 * Exit codes: 0 ok, 1 a problem was found, 2 usage, 3 environment.
 */
async function main(args: readonly string[]): Promise<number> {
  const program = new Command('wheelhouse')
    .description('The browser layer: why does this site not work, and who drives which browser session.')
    .version('0.1.0')
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for all options)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 ok, 1 a site problem was found, 2 usage, 3 environment.\nConfiguration: wheelhouse.yml here or --config FILE; see docs/reference/configuration.md.',
    );
  let exitCode: number = exitCodes.ok;
  const done = (code: number) => {
    exitCode = code;
  };
  for (const command of [
    troubleshootCommand,
    grabCommand,
    artifactsCommand,
    doctorCommand,
    providersCommand,
    definitionsCommand,
    redactCommand,
    allowCommand,
    supportBundleCommand,
    migrateCommand,
  ]) {
    program.addCommand(command(done).exitOverride());
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return reportFailure(thrown, args.includes('--json'));
  }
}

process.exitCode = await main(process.argv.slice(2));
