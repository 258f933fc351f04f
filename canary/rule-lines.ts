import { createHash } from 'node:crypto';
import { type RedactionRule, redactionRules } from '@wheelhouse/adapters';
import type { Canary } from './canaries.ts';

/** An example of a redaction rule with a canary of its own in the place of the secret. */
export interface RuleLine {
  readonly rule: string;
  readonly line: string;
  /** Whether only a snapshot of a page has it. */
  readonly isSnapshot: boolean;
  /** Whether the secret must have been given out before. */
  readonly isKnown: boolean;
}

/** The examples of all rules, and what may be found of none. */
export interface RuleLines {
  readonly lines: readonly RuleLine[];
  readonly canaries: readonly Canary[];
  /** Those that nothing but being known gives away. */
  readonly known: readonly string[];
}

/** Characters of a secret that are looked for: enough that chance does not write them. */
const searched = 12;

/**
 * The lines that prove the rules, each with another secret of the same make: letters for letters, digits for digits, so
 * that the rules read them alike.
 */
export function ruleLines(seed: string): RuleLines {
  const canaries: Canary[] = [];
  const known: string[] = [];
  const lines = redactionRules.flatMap((rule) =>
    rule.leaks.map((example, at): RuleLine => {
      const { word, digits } = starts(`${seed}:${rule.id}:${at}`);
      const line = replanted(example, [
        ['s3cr3t', word],
        ['5ec2e7', digits],
      ]);
      for (const [value] of readable(line).matchAll(new RegExp(`(?:${word}|${digits})\\w*`, 'gi'))) {
        canaries.push({ name: `rule ${rule.id}`, value: value.slice(0, searched) });
        if (rule.id === 'known-secret') known.push(value);
      }
      return { rule: rule.id, line, isSnapshot: isSnapshot(rule), isKnown: rule.id === 'known-secret' };
    }),
  );
  const once = new Map(canaries.map((canary) => [`${canary.name} ${canary.value}`, canary]));
  return { lines, canaries: [...once.values()], known };
}

/** Two beginnings of secrets: letter, digit and letters as in `s3cr3t`, hex digits as in `5ec2e7`. */
function starts(seed: string) {
  const bytes = createHash('sha256').update(seed).digest();
  const pick = (from: string, at: number) => from.charAt((bytes[at] ?? 0) % from.length);
  const letter = (at: number) => pick('bcdfghjkmnpqrstvwxz', at);
  const digit = (at: number) => pick('23456789', at);
  return {
    word: `${letter(0)}${digit(1)}${letter(2)}${letter(3)}${digit(4)}${letter(5)}`,
    digits: `${digit(6)}${pick('bcdf', 7)}${pick('abce', 8)}${digit(9)}${pick('acdf', 10)}${digit(11)}`,
  };
}

const isSnapshot = ({ surfaces }: RedactionRule) => surfaces.length === 1 && surfaces[0] === 'a11y';

const inPercent = (text: string) => Array.from(text, (c) => `%${c.charCodeAt(0).toString(16)}`).join('');
const inEntities = (text: string) => Array.from(text, (c) => `&#${c.charCodeAt(0)};`).join('');
const base64Run = /[A-Za-z0-9+/]{24,}={0,2}/g;

/** The example with other secrets, also where it is written in escapes or base64. */
function replanted(example: string, pairs: readonly (readonly [string, string])[]): string {
  let line = example;
  for (const [old, fresh] of pairs) {
    for (const write of [(text: string) => text, inPercent, inEntities])
      line = line.replaceAll(write(old), write(fresh));
    line = line.replaceAll(base64Run, (run) => {
      const text = Buffer.from(run, 'base64').toString('latin1');
      return text.includes(old) ? Buffer.from(text.replaceAll(old, fresh), 'latin1').toString('base64') : run;
    });
  }
  return line;
}

/** A line with what its escapes and base64 say. */
function readable(line: string): string {
  return [
    line,
    line.replaceAll(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    line.replaceAll(/&#(\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code))),
    ...Array.from(line.matchAll(base64Run), ([run]) => Buffer.from(run, 'base64').toString('latin1')),
  ].join('\n');
}
