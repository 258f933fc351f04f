import { isAlnum } from './characters.ts';
import { credentialSegments } from './path-words.ts';
import { ruleIndex } from './rules.ts';
import { mark, type Sheet } from './sheet.ts';

const linkRule = ruleIndex('one-time-link');

/** How much of a path is read behind the word. */
const reach = 200;

const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** UUIDs in the path behind a segment for hooks, invitations and the like. `start`..`end` is a part of that segment. */
export function onPathWord(sheet: Sheet, start: number, end: number): number {
  const { text } = sheet;
  let from = start;
  while (
    from > sheet.from &&
    start - from < 16 &&
    (isAlnum(text.charCodeAt(from - 1)) || text.charCodeAt(from - 1) === 45)
  )
    from--;
  if (text.charCodeAt(from - 1) !== 47) return end;
  let to = end;
  while (to < sheet.to && to - end < reach && /[\w/.\\-]/.test(text[to] ?? '')) to++;
  const [word = '', ...rest] = text
    .slice(from, to)
    .toLowerCase()
    .split(/[\\/]+/);
  if (!credentialSegments.has(word)) return end;
  const match = rest.length === 0 ? null : id.exec(text.slice(end, to));
  if (match === null) return end;
  const found = end + match.index;
  mark(sheet, linkRule, found, found + match[0].length);
  return found + match[0].length;
}
