import { Command } from '@commander-js/extra-typings';
import { BrowserError } from '@wheelhouse/contracts';
import type { Runtime, Redactor } from '@wheelhouse/runtime';
import { type CommandContext, commandContext, withRuntime } from './context.ts';
import { exitCodes, mark, table } from './output.ts';

/** One thing that was looked at. */
interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do, when it is not ok. */
  readonly fix: string | null;
}

/** `wheelhouse doctor`: looks at everything a job needs, and says what to fix. */
export function doctorCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('doctor')
    .description('look at Node, configuration, database and browser services, and say what to fix')
    .option('--json', 'write the result as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (options) => {
      const findings: Finding[] = [nodeFinding()];
      const context = await attempt(findings, 'configuration', async () => {
        const made = commandContext(options, redactor);
        findings.push(fine('configuration', made.config.file ?? 'defaults and environment'));
        return made;
      });
      if (context !== null) {
        await attempt(findings, 'database', () =>
          withRuntime(context, (runtime) => lookAtRuntime(context, runtime, findings)),
        );
      }
      const ok = findings.every((finding) => finding.ok);
      const terminal = (context ?? commandContext({ json: options.json }, redactor)).terminal;
      terminal.result({ ok, findings }, () =>
        table(
          ['', 'what', 'found', 'what to do'],
          findings.map(({ ok: good, what, found, fix }) => [good ? mark.ok() : mark.bad(), what, found, fix ?? '']),
        ),
      );
      done(ok ? exitCodes.ok : exitCodes.environment);
    });
}

async function lookAtRuntime({ config }: CommandContext, runtime: Runtime, findings: Finding[]): Promise<void> {
  const { version, embedded, migrated } = runtime.database;
  findings.push(fine('database', `Postgres ${version}${embedded ? ', embedded' : ''}, schema ${migrated.version}`));
  const providers = await runtime.providers.list();
  if (providers.length === 0) {
    findings.push(
      bad('browser service', 'none is configured', 'wheelhouse providers add NAME --url ADDRESS --key env:NAME'),
    );
  }
  for (const { name } of providers) {
    await attempt(findings, `browser service ${name}`, async () => {
      const { health, provider } = await runtime.providers.check(name);
      const found = `${provider.kind} ${health.version ?? ''} at ${provider.baseUrl ?? 'no address'}: ${health.status}${health.note ? ` (${health.note})` : ''}`;
      findings.push(
        health.status === 'ok'
          ? fine(`browser service ${name}`, found)
          : bad(`browser service ${name}`, found, 'start it, or correct its address'),
      );
    });
  }
  findings.push(
    fine('sites', `${Object.keys(config.sites).length} configured, ${config.definitions.length} definition folders`),
  );
  findings.push(fine('sessions', `${(await runtime.sessions.list()).length} open`));
}

/** Runs a check; a failure is a finding with the error's own advice. */
async function attempt<T>(findings: Finding[], what: string, check: () => Promise<T>): Promise<T | null> {
  try {
    return await check();
  } catch (error) {
    if (!BrowserError.is(error)) throw error;
    findings.push(bad(what, error.message, error.next));
    return null;
  }
}

function nodeFinding(): Finding {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const found = `Node ${process.versions.node}`;
  return major >= 20 ? fine('Node', found) : bad('Node', found, 'install Node 20.19 or newer');
}

const fine = (what: string, found: string): Finding => ({ what, ok: true, found, fix: null });
const bad = (what: string, found: string, fix: string): Finding => ({ what, ok: false, found, fix });
