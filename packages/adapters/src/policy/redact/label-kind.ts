import { classifyKey, type KeyKind } from './classify-key.ts';
import type { Sheet } from './sheet.ts';
import { isIdeographic, isWideLetter, plainText } from './characters.ts';
import {
  harmlessCode,
  harmlessLabel,
  phraseKinds,
  longestEnding,
  searchLabel,
  wideEndings,
  wideLabels,
} from './field-labels.ts';

/** What a label says of the field that it stands by. */
export interface LabelFacts {
  /** The strongest of its words, in any of the known languages. */
  readonly kind: KeyKind | null;
  /** A search, a title, a name, an amount: meant to be seen. */
  readonly isHarmless: boolean;
  /** A code that is no credential, such as a postal code. */
  readonly isOtherCode: boolean;
  readonly isSearch: boolean;
}

const known = new Map<string, LabelFacts>();
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

/** Reads the label of a field. */
export function labelFacts(label: string): LabelFacts {
  const before = known.get(label);
  if (before !== undefined) return before;
  const plain = plainText(label.slice(0, 200)).toLowerCase();
  const facts: LabelFacts = {
    kind: kindOf(plain),
    isHarmless: harmlessLabel.test(plain),
    isOtherCode: harmlessCode.test(plain),
    isSearch: searchLabel.test(plain),
  };
  if (known.size >= mostKnown) known.clear();
  known.set(label, facts);
  return facts;
}

function kindOf(plain: string): KeyKind | null {
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

/** Wide labels by their first letter, of either case. */
const byFirst = new Map<number, (readonly [word: string, kind: KeyKind])[]>();
for (const label of wideLabels) {
  const first = label[0].slice(0, 1);
  for (const letter of new Set([first, first.toUpperCase()])) {
    const list = byFirst.get(letter.charCodeAt(0));
    if (list === undefined) byFirst.set(letter.charCodeAt(0), [label]);
    else list.push(label);
  }
}

/** First letters of the wide labels, both cases. */
export const wideStarts: ReadonlySet<number> = new Set(byFirst.keys());

/** A stem of a wide label found in running text: the letters around it must let it keep its meaning. */
export function wideLabelAt({ text, from, to }: Sheet, at: number): { end: number; kind: KeyKind } | undefined {
  const labels = byFirst.get(text.charCodeAt(at));
  if (labels === undefined) return undefined;
  for (const [word, kind] of labels) {
    if (at + word.length > to || !matches(text, at, word)) continue;
    const stemEnd = at + word.length;
    let end = stemEnd;
    while (end < to && end < stemEnd + 12 && isSameScript(text.charCodeAt(end), text.charCodeAt(stemEnd - 1))) end++;
    // Other letters make another word of it: 密码风暴 is the title of a film.
    const ending = text.slice(stemEnd, end);
    const isWord = isIdeographic(text.charCodeAt(stemEnd - 1))
      ? wideEndings.test(ending)
      : ending.length <= longestEnding;
    if (!isWord) return undefined;
    const isNarrowed = kind === 'weak' && /(?:api|rss)[ -]?$/i.test(text.slice(Math.max(from, at - 4), at));
    return { end, kind: isNarrowed ? 'secret' : kind };
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
