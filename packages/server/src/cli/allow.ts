import { Command } from '@commander-js/extra-typings';
import { AllowQuestion, answerAllowQuestion, BrowserError } from '@wheelhouse/contracts';
import type { Redactor } from '@wheelhouse/runtime';
import { answerLines } from './jsonl.ts';
import { createTerminal, exitCodes } from './output.ts';

/** `wheelhouse allow URL --list …`: would this address be visited under this allowlist, and why? Needs no database. */
export function allowCommand(done: (exitCode: number) => void, redactor: Redactor) {
  return new Command('allow')
    .description('would an address be visited under an allowlist, and why')
    .argument('[url]', 'the address')
    .option('--list <hosts>', 'the allowlist, comma separated: example.com is exact, .example.com with all below', '')
    .option('--base <url>', 'page that the link stands on')
    .option(
      '--from <who>',
      'caller (as you would type it), landing (as a browser reports it), href (a link of --base)',
      'caller',
    )
    .option('--jsonl', 'lines of {id,url,allowlist,base?,from?} on stdin become lines of {id,decision,why}')
    .option('--json', 'write the answer as JSON')
    .action(async (url, options) => {
      if (options.jsonl === true) {
        await answerLines(AllowQuestion, answerAllowQuestion);
        return done(exitCodes.ok);
      }
      if (url === undefined)
        throw new BrowserError('invalid_request', 'name an address, or give questions with --jsonl');
      const question = AllowQuestion.safeParse({
        id: url,
        url,
        allowlist: options.list.split(',').filter((entry) => entry !== ''),
        base: options.base,
        from: options.base === undefined ? options.from : 'href',
      });
      if (!question.success) throw new BrowserError('invalid_request', '--from takes caller, landing or href');
      const { decision, why } = answerAllowQuestion(question.data);
      createTerminal(options.json === true, redactor).result({ decision, why }, () => `${decision}: ${why}`);
      done(decision === 'allow' ? exitCodes.ok : exitCodes.problem);
    });
}
