import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Redactor } from '@wheelhouse/runtime';
import { allowCommand } from './allow.ts';
import { artifactsCommand } from './artifacts.ts';
import { definitionsCommand } from './definitions.ts';
import { doctorCommand } from './doctor.ts';
import { grabCommand } from './grab.ts';
import { migrateCommand } from './migrate.ts';
import { exitCodes, parserOutput, reportFailure } from './output.ts';
import { providersCommand } from './providers.ts';
import { redactCommand } from './redact.ts';
import { supportBundleCommand } from './support-bundle.ts';
import { troubleshootCommand } from './troubleshoot.ts';
import { createLogger } from '../telemetry.ts';

/**
 * The command line. Each command does one call into the runtime and writes what comes back.
 *
 * All that it writes passes `redactor`. Resolves with the exit code: 0 ok, 1 a problem was found, 2 usage,
 * 3 environment.
 */
export async function runCommandLine(args: readonly string[], redactor: Redactor): Promise<number> {
  const program = new Command('wheelhouse')
    .description('The browser layer: why does this site not work, and who drives which browser session.')
    .version('0.1.0')
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for all options)')
    .exitOverride()
    .configureOutput(parserOutput(redactor))
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
    program.addCommand(inheriting(program, command(done, redactor)));
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (process.env['WHEELHOUSE_DEBUG']) createLogger({ redactor }).error({ err: thrown }, 'the command failed');
    return reportFailure(thrown, args.includes('--json'), redactor);
  }
}

/** A command and those below it with the settings of the program: where it writes, and that it never ends the process. */
function inheriting<C extends CommandUnknownOpts>(from: CommandUnknownOpts, command: C): C {
  command.copyInheritedSettings(from);
  for (const below of command.commands) inheriting(from, below);
  return command;
}
