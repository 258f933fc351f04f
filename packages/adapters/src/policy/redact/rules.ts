import { a11yRules } from './a11y-rules.ts';
import { nameRules } from './name-rules.ts';
import { structureRules } from './structure-rules.ts';
import { textRules } from './text-rules.ts';
import { urlRules } from './url-rules.ts';

/** Where a text comes from. A hint: all rules look everywhere, and only the treatment of cut windows depends on it. */
export type Surface = 'url' | 'a11y' | 'log' | 'json' | 'header' | 'html' | 'error' | 'magnet' | 'text';

/** One kind of secret, with lines that prove the rule. A test walks the table: a rule without examples, or one that is not needed, fails. */
export interface RedactionRule {
  /** Counted in `redactions`, named in audit lines. Stable. */
  readonly id: string;
  /** Where such secrets come from, so that the rule can be judged in five years. */
  readonly why: string;
  /** Where such secrets are met. */
  readonly surfaces: readonly Surface[];
  /** Must lose `s3cr3t…` and `5ec2e7…` completely, and keep them when this rule alone is off. */
  readonly leaks: readonly string[];
  /** Must come out unchanged. */
  readonly keeps: readonly string[];
}

/** Every rule, in the order in which a place that several of them claim is counted. */
export const redactionRules: readonly RedactionRule[] = [
  ...urlRules,
  ...nameRules,
  ...structureRules,
  ...a11yRules,
  ...textRules,
];

const indexes = new Map(redactionRules.map((rule, index) => [rule.id, index]));

/** Place of a rule in the table. Throws for an id that is not there, so that code and table cannot part. */
export function ruleIndex(id: string): number {
  const index = indexes.get(id);
  if (index === undefined) throw new Error(`no redaction rule ${id}`);
  return index;
}

/** A switch for each rule: all on, or only `ids`, or all but `without`. */
export function ruleSwitches(choice: { only?: readonly string[]; without?: readonly string[] } = {}): Uint8Array {
  const switches = new Uint8Array(redactionRules.length).fill(choice.only === undefined ? 1 : 0);
  for (const id of choice.only ?? []) switches[ruleIndex(id)] = 1;
  for (const id of choice.without ?? []) switches[ruleIndex(id)] = 0;
  return switches;
}
