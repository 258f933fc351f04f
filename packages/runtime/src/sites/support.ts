import { BrowserError } from '@wheelhouse/contracts';
import type { FilterBlock, SelectorBlock, SiteDefinition } from './definition.ts';
import { checkFilter } from './filters.ts';
import { checkSelector } from './page.ts';
import { pathsOf } from './requests.ts';
import { compileTemplate, type TemplateValue, type TemplateVariables } from './template.ts';

/** The steps that a definition may support fully or not. */
export const checkedSteps = ['loginState', 'listRows', 'downloadLink'] as const;
export type CheckedStep = (typeof checkedSteps)[number];

/** Something that a definition asks for and this program does not have. */
export interface UnsupportedFeature {
  readonly step: CheckedStep;
  /** By name: `filter nosuch`, `selector …`, `download.before`. */
  readonly feature: string;
  /** Where in the definition: `search.fields.title.filters`. */
  readonly path: string;
}

/**
 * Everything in a definition that cannot run here, step by step. Each template is compiled, each filter, pattern and
 * selector tried; selectors with templates in them as they are with nothing set, and with everything set.
 */
export function unsupportedOf(definition: SiteDefinition): readonly UnsupportedFeature[] {
  const found: UnsupportedFeature[] = [];
  for (const step of checkedSteps) {
    const probe = new Probe(step, found);
    checks[step](definition, probe);
    const prefix = prefixes[step];
    for (const key of new Set(definition.unread)) if (key.startsWith(prefix)) probe.report(key, key);
  }
  return found;
}

/** The names of what is not supported, by step; empty: the step is fully supported. */
export function checkSteps(definition: SiteDefinition): Readonly<Record<CheckedStep, readonly string[]>> {
  const found = unsupportedOf(definition);
  const of = (step: CheckedStep) => found.filter((one) => one.step === step).map(({ feature }) => feature);
  return { loginState: of('loginState'), listRows: of('listRows'), downloadLink: of('downloadLink') };
}

const prefixes: Readonly<Record<CheckedStep, string>> = {
  loginState: 'login.',
  listRows: 'search.',
  downloadLink: 'download.',
};

const checks: Readonly<Record<CheckedStep, (definition: SiteDefinition, probe: Probe) => void>> = {
  loginState({ login }, probe) {
    if (login === undefined) return;
    if (!/^(cookie|form|post|get|oneurl)$/.test(login.method)) {
      probe.report(`login method ${login.method}`, 'login.method');
    }
    probe.selector(login.test?.selector, 'login.test.selector');
    probe.templates([login.path, login.submitpath, login.test?.path], 'login.path');
    probe.templates(Object.values(login.inputs), 'login.inputs');
    probe.selector(login.captcha?.selector, 'login.captcha.selector');
    for (const { selector, message } of login.error) {
      probe.selector(selector, 'login.error.selector');
      if (message !== undefined) probe.block(message, 'login.error.message');
    }
  },
  listRows(definition, probe) {
    const { search } = definition;
    for (const { path, method, inputs } of pathsOf(definition)) {
      probe.templates([path, method, ...Object.values(inputs)], 'search.paths');
    }
    probe.templates(Object.values(search.inputs), 'search.inputs');
    probe.filters(search.keywordsfilters, 'search.keywordsfilters');
    probe.selector(search.rows.selector, 'search.rows.selector');
    probe.filters(search.rows.filters, 'search.rows.filters');
    if (search.rows.remove !== undefined) probe.report('search.rows.remove', 'search.rows.remove');
    if (search.rows.dateheaders !== undefined) probe.block(search.rows.dateheaders, 'search.rows.dateheaders');
    for (const [name, block] of Object.entries(search.fields)) probe.block(block, `search.fields.${name}`);
  },
  downloadLink({ download, search }, probe) {
    for (const name of ['download', 'magnet', 'infohash']) {
      const block = search.fields[name];
      if (block !== undefined) probe.block(block, `search.fields.${name}`);
    }
    for (const block of download?.selectors ?? []) probe.block(block, 'download.selectors');
    for (const block of [download?.infohash?.hash, download?.infohash?.title]) {
      if (block !== undefined) probe.block(block, 'download.infohash');
    }
    if (download?.before !== undefined) probe.report('download.before', 'download.before');
    if (download?.method !== undefined && download.method !== 'get') {
      probe.report(`download method ${download.method}`, 'download.method');
    }
  },
};

/** Every variable has a value: templates take their other branches. */
class EverythingSet extends Map<string, TemplateValue> {
  override get(): TemplateValue {
    return 'x';
  }
}
const states: readonly TemplateVariables[] = [new Map(), new EverythingSet()];

/** Tries the parts of one step, and notes what fails. */
class Probe {
  readonly #step: CheckedStep;
  readonly #found: UnsupportedFeature[];

  constructor(step: CheckedStep, found: UnsupportedFeature[]) {
    this.#step = step;
    this.#found = found;
  }

  report(feature: string, path: string): void {
    this.#found.push({ step: this.#step, feature, path });
  }

  block(block: SelectorBlock, path: string): void {
    this.selector(block.selector, `${path}.selector`);
    this.selector(block.remove, `${path}.remove`);
    this.templates([block.text, block.default], path);
    for (const [when, then] of Object.entries(block.case ?? {})) {
      if (when !== '*') this.selector(when, `${path}.case`);
      this.templates([then], `${path}.case`);
    }
    this.filters(block.filters, `${path}.filters`);
  }

  filters(blocks: readonly FilterBlock[], path: string): void {
    for (const block of blocks) this.#attempt(path, () => checkFilter(block));
  }

  templates(sources: readonly (string | undefined)[], path: string): void {
    for (const source of sources) this.#attempt(path, () => compileTemplate(source ?? ''));
  }

  selector(source: string | undefined, path: string): void {
    if (source === undefined || source === '') return;
    const rendered = new Set<string>();
    this.#attempt(path, () => {
      for (const variables of states) rendered.add(compileTemplate(source).render(variables));
    });
    for (const selector of rendered) {
      if (selector.trim() !== '') this.#attempt(path, () => checkSelector(selector));
    }
  }

  #attempt(path: string, check: () => unknown): void {
    try {
      check();
    } catch (error) {
      if (!BrowserError.is(error)) throw error;
      this.report(error.message, path);
    }
  }
}
