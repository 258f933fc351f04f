import { Command } from '@commander-js/extra-typings';
import { BrowserError } from '@wheelhouse/contracts';
import { checkDefinitions, type Redactor } from '@wheelhouse/runtime';
import { commandContext } from './context.ts';
import { exitCodes, table } from './output.ts';

/** `wheelhouse definitions check DIR`: loads every definition of a folder and says which steps are fully supported. */
export function definitionsCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('definitions').description('site definitions (Cardigann YAML)').addCommand(
    new Command('check')
      .description('load every definition of a folder and report which steps are fully supported')
      .argument('<dir>', 'folder with .yml files')
      .option('--json', 'write the result as JSON')
      .option('--config <file>', 'configuration file')
      .action(async (dir, options) => {
        const { terminal } = commandContext(options, redactor);
        const report = await checkDefinitions(dir);
        if (report.total === 0) {
          throw new BrowserError('invalid_request', `${dir} holds no .yml files`);
        }
        terminal.result({ ok: report.failed.length === 0, ...report }, () => textOf(report));
        done(report.failed.length === 0 ? exitCodes.ok : exitCodes.problem);
      }),
  );
}

type Report = Awaited<ReturnType<typeof checkDefinitions>>;

function textOf(report: Report): string {
  const share = (full: number, of: number) =>
    of === 0 ? '–' : `${full} of ${of} (${((100 * full) / of).toFixed(1)} %)`;
  const steps = Object.entries(report.steps).map(([step, { html, full }]) => [step, share(full, html)]);
  const unsupported = Object.entries(report.unsupported).map(([feature, count]) => [feature, String(count)]);
  return [
    `${report.loaded} of ${report.total} definitions loaded, ${report.crashed} crashed`,
    table(['step of HTML definitions', 'fully supported'], steps),
    ...(unsupported.length === 0 ? [] : [table(['not supported', 'definitions'], unsupported)]),
    ...report.failed.map(({ file, message }) => `${file}: ${message}`),
  ].join('\n');
}
