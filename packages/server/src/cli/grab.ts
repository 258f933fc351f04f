import { Command } from '@commander-js/extra-typings';
import type { GrabReport, Redactor } from '@wheelhouse/runtime';
import pc from 'picocolors';
import { commandContext, withRuntime } from './context.ts';
import { exitCodes } from './output.ts';
import { siteArgument, siteOf, siteOptions } from './site-options.ts';

/** `wheelhouse grab SITE DETAILS_URL`: the file of one entry, captured and on its way to the sinks. */
export function grabCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return siteOptions(new Command('grab'))
    .description('fetch the file of one entry of a site: log in, find its link, capture, verify, hand on')
    .argument('<site>', siteArgument)
    .argument('<details-url>', 'address of the details page of the entry')
    .option('--keep-session', 'leave the session open afterwards')
    .option('--no-deliver', 'only capture; the sinks get it with the next `artifacts deliver`')
    .option('--wait <seconds>', 'how long the file is waited for', Number, 60)
    .option('--json', 'write the report as JSON')
    .option('--config <file>', 'configuration file')
    .action(async (site, detailsUrl, options) => {
      const context = commandContext(options, redactor);
      const { config, terminal } = context;
      const wanted = await siteOf(site, options, config);
      const { report, deliveries } = await withRuntime(context, async (runtime) => {
        const request = await wanted.request(runtime);
        const onStep = (step: string) => terminal.progress(`${step} ...`);
        const grabbed = await runtime.grab({ ...request, detailsUrl, waitMs: options.wait * 1000, onStep });
        if (grabbed.artifact === null) return { report: grabbed, deliveries: [] };
        if (options.deliver) {
          terminal.progress('delivering ...');
          await runtime.files.deliver();
        }
        return { report: grabbed, deliveries: (await runtime.files.get(grabbed.artifact.id)).deliveries };
      });
      terminal.result({ ok: report.verdict === 'ok', ...report, deliveries }, () =>
        [
          grabText(report),
          ...deliveries.map(
            ({ sink, status, reason }) => `  ${sink}: ${status}${reason === null ? '' : ` (${reason})`}`,
          ),
        ].join('\n'),
      );
      done(report.verdict === 'ok' ? exitCodes.ok : exitCodes.problem);
    });
}

function grabText({ site, verdict, because, advice, artifact }: GrabReport): string {
  const colour = verdict === 'ok' ? pc.green : pc.red;
  const facts =
    artifact === null
      ? `  ${pc.dim('→')} ${advice}`
      : `  ${artifact.id}  ${artifact.mimeType}  ${artifact.sizeBytes} bytes  sha256 ${artifact.sha256.slice(0, 16)}…`;
  return `${site}: ${colour(verdict)}\n  ${because}\n${facts}`;
}
