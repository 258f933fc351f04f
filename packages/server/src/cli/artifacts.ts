import { Command } from '@commander-js/extra-typings';
import type { Runtime, Redactor } from '@wheelhouse/runtime';
import { type CommonOptions, commandContext, withRuntime } from './context.ts';
import { exitCodes, table } from './output.ts';

/** `wheelhouse artifacts list|show|export|deliver|replay|sweep|reseal`: captured files and their deliveries. */
export function artifactsCommand(done: (exitCode: number) => void, redactor: Redactor) {
  const artifacts = new Command('artifacts').description(
    'captured files: what is there, where it went, and bringing it there again',
  );
  const command = (name: string, description: string) =>
    artifacts
      .command(name)
      .description(description)
      .option('--json', 'write the result as JSON')
      .option('--config <file>', 'configuration file');
  /** One call into the runtime, and its answer. */
  const answer = async <T>(
    options: CommonOptions,
    work: (runtime: Runtime) => Promise<T>,
    text: (value: T) => string,
  ) => {
    const context = commandContext(options, redactor);
    const value = await withRuntime(context, work);
    context.terminal.result({ ok: true, ...toObject(value) }, () => text(value));
    done(exitCodes.ok);
    return value;
  };

  command('list', 'the files, newest first')
    .option('--limit <count>', 'most rows', Number, 50)
    .option('--dead', 'only deliveries that were given up')
    .action(async (options) => {
      if (options.dead === true) {
        await answer(
          options,
          async (runtime) => ({ deliveries: await runtime.files.dead() }),
          ({ deliveries }) =>
            table(
              ['file', 'sink', 'tries', 'why'],
              deliveries.map((one) => [one.artifactId, one.sink, String(one.attempts), one.reason ?? '']),
            ),
        );
        return;
      }
      await answer(
        options,
        async (runtime) => ({ artifacts: await runtime.files.list({ limit: options.limit }) }),
        (value) =>
          table(
            ['file', 'name', 'type', 'bytes', 'captured'],
            value.artifacts.map((one) => [
              one.id,
              one.filename,
              one.mimeType,
              String(one.sizeBytes),
              new Date(one.capturedAt).toISOString().slice(0, 19),
            ]),
          ),
      );
    });

  command('show', 'one file and its deliveries')
    .argument('<id>')
    .action(async (id, options) => {
      await answer(
        options,
        (runtime) => runtime.files.get(id),
        ({ artifact, infoHashV1, infoHashV2, deliveries }) =>
          [
            `${artifact.filename}  ${artifact.mimeType}  ${artifact.sizeBytes} bytes`,
            `  sha256     ${artifact.sha256}`,
            ...(infoHashV1 === null ? [] : [`  info-hash  ${infoHashV1}`]),
            ...(infoHashV2 === null ? [] : [`  info-hash  ${infoHashV2} (v2)`]),
            ...deliveries.map((one) => `  ${one.sink}: ${one.status}${one.reason === null ? '' : ` (${one.reason})`}`),
          ].join('\n'),
      );
    });

  command('export', 'write a file out; never over another one')
    .argument('<id>')
    .argument('<path>')
    .action(async (id, path, options) => {
      await answer(
        options,
        async (runtime) => {
          await runtime.files.export(id, path);
          return { id, path };
        },
        () => `written: ${path}`,
      );
    });

  command('deliver', 'deliver what is due, and go on with captures that were interrupted').action(async (options) => {
    const value = await answer(
      options,
      async (runtime) => ({ resumed: await runtime.files.resume(), ...(await runtime.files.deliver()) }),
      ({ resumed, delivered, failed, dead }) =>
        `${delivered} delivered, ${failed} to be tried again, ${dead} given up, ${resumed} captures taken up`,
    );
    if (value.failed + value.dead > 0) done(exitCodes.problem);
  });

  command('replay', 'take up deliveries that were given up: of one file, or of all')
    .argument('[id]')
    .option('--again', 'also those that arrived; receivers know repeats')
    .action(async (id, options) => {
      await answer(
        options,
        async (runtime) => {
          const replayed = await runtime.files.replay({ artifactId: id ?? null, again: options.again === true });
          return { replayed, ...(await runtime.files.deliver()) };
        },
        ({ replayed, delivered, failed, dead }) =>
          `${replayed} taken up: ${delivered} delivered, ${failed} to be tried again, ${dead} given up`,
      );
    });

  command('sweep', 'remove files whose retention time is over, and bytes that nothing refers to').action(
    async (options) => {
      await answer(
        options,
        (runtime) => runtime.files.sweep(),
        ({ retired, orphans, staged }) =>
          `${retired} retired, ${orphans} orphans and ${staged} unfinished files removed`,
      );
    },
  );

  command('reseal', 'seal files with the newest key that were sealed with an older one').action(async (options) => {
    await answer(
      options,
      async (runtime) => ({ resealed: await runtime.files.reseal() }),
      ({ resealed }) => `${resealed} files sealed anew`,
    );
  });
  return artifacts;
}

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : { value };
}
