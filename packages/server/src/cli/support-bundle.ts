import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { BrowserError } from '@wheelhouse/contracts';
import { type Runtime, scrub, type Redactor } from '@wheelhouse/runtime';
import type { Config } from '../config.ts';
import { commandContext, withRuntime } from './context.ts';
import { exitCodes } from './output.ts';

/** Most jobs whose report goes into a bundle, the newest first. */
const maxReports = 20;

/** `wheelhouse support-bundle`: one file that is safe to attach to a public issue. */
export function supportBundleCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('support-bundle')
    .description(
      'write versions, configuration, providers, sessions, ledger and recent reports into one file without secrets',
    )
    .option('--out <file>', 'file to write', `wheelhouse-support-${new Date().toISOString().slice(0, 10)}.json`)
    .option('--json', 'write the result as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (options) => {
      const context = commandContext(options, redactor);
      const bundle = await withRuntime(context, (runtime) => collect(context.config, runtime));
      const { text, rules } = scrub(redactor, JSON.stringify(bundle, null, 2), 'json');
      const file = resolve(options.out);
      await writeFile(file, `${text}\n`, { mode: 0o600, flag: 'wx' }).catch((cause: unknown) => {
        throw new BrowserError(
          'invalid_request',
          `${file} cannot be written, or is there already; name another with --out`,
          { cause },
        );
      });
      context.terminal.result(
        { ok: true, file, bytes: Buffer.byteLength(text), rules },
        () => `written: ${file} (no pictures, no page text)`,
      );
      done(exitCodes.ok);
    });
}

async function collect(config: Config, runtime: Runtime) {
  const sessions = await runtime.sessions.list();
  return {
    versions: { wheelhouse: '0.1.0', node: process.versions.node, platform: `${process.platform} ${process.arch}` },
    database: {
      version: runtime.database.version,
      embedded: runtime.database.embedded,
      schema: runtime.database.migrated.version,
    },
    // Names of settings only: a value in the clear may be a person's own.
    sites: Object.entries(config.sites).map(([id, { provider, account, settings }]) => ({
      id,
      provider,
      account,
      settings: Object.keys(settings),
    })),
    providers: (await runtime.providers.list()).map(({ name, kind, enabled, capabilities, healthStatus }) => ({
      name,
      kind,
      enabled,
      capabilities,
      healthStatus,
    })),
    sessions: await Promise.all(
      sessions.map(async (session) => ({ ...session, operations: await runtime.sessions.operations(session.id) })),
    ),
    reports: await reports(join(config.home, 'evidence')),
  };
}

/** Reports of the newest jobs. Snapshots and pictures stay where they are. */
async function reports(folder: string): Promise<readonly unknown[]> {
  const jobs = (await readdir(folder).catch(() => []))
    .toSorted((a, b) => stamp(b).localeCompare(stamp(a)))
    .slice(0, maxReports);
  const texts = await Promise.all(
    jobs.map((job) => readFile(join(folder, job, 'report.json'), 'utf8').catch(() => null)),
  );
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as unknown]));
}

/** The time in the name of an evidence folder. */
function stamp(name: string): string {
  return /\d{8}T\d{6}Z/.exec(name)?.[0] ?? '';
}
