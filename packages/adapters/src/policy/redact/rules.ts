import { a11yRules } from './a11y-rules.ts';
import { nameRules } from './name-rules.ts';
import type { RedactionRule } from './rule.ts';
import { structureRules } from './structure-rules.ts';
import { textRules } from './text-rules.ts';
import { urlRules } from './url-rules.ts';

export type { RedactionRule, Surface } from './rule.ts';

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
