import { Command } from '@commander-js/extra-typings';
import { BrowserError } from '@wheelhouse/contracts';
import { findDefinition, settingsWithValue, type SiteDefinition, type TroubleshootReport } from '@wheelhouse/runtime';
import pc from 'picocolors';
import { type Config, siteVariable } from '../config.ts';
import { commandContext, withRuntime } from './context.ts';
import { exitCodes, mark, table } from './output.ts';

/** `wheelhouse troubleshoot SITE`: why does this site not work? */
export function troubleshootCommand(done: (exitCode: number) => void) {
  return new Command('troubleshoot')
    .description(
      'why does this site not work? walks landing, login, list, details and download, and ends in one verdict',
    )
    .argument('<site>', 'a site of the configuration, a definition file, or the name of one in the definition folders')
    .option(
      '--provider <name>',
      'browser service that holds the account (default: of the configuration, or the only one)',
    )
    .option('--account <name>', 'which account of the site', 'default')
    .option('--url <address>', 'address of the site, when it is not the first link of the definition')
    .option('--allow <hosts>', 'hosts the job may reach, comma separated (default: those of the definition)')
    .option(
      '--setting <name=value>',
      'a setting of the account; secrets as env:NAME or file:/path (repeat)',
      collect,
      [],
    )
    .option('--definitions <dir>', 'folder with definitions (repeat)', collect, [])
    .option('--keep-session', 'leave the session open afterwards')
    .option('--json', 'write the report as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (site, options) => {
      const context = commandContext(options);
      const { config, terminal } = context;
      const configured = config.sites[site];
      const definition = await findDefinition(configured?.definition ?? site, [
        ...options.definitions,
        ...config.definitions,
      ]);
      const settings = settingsOf(definition, config, { ...configured?.settings, ...pairsOf(options.setting) });
      const report = await withRuntime(context, async (runtime) => {
        const provider =
          options.provider ??
          configured?.provider ??
          config.provider ??
          (await onlyProvider(() => runtime.providers.list()));
        return runtime.troubleshoot({
          definition,
          account: configured?.account ?? options.account,
          provider,
          url: options.url ?? configured?.url,
          allowlist: options.allow?.split(',') ?? configured?.allowlist,
          settings,
          home: config.home,
          keepSession: options.keepSession,
          onStep: (step) => terminal.progress(`${step} ...`),
        });
      });
      terminal.result({ ok: report.verdict === 'ok', ...report }, () => reportText(report));
      done(report.verdict === 'ok' ? exitCodes.ok : exitCodes.problem);
    });
}

/** A report for people. */
export function reportText(report: TroubleshootReport): string {
  const states = { passed: mark.ok(), failed: mark.bad(), skipped: mark.off() } as const;
  const colour = report.verdict === 'ok' ? pc.green : pc.red;
  return [
    `${report.name} (${report.site}): ${colour(report.verdict)}`,
    `  ${report.because}`,
    `  ${pc.dim('→')} ${report.advice}`,
    ...(report.selector === null ? [] : [`  selector: ${report.selector}`]),
    table(
      ['', 'step', 'found', 'ms'],
      report.steps.map(({ step, status, found, durationMs }) => [
        states[status],
        step,
        wrapped(found),
        String(durationMs),
      ]),
    ),
    ...report.unsupported.map((feature) => `  not supported: ${feature}`),
    `evidence: ${report.evidence.folder}`,
  ].join('\n');
}

function wrapped(text: string): string {
  return text.replaceAll(/(.{1,80})(?:\s+|$)/g, '$1\n').trim();
}

/** What the account brings: the environment first, then configuration and options. */
function settingsOf(
  definition: SiteDefinition,
  config: Config,
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const settings = new Map(Object.entries(given));
  for (const { name } of settingsWithValue(definition)) {
    const variable = siteVariable(definition.id, name);
    if (config.environment[variable] !== undefined && !settings.has(name)) settings.set(name, `env:${variable}`);
  }
  return settings;
}

function pairsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new BrowserError('invalid_request', '--setting is written name=value');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

async function onlyProvider(list: () => Promise<readonly { readonly name: string }[]>): Promise<string> {
  const providers = await list();
  const [only] = providers;
  if (only !== undefined && providers.length === 1) return only.name;
  throw only === undefined
    ? new BrowserError('no_provider', 'no browser service is configured')
    : new BrowserError(
        'invalid_request',
        `several browser services are configured; choose one with --provider: ${providers.map(({ name }) => name).join(', ')}`,
      );
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
