import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Bundler {
  build(options: object): Promise<unknown>;
}

/**
 * Makes one file of each program, so that a killed worker is replaced in a fifth of the time: it is not compiled again.
 * Resolves with where a program is. The bundler is the one that `tsx` itself is made of.
 */
export async function bundlePrograms(names: readonly string[], folder: string): Promise<(name: string) => string> {
  const tsx = realpathSync(fileURLToPath(import.meta.resolve('tsx')));
  const bundler = createRequire(tsx)('esbuild') as Bundler;
  await bundler.build({
    entryPoints: names.map((name) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@wheelhouse/source'],
    // Never used here: they are loaded only when a real browser is started.
    external: ['pg-native', 'playwright-core', '@sparticuz/chromium', '@askjo/*', 'camofox-browser-1-14'],
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
    logLevel: 'error',
  });
  return (name) => join(folder, `${name}.mjs`);
}
