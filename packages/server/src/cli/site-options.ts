import type { Command } from '@commander-js/extra-typings';
import { BrowserError } from '@wheelhouse/contracts';
import { findDefinition, type Runtime, settingsWithValue, type SiteDefinition } from '@wheelhouse/runtime';
import { type Config, siteVariable } from '../config.ts';

/** What the argument `<site>` may be. */
export const siteArgument =
  'a site of the configuration, a definition file, or the name of one in the definition folders';

/** The options of every command that works on an account of a site. */
export function siteOptions(command: Command) {
  return command
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
    .option('--definitions <dir>', 'folder with definitions (repeat)', collect, []);
}

/** Their values. */
export interface SiteOptions {
  readonly provider?: string | undefined;
  readonly account: string;
  readonly url?: string | undefined;
  readonly allow?: string | undefined;
  readonly setting: readonly string[];
  readonly definitions: readonly string[];
  readonly keepSession?: boolean | undefined;
}

/**
 * The site that is meant, with its account: options first, then configuration and environment.
 *
 * @throws BrowserError `site_not_found`, `invalid_definition`, `invalid_request`
 */
export async function siteOf(site: string, options: SiteOptions, config: Config) {
  const configured = config.sites[site];
  const definition = await findDefinition(configured?.definition ?? site, [
    ...options.definitions,
    ...config.definitions,
  ]);
  const settings = settingsOf(definition, config, { ...configured?.settings, ...pairsOf(options.setting) });
  return {
    definition,
    request: async (runtime: Runtime) => ({
      definition,
      account: configured?.account ?? options.account,
      provider:
        options.provider ??
        configured?.provider ??
        config.provider ??
        (await onlyProvider(() => runtime.providers.list())),
      url: options.url ?? configured?.url,
      allowlist: options.allow?.split(',') ?? configured?.allowlist,
      settings,
      keepSession: options.keepSession,
    }),
  };
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
