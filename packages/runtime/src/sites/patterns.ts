import { createContext, Script } from 'node:vm';
import { BrowserError } from '@wheelhouse/contracts';
import { RE2JS } from 're2js';
import { patternFor } from './pattern-syntax.ts';

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
 * Compiles a pattern as definitions have them (.NET syntax, in which `\w`, `\d`, `\s` and `\b` know all of Unicode).
 * RE2 runs in linear time, whatever the pattern; what it refuses (look-around, back references, word boundaries in
 * texts that are not ASCII) runs on V8 in a context of its own that is stopped after 250 ms.
 *
 * @throws BrowserError `definition_unsupported` for syntax that neither takes
 */
export function compilePattern(source: string): Pattern {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const ascii = linear(source, false) ?? native(source, false);
  let unicode: Pattern | null = null;
  const pattern: Pattern = {
    all(text) {
      if (isAscii(text) && isAscii(source)) return ascii.all(text);
      unicode ??= linear(source, true) ?? native(source, true);
      return unicode.all(text);
    },
  };
  if (compiled.size > 5_000) compiled.clear();
  compiled.set(source, pattern);
  return pattern;
}

function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the whole of ASCII is meant
  return /^[\0-\x7f]*$/.test(text);
}

function linear(source: string, unicode: boolean): Pattern | null {
  const written = patternFor(source, { engine: 'linear', unicode });
  if (written === null) return null;
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(written);
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

/** Holds the three strings of one run at a time; nothing of this program can be reached from it. */
const cell = createContext(Object.create(null));
const run = new Script(`
  found = [];
  for (const match of text.matchAll(new RegExp(source, flags))) found.push([match.index, ...match.map((group) => group ?? '')]);
  JSON.stringify(found);
`);

function native(source: string, unicode: boolean): Pattern {
  const inline = /^\(\?i\)/.exec(source);
  const body = patternFor(source.slice(inline?.[0].length ?? 0), { engine: 'native', unicode });
  const flags = inline === null ? 'gv' : 'giv';
  if (body === null || !compiles(body, flags)) throw refused(source, 'is not supported');
  return {
    all(text) {
      let json: unknown;
      try {
        Object.assign(cell, { text, source: body, flags });
        json = run.runInContext(cell, { timeout: nativeTimeoutMs });
      } catch (cause) {
        throw refused(source, 'takes too long', cause);
      } finally {
        Object.assign(cell, { text: '', found: null });
      }
      const found = JSON.parse(String(json)) as readonly [number, ...string[]][];
      return found.map(([start, ...groups]) => ({ start, end: start + (groups[0]?.length ?? 0), groups }));
    },
  };
}

function compiles(body: string, flags: string): boolean {
  try {
    void new RegExp(body, flags);
    return true;
  } catch {
    return false;
  }
}

function refused(source: string, why: string, cause?: unknown): BrowserError {
  return new BrowserError('definition_unsupported', `regular expression ${source.slice(0, 80)} ${why}`, { cause });
}

/** Replaces every match; `$1`, `${1}`, `$0` and `$&` in the replacement are groups, as in .NET: `$9` without a ninth group is text. */
export function replaceAll(pattern: Pattern, text: string, replacement: string): string {
  let result = '';
  let at = 0;
  for (const { start, end, groups } of pattern.all(text)) {
    result += text.slice(at, start);
    result += replacement.replaceAll(/\$(?:\{(\d{1,3})\}|(\d{1,3})|[$&])/g, (whole, braced?: string, bare?: string) => {
      if (whole === '$$') return '$';
      return groups[whole === '$&' ? 0 : Number(braced ?? bare)] ?? whole;
    });
    at = end;
  }
  return result + text.slice(at);
}
