import type { Reporter, TestModule } from 'vitest/node';

/**
 * Says at the end how many tests each project ran, so that nobody has to believe that the real browser service was
 * among them.
 */
export class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, { passed: number; failed: number; skipped: number }>();
    for (const module of modules) {
      const count = counts.get(module.project.name) ?? { passed: 0, failed: 0, skipped: 0 };
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state === 'passed' || state === 'failed' || state === 'skipped') count[state] += 1;
      }
      counts.set(module.project.name, count);
    }
    const against: Record<string, string> = {
      fast: 'nothing outside the process but loopback',
      postgres: 'a real Postgres',
      live: 'a real camofox-browser over a real browser',
    };
    process.stdout.write('\n');
    for (const [project, { passed, failed, skipped }] of [...counts].toSorted(([a], [b]) => a.localeCompare(b))) {
      process.stdout.write(
        `${project}: ${passed} passed, ${failed} failed, ${skipped} skipped, against ${against[project] ?? project}\n`,
      );
    }
  }
}
