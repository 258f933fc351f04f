import { Command } from '@commander-js/extra-typings';
import type { TroubleshootReport, Redactor } from '@wheelhouse/runtime';
import pc from 'picocolors';
import { commandContext, withRuntime } from './context.ts';
import { exitCodes, mark, table } from './output.ts';
import { siteArgument, siteOf, siteOptions } from './site-options.ts';

/** `wheelhouse troubleshoot SITE`: why does this site not work? */
export function troubleshootCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return siteOptions(new Command('troubleshoot'))
    .description(
      'why does this site not work? walks landing, login, list, details and download, and ends in one verdict',
    )
    .argument('<site>', siteArgument)
    .option('--keep-session', 'leave the session open afterwards')
    .option('--json', 'write the report as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (site, options) => {
      const context = commandContext(options, redactor);
      const { config, terminal } = context;
      const wanted = await siteOf(site, options, config);
      const report = await withRuntime(context, async (runtime) =>
        runtime.troubleshoot({
          ...(await wanted.request(runtime)),
          home: config.home,
          keepSession: options.keepSession,
          onStep: (step) => terminal.progress(`${step} ...`),
        }),
      );
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
