import { Command, Option } from '@commander-js/extra-typings';
import { BrowserError, parseAllowlist, ProviderKind, SecretRef } from '@wheelhouse/contracts';
import type { ProviderCheck, Redactor } from '@wheelhouse/runtime';
import { commandContext, withRuntime } from './context.ts';
import { exitCodes, mark, table } from './output.ts';

/** `wheelhouse providers add|list|check|remove`: the browser services that this installation knows. */
export function providersCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('providers')
    .description('browser services: add, list, check, remove')
    .addCommand(addCommand(done, redactor))
    .addCommand(listCommand(done, redactor))
    .addCommand(checkCommand(done, redactor))
    .addCommand(removeCommand(done, redactor));
}

function addCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('add')
    .description('configure a browser service')
    .argument('<name>', 'how you call it')
    .addOption(new Option('--kind <kind>', 'which adapter').choices(ProviderKind.options).default('camofox' as const))
    .option('--url <address>', 'where it answers, for example http://127.0.0.1:9377')
    .option('--key <ref>', 'its access key, by reference: env:NAME, file:/path or credential:NAME')
    .option('--allow <hosts>', 'hosts that sessions may visit by default, comma separated', '')
    .option('--json', 'write the result as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (name, options) => {
      const context = commandContext(options, redactor);
      const provider = {
        name,
        kind: options.kind,
        baseUrl: options.kind === 'none' ? null : baseUrlOf(options.url),
        secretRef: options.key === undefined ? null : secretRefOf(options.key),
        allowlist: parseAllowlist(options.allow.split(',').filter((entry) => entry !== '')).entries,
      };
      await withRuntime(context, async (runtime) => {
        const added = await runtime.providers.add(provider);
        context.terminal.result(
          { ok: true, provider: added },
          () => `added ${name}; next: wheelhouse providers check ${name}`,
        );
      });
      done(exitCodes.ok);
    });
}

function listCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('list')
    .description('all configured browser services')
    .option('--json', 'write the result as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (options) => {
      const context = commandContext(options, redactor);
      await withRuntime(context, async (runtime) => {
        const providers = await runtime.providers.list();
        context.terminal.result({ ok: true, providers }, () =>
          providers.length === 0
            ? 'no browser service is configured; add one with: wheelhouse providers add NAME --url ADDRESS --key env:NAME'
            : table(
                ['name', 'kind', 'address', 'key', 'health', 'version'],
                providers.map((provider) => [
                  provider.name,
                  provider.kind,
                  provider.baseUrl ?? '–',
                  provider.secretRef ?? '–',
                  provider.healthStatus,
                  provider.capabilities?.upstreamVersion ?? '–',
                ]),
              ),
        );
      });
      done(exitCodes.ok);
    });
}

function checkCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('check')
    .description('ask a browser service for its health, version and capabilities')
    .argument('<name>', 'name or id')
    .option('--json', 'write the result as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (name, options) => {
      const context = commandContext(options, redactor);
      const check = await withRuntime(context, (runtime) => runtime.providers.check(name));
      const usable = check.health.status === 'ok';
      context.terminal.result({ ok: usable, ...check }, () => checkText(check));
      done(usable ? exitCodes.ok : exitCodes.environment);
    });
}

function removeCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('remove')
    .description('forget a browser service that no session uses')
    .argument('<name>', 'name or id')
    .option('--json', 'write the result as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (name, options) => {
      const context = commandContext(options, redactor);
      await withRuntime(context, (runtime) => runtime.providers.remove(name));
      context.terminal.result({ ok: true, removed: name }, () => `removed ${name}`);
      done(exitCodes.ok);
    });
}

function checkText({ provider, health, capabilities }: ProviderCheck): string {
  const rows = Object.entries(capabilities).flatMap(([name, capability]) =>
    capability === null || typeof capability !== 'object' || !('supported' in capability)
      ? []
      : [
          [
            name,
            capability.supported ? mark.ok() : mark.off(),
            capability.verified ? mark.ok() : mark.off(),
            capability.note ?? '',
          ],
        ],
  );
  const head = `${provider.name}: ${health.status}, ${provider.kind} ${health.version ?? 'of unknown version'}${health.note ? ` (${health.note})` : ''}`;
  return `${head}\n${table(['capability', 'supported', 'verified', 'note'], rows)}`;
}

function baseUrlOf(url: string | undefined): string {
  if (url === undefined)
    throw new BrowserError('invalid_request', '--url is missing: where does the browser service answer?');
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (
    read === undefined ||
    !/^https?:$/.test(read.protocol) ||
    read.username !== '' ||
    read.search !== '' ||
    read.hash !== ''
  ) {
    throw new BrowserError('invalid_request', '--url must be an http or https address without user name and query');
  }
  return read.href.replace(/\/$/, '');
}

/** A key by reference. A key itself would stand in the process list and in the shell's history. */
function secretRefOf(text: string): SecretRef {
  const read = SecretRef.safeParse(text);
  if (read.success) return read.data;
  throw new BrowserError(
    'invalid_request',
    '--key takes a reference (env:NAME, file:/path, credential:NAME), never the key itself',
  );
}
