import { ariaSnapshot } from './aria-snapshot.ts';
import type { DomElement } from './dom.ts';
import type { Frame } from './select.ts';
import type { Refs, RefTarget } from './structure.ts';

const maxRefs = 500;
const maxFrames = 8;
/** Roles that 1.17 numbers; 1.14 leaves out the last two. */
const numbered =
  'button link textbox checkbox radio menuitem tab searchbox slider spinbutton switch combobox listitem'.split(' ');
const datePicker = [/datepicker/i, /date.?picker/i, /calendar/i, /^date$/i];
const lineStart = /^\s*-\s+(\w+)(?:\s+"([^"]*)")?/;

/** Whether the roles of 1.17 or of 1.14 are numbered. */
export type RoleSet = '1.14' | '1.17';

const isNumbered = (role: string, roles: RoleSet) =>
  numbered.slice(0, roles === '1.14' ? -2 : undefined).includes(role);

/** What is looked at: the main document and its frames. */
export interface Looked {
  readonly body: DomElement;
  readonly frames: readonly Frame[];
}

const bodyOf = (root: DomElement) => root.elements.find(({ tag }) => tag === 'body') ?? root;

/** Frames that the upstream shows: with an address of their own and something to press in them. */
function shownFrames(frames: readonly Frame[], roles: RoleSet) {
  return frames
    .filter(({ url }) => url !== '' && url !== 'about:blank' && url !== 'about:srcdoc')
    .map((frame) => ({ frame, text: ariaSnapshot(bodyOf(frame.root)) }))
    .filter(
      ({ text }) =>
        text.trim().length >= 10 && text.split('\n').some((line) => isNumbered(lineStart.exec(line)?.[1] ?? '', roles)),
    )
    .slice(0, maxFrames);
}

/** Numbers the controls anew, from `e1`, as the upstream does: by reading the lines of its own text. */
export function numberRefs(page: Looked, roles: RoleSet): Refs {
  const refs: Refs = new Map();
  numberText(ariaSnapshot(page.body), refs, roles, {});
  for (const { frame, text } of shownFrames(page.frames, roles)) numberText(text, refs, roles, { frameUrl: frame.url });
  return refs;
}

function numberText(text: string, refs: Refs, roles: RoleSet, where: { readonly frameUrl?: string }): void {
  const seen = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (refs.size >= maxRefs) return;
    const [, role, name = ''] = lineStart.exec(line) ?? [];
    if (role === undefined || !isNumbered(role, roles) || datePicker.some((pattern) => pattern.test(name))) continue;
    const nth = seen.get(`${role}:${name}`) ?? 0;
    seen.set(`${role}:${name}`, nth + 1);
    refs.set(`e${refs.size + 1}`, { role, name, nth, ...where });
  }
}

/** The text with frames below it and `[eN]` behind the names; of equally named controls the last frame's number wins. */
export function annotatedText(page: Looked, refs: Refs, roles: RoleSet): string {
  const main = ariaSnapshot(page.body);
  if (main === '') return '';
  const frames = shownFrames(page.frames, roles).map(
    ({ frame, text }) =>
      `- iframe "${labelOf(frame)}":\n${text
        .split('\n')
        .map((line) => `  ${line}`)
        .join('\n')}`,
  );
  const text = [main, ...frames].join('\n');
  if (refs.size === 0) return text;
  const byKey = new Map([...refs].map(([ref, target]) => [keyOf(target), ref]));
  const seen = new Map<string, number>();
  return text
    .split('\n')
    .map((line) => {
      const found = /^(\s*-\s+)(\w+)(\s+"([^"]*)")?(.*)$/.exec(line);
      if (found === null) return line;
      const [, start = '', role = '', quoted = '', name = '', rest = ''] = found;
      if (!isNumbered(role, roles) || datePicker.some((pattern) => pattern.test(name))) return line;
      const nth = seen.get(`${role}:${name}`) ?? 0;
      seen.set(`${role}:${name}`, nth + 1);
      const ref = byKey.get(keyOf({ role, name, nth }));
      return ref === undefined ? line : `${start}${role}${quoted} [${ref}]${rest}`;
    })
    .join('\n');
}

const keyOf = ({ role, name, nth }: RefTarget) => `${role}:${name}:${nth}`;

function labelOf({ name, url }: Frame): string {
  if (name !== '') return name;
  try {
    return new URL(url).hostname;
  } catch {
    return 'iframe';
  }
}
