import { fileURLToPath } from 'node:url';
import { redactionRules } from '@wheelhouse/adapters';
import { startVitest, type Vite } from 'vitest/node';

/** What became of the tests while one redaction rule was gone. */
interface Mutant {
  readonly rule: string;
  readonly tests: number;
  readonly failed: number;
  /** Files with a failure. */
  readonly noticedBy: readonly string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const redact = 'packages/adapters/src/policy/redact';
/** Tests that hold the rules; those that try rules on and off themselves would prove nothing here. */
const tests = [
  'redaction-corpus.test.ts',
  'redact.test.ts',
  'redactor.test.ts',
  'redact-forms.test.ts',
  'redact-labels.test.ts',
  'known.test.ts',
  'cuts.test.ts',
].map((file) => `${redact}/${file}`);

/** Takes one rule out of the table's switches while the tests load it. The sources stay as they are. */
function without(rule: string): Vite.Plugin {
  return {
    name: `without ${rule}`,
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(`${redact}/rules.ts`)) return undefined;
      const end = '  return switches;\n';
      if (code.split(end).length !== 2)
        throw new Error('rules.ts has changed: teach check-deep where switches are made');
      return code.replace(end, `  switches[ruleIndex(${JSON.stringify(rule)})] = 0;\n${end}`);
    },
  };
}

/**
 * Removes each redaction rule in turn and runs the tests of the redaction: a rule whose loss no test notices is not
 * held by any.
 */
async function mutateRules(rules: readonly string[], say: (line: string) => void): Promise<readonly Mutant[]> {
  const vitest = await startVitest(
    'test',
    [],
    { root, config: false, watch: false, reporters: [{}], silent: true, cache: false },
    {
      test: {
        projects: ['', ...rules].map((rule) => ({
          resolve: { conditions: ['@wheelhouse/source'] },
          ssr: { resolve: { conditions: ['@wheelhouse/source'] } },
          plugins: rule === '' ? [] : [without(rule)],
          test: { name: rule === '' ? 'all rules' : rule, root, include: tests, testTimeout: 60_000 },
        })),
      },
    },
  );
  const mutants = new Map<string, { tests: number; failed: number; noticedBy: string[] }>();
  for (const module of vitest.state.getTestModules()) {
    const of = mutants.get(module.project.name) ?? { tests: 0, failed: 0, noticedBy: [] };
    mutants.set(module.project.name, of);
    const results = [...module.children.allTests()];
    const failed = results.filter((test) => test.result().state === 'failed').length;
    of.tests += results.length;
    of.failed += failed;
    if (failed > 0) of.noticedBy.push(module.moduleId.slice(module.moduleId.lastIndexOf('/') + 1));
    if (module.errors().length > 0) throw new Error(`${module.moduleId} could not be loaded`);
  }
  await vitest.close();
  const whole = mutants.get('all rules');
  mutants.delete('all rules');
  if (whole === undefined || whole.tests === 0 || whole.failed > 0)
    throw new Error('tests fail with all rules in place');
  return [...mutants].map(([rule, counts]) => {
    say(`${counts.failed > 0 ? '✓' : '✗'} ${rule}: ${counts.failed} of ${counts.tests} tests fail without it`);
    return { rule, ...counts };
  });
}

const json = process.argv.includes('--json');
const mutants = await mutateRules(
  redactionRules.map(({ id }) => id),
  (line) => void process.stdout.write(json ? '' : `${line}\n`),
);
const survived = mutants.filter(({ failed }) => failed === 0).map(({ rule }) => rule);
const ok = mutants.length === redactionRules.length && survived.length === 0;
process.stdout.write(`${JSON.stringify({ ok, rules: mutants.length, survived, ...(json ? { mutants } : {}) })}\n`);
process.exitCode = ok ? 0 : 1;
