import { classifyKey, type KeyKind } from './classify-key.ts';
import { isIdeographic, isWideLetter, plainText } from './characters.ts';
import { phraseKinds, wideEndings, wideLabels } from './field-labels.ts';

const known = new Map<string, KeyKind | null>();
const mostKnown = 2000;

const rank: Readonly<Record<KeyKind, number>> = {
  password: 9,
  recovery: 8,
  secret: 7,
  code: 6,
  authorization: 5,
  cookie: 5,
  pass: 4,
  session: 3,
  weak: 2,
  hash: 1,
};

/** What the label of a field says of its content: the strongest of its words, in any of the known languages. */
export function labelKind(label: string): KeyKind | null {
  const before = known.get(label);
  if (before !== undefined) return before;
  const kind = read(label);
  if (known.size >= mostKnown) known.clear();
  known.set(label, kind);
  return kind;
}

function read(label: string): KeyKind | null {
  const plain = plainText(label.slice(0, 200)).toLowerCase();
  let best: KeyKind | null = null;
  const offer = (kind: KeyKind | null) => {
    if (kind !== null && (best === null || rank[kind] > rank[best])) best = kind;
  };
  for (const [word, kind] of wideLabels) if (plain.includes(word)) offer(kind);
  const words = plain.split(/[^a-z0-9_-]+/).filter((word) => word !== '');
  for (const [i, word] of words.entries()) {
    offer(classifyKey(word));
    for (let length = 2; length <= 3; length++) {
      const phrase = words.slice(i, i + length).join(' ');
      offer(phraseKinds.get(phrase) ?? null);
    }
  }
  return best;
}

/** A stem of a wide label found in running text: the letters around it must let it keep its meaning. */
export function wideLabelAt(text: string, at: number, to: number): { end: number; kind: KeyKind } | undefined {
  for (const [word, kind] of wideLabels) {
    if (!matches(text, at, word)) continue;
    let end = at + word.length;
    const stemEnd = end;
    while (end < to && end < stemEnd + 12 && isSameScript(text.charCodeAt(end), text.charCodeAt(stemEnd - 1))) end++;
    const ending = text.slice(stemEnd, end).toLowerCase();
    return { end, kind: wideEndings.test(ending) ? kind : 'weak' };
  }
  return undefined;
}

function isSameScript(c: number, other: number): boolean {
  return isWideLetter(c) && isIdeographic(c) === isIdeographic(other);
}

function matches(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const c = text.charCodeAt(at + i);
    const w = word.charCodeAt(i);
    if (c !== w && !(c >= 0x370 && c < 0x590 && String.fromCharCode(c).toLowerCase().charCodeAt(0) === w)) return false;
  }
  return true;
}

/** First letters of the wide labels, both cases. */
export const wideStarts: ReadonlySet<number> = new Set(
  wideLabels.flatMap(([word]) => {
    const first = word.slice(0, 1);
    return [first.charCodeAt(0), first.toUpperCase().charCodeAt(0)];
  }),
);
