import { foldOf, invisible, isAlnum, plain } from './characters.ts';
import { onField } from './a11y-fields.ts';
import { onScheme } from './authorization.ts';
import { onCommand, onCurl, onPrivateKey } from './commands.ts';
import { wideLabelAt, wideStarts } from './label-kind.ts';
import { onLogin } from './literals.ts';
import { onName, onStem } from './names.ts';
import { onPathWord } from './path-ids.ts';
import { maskStrings } from './objects.ts';
import type { Sheet } from './sheet.ts';

/** Looks at the word in which a stem was found; returns where the scan goes on. */
type Handler = (sheet: Sheet, start: number, end: number) => number;

interface Stem {
  readonly word: string;
  /** Index of the three letters by which the scan notices the stem: the rarest of it. */
  readonly at: number;
  readonly handle: Handler;
}

/**
 * What the scan looks out for: `stem` or `st[em]x`, where the brackets hold the three letters to notice it by.
 * Chosen rare, so that ordinary text seldom stops the scan.
 */
const nameStems = `
  [pas]s [pwd] [psw] [key] t[oke]n s[ecr]et a[uth] coo[kie] se[ssi]on [sid] h[ash] [sig]n [pin] [otp]
  [2fa] tw[ofa] [mfa] [tfa] fa[cto]r t[wos]tep two_s[tep] [cod]e cre[den]tial [pid] [rid] c[srf] x[srf] [api] [jwt]
  [cvv] [mdp] [inv]itation
  h[asl]o he[slo] je[lsz]o p[aro]l se[nha] cont[ras]en ke[nnw]ort wa[cht]woord los[eno]rd ad[gan]gskode kod[eor]d
  s[ala]sana [sif]re k[hau] [san]di [loz]inka ge[slo] sla[pta]zod z[apo]rka [mne]monic seed[phr]ase
  k[luc]z k[ulc]s sl[eut]el sch[lus]sel [nyc]kel a[nah]tar c[hav]e c[hia]ve l[lav]e c[lav]e [cle] [kli]c se[cou]rs rec[upe]ra
`;

const table = new Uint8Array(0x8000);
const stems: Stem[][] = [[]];

function bits(word: string, at: number): number {
  return ((word.charCodeAt(at) & 31) << 10) | ((word.charCodeAt(at + 1) & 31) << 5) | (word.charCodeAt(at + 2) & 31);
}

function addStem(pattern: string, handle: Handler): void {
  const at = Math.max(0, pattern.indexOf('['));
  const word = pattern.replace(/[[\]]/g, '');
  const key = bits(word, at);
  if (table[key] === 0) {
    table[key] = stems.length;
    stems.push([]);
  }
  stems[table[key] ?? 0]?.push({ word, at, handle });
}

// Words that log in come before the names in them: what follows `auth` in `authenticate(` is no value.
addStem('l[ogi]n', onLogin);
addStem('a[uth]enticate', onLogin);
addStem('[sig]nin', onLogin);
for (const stem of nameStems.trim().split(/\s+/)) addStem(stem, onStem);
for (const role of ['tex[tbo]x', 'searc[hbo]x', 'spi[nbu]tton', 'com[bob]ox', '[sli]der']) addStem(role, onField);
addStem('[bea]rer', (sheet, _start, end) => onScheme(sheet, end));
addStem('[bas]ic', (sheet, _start, end) => onScheme(sheet, end));
addStem('p[ara]ms', onParams);
addStem('[cur]l', (sheet, _start, end) => onCurl(sheet, end));
addStem('iden[tif]y', onCommand);
addStem('[inv]ite', onCommand);
for (const word of [
  '[hoo]k',
  '[oti]f',
  'ser[vic]es',
  '[inv]ite',
  'r[ese]t',
  'con[fir]m',
  'act[iva]t',
  've[rif]',
  're[cov]er',
]) {
  addStem(word, onPathWord);
}
addStem('[beg]in', onPrivateKey);

/** Characters above 127 at which the scan stops: 1 not seen by readers, 2 first letter of a label in another script. */
const wide = new Uint8Array(0x10000);
for (let c = 128; c < wide.length; c++) if (foldOf(c) === invisible) wide[c] = 1;
for (const c of wideStarts) wide[c] = 2;

/**
 * Reads the sheet once, three letters at a time, and hands the places where a stem begins to its handler.
 *
 * Letters are compared by their low five bits, which drops their case; what then looks like a stem is read again
 * with care. Accented and full-width letters count as their plain twins, invisible ones not at all.
 */
export function scanTriggers(sheet: Sheet): void {
  const { text, to } = sheet;
  let window = 0;
  let i = sheet.from;
  while (i < to) {
    // The innermost loop of the whole engine: nothing but this for most characters.
    let c = 0;
    for (; i < to; i++) {
      c = text.charCodeAt(i);
      if (c > 127) break;
      window = ((window << 5) | (c & 31)) & 0x7fff;
      if (table[window] !== 0) break;
    }
    if (i >= to) return;
    if (c > 127) {
      const stop = wide[c];
      if (stop === 1) {
        i++;
        continue;
      }
      const next = stop === 2 ? onWide(sheet, i) : 0;
      if (next > i) {
        i = next;
        window = 0;
        continue;
      }
      window = ((window << 5) | ((foldOf(c) || c) & 31)) & 0x7fff;
    }
    const bucket = table[window] ?? 0;
    const next = bucket === 0 ? 0 : noticed(sheet, i, stems[bucket] ?? []);
    if (next > i + 1) {
      i = next;
      window = 0;
    } else i++;
  }
}

/** A label in another script that begins at `at`: where the scan goes on, or 0 when there is none. */
function onWide(sheet: Sheet, at: number): number {
  const label = wideLabelAt(sheet, at);
  if (label === undefined) return 0;
  return Math.max(
    label.end,
    onName(sheet, { start: at, end: label.end, kind: label.kind, dotted: false, option: false }),
  );
}

/** Checks the stems that may end their three letters at `at`, and runs the handler of the first that is there. */
function noticed(sheet: Sheet, at: number, candidates: readonly Stem[]): number {
  for (const stem of candidates) {
    const start = stemStart(sheet, at, stem);
    if (start < 0) continue;
    const end = stemEnd(sheet, at, stem);
    if (end < 0) continue;
    const next = stem.handle(sheet, start, end);
    if (next > end || stem.handle === onStem) return next;
  }
  return at;
}

function stemStart(sheet: Sheet, at: number, { word, at: notice }: Stem): number {
  const { text, from } = sheet;
  let i = at;
  for (let k = notice + 2; k >= 0; k--, i--) {
    if (i < from) return -1;
    let c = text.charCodeAt(i);
    if (c > 127) {
      c = plain(c);
      if (c === invisible) {
        k++;
        continue;
      }
    } else if (c >= 65 && c <= 90) c += 32;
    if (c !== word.charCodeAt(k)) return -1;
  }
  return i + 1;
}

function stemEnd(sheet: Sheet, at: number, { word, at: notice }: Stem): number {
  const { text, to } = sheet;
  let i = at + 1;
  for (let k = notice + 3; k < word.length; k++, i++) {
    if (i >= to) return -1;
    let c = text.charCodeAt(i);
    if (c > 127) {
      c = plain(c);
      if (c === invisible) {
        k--;
        continue;
      }
    } else if (c >= 65 && c <= 90) c += 32;
    if (c !== word.charCodeAt(k)) return -1;
  }
  return i;
}

/** `params: ["…", 100, 0]`: JSON-RPC calls carry the key as an argument. */
function onParams(sheet: Sheet, _start: number, end: number): number {
  const { text } = sheet;
  let at = end;
  while (at < end + 12 && /["'`\\\s:=]/.test(text[at] ?? '')) at++;
  if (text.charCodeAt(at) === 91 && !isAlnum(text.charCodeAt(end))) maskStrings(sheet, at + 1, false);
  return end;
}
