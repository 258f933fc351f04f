import { Script } from 'node:vm';
import { BrowserError } from '@wheelhouse/contracts';
import { RE2JS } from 're2js';

/** One match: the whole, then its groups; groups that took no part are empty. */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly string[];
}

/** A compiled regular expression of a definition. */
export interface Pattern {
  /** All matches, left to right. Throws `definition_unsupported` when a backtracking pattern runs out of time. */
  all(text: string): readonly PatternMatch[];
}

/** Longest run of a pattern that RE2 cannot do, milliseconds. */
const nativeTimeoutMs = 250;
const compiled = new Map<string, Pattern>();

/**
 * Compiles a pattern as definitions have them (.NET syntax). RE2 runs in linear time, whatever the pattern; what it
 * refuses (look-around, back references) runs on V8 in a context of its own that is stopped after 250 ms.
 *
 * @throws BrowserError `definition_unsupported` for syntax that neither takes
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const pattern = linear(translated(source)) ?? native(translated(source), source);
  if (compiled.size > 5_000) compiled.clear();
  compiled.set(source, pattern);
  return pattern;
}

/** .NET writes Unicode blocks as `\p{IsCyrillic}`, and groups as `(?<name>` like everybody. */
function translated(source: string): string {
  return source.replace(/\\([pP])\{Is(\w+?)\}/g, (_, p: string, name: string) => `\\${p}{${scripts[name] ?? name}}`);
}

const scripts: Readonly<Record<string, string>> = {
  Cyrillic: 'Cyrillic',
  Greek: 'Greek',
  Hebrew: 'Hebrew',
  Arabic: 'Arabic',
  CJKUnifiedIdeographs: 'Han',
};

function linear(source: string): Pattern | null {
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(source);
  } catch {
    return null;
  }
  return {
    all(text) {
      const found: PatternMatch[] = [];
      const matcher = pattern.matcher(text);
      while (matcher.find()) {
        const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
        found.push({ start: matcher.start(), end: matcher.end(), groups });
      }
      return found;
    },
  };
}

const run = new Script(`
  const found = [];
  for (const match of text.matchAll(new RegExp(source, flags))) found.push([match.index, ...match.map((group) => group ?? '')]);
  JSON.stringify(found);
`);

function native(source: string, original: string): Pattern {
  const { flags, body } = inlineFlags(source);
  const withUnicode = tryFlags(body, [`${flags}gu`, `${flags}g`]);
  if (withUnicode === null) {
    throw new BrowserError('definition_unsupported', `regular expression ${original.slice(0, 80)}`);
  }
  return {
    all(text) {
      const globals = { text, source: body, flags: withUnicode };
      let json: unknown;
      try {
        json = run.runInNewContext({ ...globals }, { timeout: nativeTimeoutMs });
      } catch (cause) {
        throw new BrowserError('definition_unsupported', `regular expression ${original.slice(0, 80)} takes too long`, {
          cause,
        });
      }
      const found = JSON.parse(String(json)) as readonly [number, ...string[]][];
      return found.map(([start, ...groups]) => ({ start, end: start + (groups[0]?.length ?? 0), groups }));
    },
  };
}

/** `(?i)` at the start, which JavaScript has as flags. */
function inlineFlags(source: string): { readonly flags: string; readonly body: string } {
  const inline = /^\(\?([ims]+)\)/.exec(source);
  if (inline === null) return { flags: '', body: source };
  return { flags: inline[1] ?? '', body: source.slice(inline[0].length).replaceAll(/\(\?[ims]+\)/g, '') };
}

function tryFlags(body: string, candidates: readonly string[]): string | null {
  for (const flags of candidates) {
    try {
      void new RegExp(body, flags);
      return flags;
    } catch {
      // The next one.
    }
  }
  return null;
}

/** Replaces every match; `$1`, `${1}` and `$0` in the replacement are groups, as in .NET. */
export function replaceAll(pattern: Pattern, text: string, replacement: string): string {
  let result = '';
  let at = 0;
  for (const { start, end, groups } of pattern.all(text)) {
    result += text.slice(at, start);
    result += replacement.replaceAll(
      /\$(?:\{(\d{1,2})\}|(\d{1,2})|\$)/g,
      (whole, braced: string | undefined, bare: string | undefined) => {
        if (whole === '$$') return '$';
        const number = Number(braced ?? bare);
        if (number < groups.length) return groups[number] ?? '';
        // `$12` with fewer than twelve groups is group 1 and a 2.
        const [first = '', ...rest] = String(number);
        return Number(first) < groups.length ? `${groups[Number(first)] ?? ''}${rest.join('')}` : whole;
      },
    );
    at = end;
  }
  return result + text.slice(at);
}
