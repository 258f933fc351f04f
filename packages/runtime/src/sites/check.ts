import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BrowserError } from '@wheelhouse/contracts';
import { loadDefinition, type SelectorBlock, type SiteDefinition } from './definition.ts';
import { checkFilter } from './filters.ts';
import { checkSelector } from './page.ts';
import { needsBrowser, pathsOf } from './requests.ts';
import { compileTemplate } from './template.ts';

/** The steps that a definition may support fully or not. */
export type CheckedStep = 'loginState' | 'listRows' | 'downloadLink';

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
  /** Features that are not supported, and how many definitions use each. */
  readonly unsupported: Readonly<Record<string, number>>;
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
  const files = names.filter((name) => /\.ya?ml$/.test(name)).toSorted();
  const steps = {
    loginState: { html: 0, full: 0 },
    listRows: { html: 0, full: 0 },
    downloadLink: { html: 0, full: 0 },
  };
  const unsupported: Record<string, number> = {};
  const failed: { file: string; message: string }[] = [];
  let [loaded, crashed, html] = [0, 0, 0];
  for (const name of files) {
    const path = join(folder, name);
    try {
      const definition = loadDefinition(await readFile(path, 'utf8'), basename(path));
      loaded += 1;
      if (!needsBrowser(definition)) continue;
      html += 1;
      for (const [step, missing] of Object.entries(checkSteps(definition)) as [CheckedStep, readonly string[]][]) {
        steps[step].html += 1;
        if (missing.length === 0) steps[step].full += 1;
        for (const feature of new Set(missing)) unsupported[feature] = (unsupported[feature] ?? 0) + 1;
      }
    } catch (error) {
      if (!BrowserError.is(error)) crashed += 1;
      failed.push({ file: name, message: BrowserError.is(error) ? error.message : 'an unexpected failure' });
    }
  }
  return { total: files.length, loaded, crashed, html, noBrowserNeeded: loaded - html, steps, unsupported, failed };
}

/** What each step of a definition asks for and this program does not have, by name; empty: fully supported. */
export function checkSteps(definition: SiteDefinition): Readonly<Record<CheckedStep, readonly string[]>> {
  return { loginState: loginState(definition), listRows: listRows(definition), downloadLink: downloadLink(definition) };
}

function loginState({ login }: SiteDefinition): readonly string[] {
  const missing: string[] = [];
  if (login === undefined) return missing;
  if (!/^(cookie|form|post|get|oneurl)$/.test(login.method)) missing.push(`login method ${login.method}`);
  attempt(missing, () => checkSelectorTemplate(login.test?.selector));
  attempt(missing, () => compileTemplate(login.path ?? ''));
  for (const value of Object.values(login.inputs)) attempt(missing, () => compileTemplate(value));
  for (const { selector, message } of login.error) {
    attempt(missing, () => checkSelectorTemplate(selector));
    if (message !== undefined) missing.push(...blockMissing(message));
  }
  return missing;
}

function listRows(definition: SiteDefinition): readonly string[] {
  const { search } = definition;
  const missing: string[] = [];
  for (const { path, inputs } of pathsOf(definition)) {
    for (const template of [path, ...Object.values(inputs)]) attempt(missing, () => compileTemplate(template));
  }
  for (const template of Object.values(search.inputs)) attempt(missing, () => compileTemplate(template));
  attempt(missing, () => checkSelectorTemplate(search.rows.selector));
  for (const filter of search.rows.filters) attempt(missing, () => checkFilter(filter));
  for (const filter of search.keywordsfilters) attempt(missing, () => checkFilter(filter));
  for (const block of Object.values(search.fields)) missing.push(...blockMissing(block));
  if (search.rows.dateheaders !== undefined) missing.push(...blockMissing(search.rows.dateheaders));
  return missing;
}

function downloadLink({ download, search }: SiteDefinition): readonly string[] {
  const missing: string[] = [];
  for (const name of ['download', 'magnet', 'infohash']) {
    const block = search.fields[name];
    if (block !== undefined) missing.push(...blockMissing(block));
  }
  for (const block of download?.selectors ?? []) missing.push(...blockMissing(block));
  for (const block of [download?.infohash?.hash, download?.infohash?.title])
    if (block !== undefined) missing.push(...blockMissing(block));
  if (download?.before !== undefined) missing.push('download.before');
  if (download?.method !== undefined && download.method !== 'get') missing.push(`download method ${download.method}`);
  return missing;
}

function blockMissing(block: SelectorBlock): readonly string[] {
  const missing: string[] = [];
  attempt(missing, () => checkSelectorTemplate(block.selector));
  attempt(missing, () => checkSelectorTemplate(block.remove));
  for (const template of [block.text, block.default]) attempt(missing, () => compileTemplate(template ?? ''));
  for (const [when, then] of Object.entries(block.case ?? {})) {
    attempt(missing, () => (when === '*' ? undefined : checkSelectorTemplate(when)));
    attempt(missing, () => compileTemplate(then));
  }
  for (const filter of block.filters) attempt(missing, () => checkFilter(filter));
  return missing;
}

/** A selector with templates in it is checked as it is without keywords and with nothing switched on. */
function checkSelectorTemplate(selector: string | undefined): void {
  if (selector === undefined || selector === '') return;
  const rendered = compileTemplate(selector).render(new Map());
  if (rendered.trim() !== '') checkSelector(rendered);
}

function attempt(missing: string[], check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!BrowserError.is(error)) throw error;
    missing.push(error.message);
  }
}
