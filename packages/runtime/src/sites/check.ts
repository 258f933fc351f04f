import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import { loadDefinition, type SiteDefinition } from './definition.ts';
import { needsBrowser } from './requests.ts';
import { type CheckedStep, checkedSteps, unsupportedOf, type UnsupportedFeature } from './support.ts';

export { type CheckedStep, checkSteps } from './support.ts';

/** How many HTML definitions have a step, and for how many of them it is fully supported. */
export interface StepCount {
  readonly html: number;
  readonly full: number;
}

/** What a folder of definitions was found to be. */
export interface DefinitionsReport {
  readonly total: number;
  readonly loaded: number;
  /** Files on which this program failed without a reason it could name. Always 0, or it is a bug. */
  readonly crashed: number;
  /** Definitions whose lists are HTML; the others need no browser. */
  readonly html: number;
  readonly noBrowserNeeded: number;
  readonly steps: Readonly<Record<CheckedStep, StepCount>>;
  /** Features that are not supported, and how many HTML definitions use each; the most used first. */
  readonly unsupported: Readonly<Record<string, number>>;
  /** Where they are used: file, and place in it. */
  readonly places: readonly (UnsupportedFeature & { readonly file: string })[];
  /** Files that could not be loaded, with the reason. */
  readonly failed: readonly { readonly file: string; readonly message: string }[];
}

/**
 * Loads every `.yml` file of a folder and checks that each template, filter, pattern and selector can run.
 *
 * @throws BrowserError `invalid_request` for a folder that cannot be read
 */
export async function checkDefinitions(folder: string): Promise<DefinitionsReport> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new BrowserError('invalid_request', `the folder ${folder} cannot be read`, { cause });
  });
  const files = names.filter((name) => /\.ya?ml$/i.test(name)).toSorted();
  const full = new Map<CheckedStep, number>();
  const places: (UnsupportedFeature & { file: string })[] = [];
  const failed: { file: string; message: string }[] = [];
  let [loaded, crashed, html] = [0, 0, 0];
  for (const file of files) {
    try {
      const definition = await load(folder, file);
      loaded += 1;
      if (!needsBrowser(definition)) continue;
      html += 1;
      const unsupported = unsupportedOf(definition);
      for (const one of unsupported) places.push({ file, ...one });
      for (const step of checkedSteps) {
        if (unsupported.every((one) => one.step !== step)) full.set(step, (full.get(step) ?? 0) + 1);
      }
    } catch (error) {
      if (!BrowserError.is(error)) crashed += 1;
      failed.push({ file, message: BrowserError.is(error) ? error.message : 'an unexpected failure' });
    }
  }
  const countOf = (step: CheckedStep): StepCount => ({ html, full: full.get(step) ?? 0 });
  return {
    total: files.length,
    loaded,
    crashed,
    html,
    noBrowserNeeded: loaded - html,
    steps: {
      loginState: countOf('loginState'),
      listRows: countOf('listRows'),
      downloadLink: countOf('downloadLink'),
    },
    unsupported: histogram(places),
    places,
    failed,
  };
}

async function load(folder: string, file: string): Promise<SiteDefinition> {
  const source = await readFile(join(folder, file), 'utf8').catch((cause: unknown) => {
    throw new BrowserError('invalid_request', `the file ${file} cannot be read`, { cause });
  });
  return loadDefinition(source, file);
}

/** How many files use each feature. */
function histogram(places: readonly { readonly file: string; readonly feature: string }[]): Record<string, number> {
  const files = new Map<string, Set<string>>();
  for (const { file, feature } of places) files.set(feature, (files.get(feature) ?? new Set()).add(file));
  const counts = [...files].map(([feature, used]) => [feature, used.size] as const);
  return Object.fromEntries(counts.toSorted(([, a], [, b]) => b - a));
}
