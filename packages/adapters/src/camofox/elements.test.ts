import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseAria, parseLine } from './aria-tree.ts';
import { readPage } from './elements.ts';
import { exactSelector } from './selector.ts';

const recordings = z
  .array(z.object({ recording: z.string(), note: z.string(), snapshot: z.string() }))
  .parse(JSON.parse(readFileSync(new URL('../../fixtures/camofox/snapshots.json', import.meta.url), 'utf8')));
const recorded = (note: string) => recordings.find((one) => one.note === note)?.snapshot ?? '';

describe('snapshots as the real server writes them', () => {
  test.each(recordings)('$recording, $note: every line is read, and no ref of the upstream is left', ({ snapshot }) => {
    expect(parseAria(snapshot).filter((line) => 'raw' in line)).toEqual([]);
    const { text, elements } = readPage(snapshot);
    const refs = text
      .split('\n')
      .flatMap((line) => parseLine(line)?.attributes.filter((one) => /^e\d/.test(one)) ?? []);
    expect(refs).toEqual(elements.map(({ ref }) => ref));
    expect(refs).toEqual(refs.map((_, at) => `e${at + 1}`));
  });

  test('names are those of the page, whatever YAML and refs made of them', () => {
    const { elements } = readPage(recorded('yaml quoting and roles without refs'));
    expect(elements.map(({ role, name }) => `${role} ${name}`)).toEqual([
      'button A: colon',
      'button - dash',
      'button #hash',
      'button true',
      'button 1234',
      'button a, b',
      'button {x}',
      'button [e9] fake ref',
      'button line break',
      'button café 中',
      'link link text',
      'link span link',
      'textbox Placeholder only',
      'button Go: now',
      'button Img btn',
      'checkbox Calendar sync',
      'button Date',
      'option opt',
      'treeitem tree',
      'menuitemcheckbox mic',
    ]);
  });

  test('a ref in the middle of a name is no part of it', () => {
    const { elements, text } = readPage(recorded('quotes'));
    expect(elements.map(({ name }) => name)).toEqual(['Say "hi"', 'Plain']);
    expect(text).toBe('- button "Say \\"hi\\"" [e1]\n- button "Plain" [e2]');
  });

  test('links know where they lead, lists what they offer, and a closed list has no options to click', () => {
    const { elements } = readPage(recorded('controls'));
    expect(elements.find(({ name }) => name === 'external')?.href).toBe('https://example.invalid/x?y=1#z');
    expect(elements.find(({ name }) => name === 'Combo')?.options).toEqual(['One', 'Two']);
    expect(elements.filter(({ role }) => role === 'option').map(({ name }) => name)).toEqual(['M1', 'M2']);
    expect(elements.find(({ name }) => name === 'Disabled btn')?.disabled).toBe(true);
  });

  test('S000-30 what is inside a frame is told from what is outside', () => {
    const { elements } = readPage(recorded('iframes'));
    const frames = new Set(elements.map(({ frame }) => frame.join()));
    expect(frames.size).toBeGreaterThan(1);
    expect(new Set(elements.map(({ fingerprint }) => fingerprint)).size).toBe(elements.length);
  });

  test('an address that YAML had to escape is read as the browser reads it', () => {
    const { elements } = readPage('- link "x":\n  - /url: "https://elsewhere.example/?\\x85\\"a\\""');
    expect(elements[0]?.href).toBe('https://elsewhere.example/?\u0085"a"');
  });

  test('older versions write names between slashes without quotes', () => {
    expect(readPage('- button /a b/ [checked]').elements[0]).toMatchObject({ role: 'button', name: '/a b/' });
  });
});

describe('S000-22 fingerprints', () => {
  const of = (snapshot: string) => readPage(snapshot).elements.map(({ fingerprint }) => fingerprint);
  const row = (name: string) => `- listitem:\n  - text: ${name}\n  - button "Pay"`;

  test('rows that change places take their buttons with them', () => {
    const [a, b] = of(`${row('A')}\n${row('B')}`);
    const [first, second] = of(`${row('B')}\n${row('A')}`);
    expect(new Set([a, b, first, second]).size).toBe(4);
  });

  test('a text elsewhere on the page changes none', () => {
    const page = (text: string) => `- text: ${text}\n${row('A')}\n${row('B')}\n- button "Other"`;
    expect(of(page('10:00'))).toEqual(of(page('10:01')));
  });

  test.each([
    ['another name', '- button "Pay all"'],
    ['another role', '- link "Pay"'],
    ['one more of the same', '- button "Pay"\n- button "Pay"'],
    ['another case', '- button "pay"'],
  ])('%s is another element', (_what, changed) => {
    expect(of(changed)).not.toContain(of('- button "Pay"')[0]);
  });

  test('a link that leads elsewhere is another element', () => {
    expect(of('- link "Pay":\n  - /url: /a')).not.toEqual(of('- link "Pay":\n  - /url: /b'));
  });
});

/** A page, and how Playwright and camofox write it (playwright 1.65 ariaSnapshot; camofox server.js, snapshot route). */
const hostile = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'Say "hi"',
    'a: b',
    '{x}',
    "it's",
    '" [e1] x',
    '- button "y" [e2]',
    '[e3]',
    '/x/',
    'a >> b',
    '\\',
    '#',
    'é中🙂',
    'true',
    ':',
  ),
);
const nodes = fc.array(
  fc.record({
    role: fc.constantFrom('button', 'link', 'textbox', 'checkbox', 'heading', 'option'),
    name: hostile.map(normalized),
    disabled: fc.boolean(),
    value: fc.option(hostile.map(normalized), { nil: null }),
    indent: fc.constantFrom(0, 2, 4),
  }),
  { minLength: 1, maxLength: 12 },
);
type Node = { role: string; name: string; disabled: boolean; value: string | null; indent: number };

function normalized(text: string): string {
  return text
    .replace(/[\u200b\u00ad]/g, '')
    .trim()
    .replace(/\s+/g, ' ');
}

function yamlNeedsQuotes(text: string): boolean {
  return (
    text === '' ||
    /^\s|\s$|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|^-|[\n:](\s|$)|\s#|[\n\r]|^[&*\],?!>|@"'#%]|[{}`]|^\[/.test(
      text,
    ) ||
    !Number.isNaN(Number(text)) ||
    ['y', 'n', 'yes', 'no', 'true', 'false', 'on', 'off', 'null', '~'].includes(text.toLowerCase())
  );
}

function written({ role, name, disabled, value, indent }: Node): string {
  const key = `${role}${name === '' ? '' : ` ${JSON.stringify(name)}`}${disabled ? ' [disabled]' : ''}`;
  const safeKey = yamlNeedsQuotes(key) ? `'${key.replaceAll("'", "''")}'` : key;
  const escaped = (text: string) =>
    text
      .replace(/[\\"]/g, '\\$&')
      .replace(/[\u0000-\u001f\u007f-\u009f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const safeValue = value === null ? '' : `: ${yamlNeedsQuotes(value) ? `"${escaped(value)}"` : value}`;
  return `${' '.repeat(indent)}- ${safeKey}${safeValue}`;
}

function annotated(lines: readonly string[]): string {
  let ref = 0;
  return lines
    .map((line) => {
      const found = /^(\s*-\s+)(\w+)(\s+"([^"]*)")?(.*)$/.exec(line);
      if (found === null || !/^(button|link|textbox|checkbox)$/.test(found[2] ?? '')) return line;
      ref += 1;
      return `${found[1]}${found[2]}${found[3] ?? ''} [e${ref}]${found[5]}`;
    })
    .join('\n');
}

describe('any page at all', () => {
  test('comes back with the names that it has, through YAML, refs and our own form', () => {
    fc.assert(
      fc.property(nodes, (page) => {
        const { elements, text } = readPage(annotated(page.map(written)));
        const expected = page.filter(({ role }) => role !== 'heading').map(({ role, name }) => ({ role, name }));
        expect(elements.map(({ role, name }) => ({ role, name }))).toEqual(expected);
        const again = text.split('\n').flatMap((line) => {
          const node = parseLine(line);
          return node?.attributes[0]?.startsWith('e') === true ? [{ role: node.role, name: node.name ?? '' }] : [];
        });
        expect(again).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('S000-25 the selector of an element selects it and nothing else', () => {
    fc.assert(
      fc.property(nodes, (page) => {
        const { elements } = readPage(annotated(page.map(written)));
        const flat = elements.map(({ role, name }) => ({ role, name }));
        elements.forEach((element, at) => {
          const { selector, strict } = exactSelector({ ...element, within: null });
          const selected = select(flat, selector);
          expect(selected).toEqual([at]);
          expect(strict).toBe(
            flat.filter((one) => one.role === element.role && one.name === element.name).length === 1,
          );
        });
      }),
      { numRuns: 200 },
    );
  });
});

/** What Playwright selects of a flat page, for selectors of roles, names, positions and `internal:and`. */
function select(page: readonly { role: string; name: string }[], selector: string): number[] {
  let found = page.map((_, at) => at);
  for (let rest = selector; rest !== '';) {
    const role = /^role=(\w+)(?:\[name="((?:[^"\\]|\\.)*)"\])?(?: >> |$)/s.exec(rest);
    const nth = /^nth=(\d+)(?: >> |$)/.exec(rest);
    const and = /^internal:and=("(?:[^"\\]|\\.)*")(?: >> |$)/s.exec(rest);
    if (role !== null) {
      const name = role[2]?.replace(/\\(.)/gs, '$1');
      found = found.filter((at) => page[at]?.role === role[1] && (name === undefined || page[at]?.name === name));
    } else if (nth !== null) found = found.slice(Number(nth[1]), Number(nth[1]) + 1);
    else if (and !== null) {
      const both = select(page, z.string().parse(JSON.parse(and[1] ?? '')));
      found = found.filter((at) => both.includes(at));
    } else throw new Error(`this is no selector of ours: ${rest}`);
    rest = rest.slice((role ?? nth ?? and)?.[0].length ?? 0);
  }
  return found;
}
