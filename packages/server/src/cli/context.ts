import { createRedactor, createRuntime, type Redactor, type Runtime, type RuntimeLog } from '@wheelhouse/runtime';
import { type Config, loadConfig } from '../config.ts';
import { createLogger } from '../telemetry.ts';
import { createTerminal, type Terminal } from './output.ts';

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean | undefined;
  readonly config?: string | undefined;
}

/** What a command works with. */
export interface CommandContext {
  readonly config: Config;
  readonly terminal: Terminal;
  /** Knows the secrets of this run: terminal, log and runtime share it. */
  readonly redactor: Redactor;
}

/** Configuration and terminal of one run. */
export function commandContext(options: CommonOptions, redactor: Redactor = createRedactor()): CommandContext {
  const config = loadConfig(process.env, { file: options.config, directory: process.cwd() });
  return { config, terminal: createTerminal(options.json === true, redactor), redactor };
}

/** Runs `work` with a runtime over the configured database, and closes it whatever happens. */
export async function withRuntime<T>(
  { config, terminal, redactor }: CommandContext,
  work: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  terminal.progress('opening the database ...');
  await using runtime = await createRuntime({
    database: config.database,
    secrets: { environment: config.environment, credentialsDirectory: config.environment['CREDENTIALS_DIRECTORY'] },
    log: commandLog(config, redactor),
    redactor,
    files: config.files,
  });
  return await work(runtime);
}

/** Log lines of the layer: silent unless `WHEELHOUSE_DEBUG` is set, and then on stderr. */
function commandLog(config: Config, redactor: Redactor): RuntimeLog {
  if (!config.environment['WHEELHOUSE_DEBUG']) return { info: () => undefined, warn: () => undefined };
  return createLogger({ redactor, level: 'debug' });
}
