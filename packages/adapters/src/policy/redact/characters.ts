/** Character classes as bits, for code units below 128. */
const digit = 1;
const lower = 2;
const upper = 4;
const hex = 8;

const classes = new Uint8Array(128);
for (let c = 48; c <= 57; c++) classes[c] = digit | hex;
for (let c = 97; c <= 122; c++) classes[c] = lower | (c <= 102 ? hex : 0);
for (let c = 65; c <= 90; c++) classes[c] = upper | (c <= 70 ? hex : 0);

/** Letter or digit of ASCII. */
export function isAlnum(c: number): boolean {
  return c < 128 && classes[c] !== 0;
}

/** ASCII digit. */
export function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

/** ASCII letter. */
export function isLetter(c: number): boolean {
  return c < 128 && ((classes[c] ?? 0) & (lower | upper)) !== 0;
}

/** Lower-case ASCII letter. */
export function isLower(c: number): boolean {
  return c >= 97 && c <= 122;
}

/** Upper-case ASCII letter. */
export function isUpper(c: number): boolean {
  return c >= 65 && c <= 90;
}

/** Hexadecimal digit of either case. */
export function isHex(c: number): boolean {
  return c < 128 && ((classes[c] ?? 0) & hex) !== 0;
}

/** Space, tab, line end or no-break space. */
export function isSpace(c: number): boolean {
  return c === 32 || c === 10 || c === 9 || c === 13 || c === 160 || c === 0x3000;
}

/** Space or tab, but no line end. */
export function isBlank(c: number): boolean {
  return c === 32 || c === 9 || c === 160 || c === 0x3000;
}

/** `"`, `'` or a backtick. */
export function isQuote(c: number): boolean {
  return c === 34 || c === 39 || c === 96;
}

/** Ideograph, kana or hangul: scripts whose words are written without spaces. */
export function isIdeographic(c: number): boolean {
  return (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) || (c >= 0xac00 && c <= 0xd7a3);
}

/** Letter outside ASCII, as far as words are concerned: all above U+00BF but punctuation, symbols and surrogates. */
export function isWideLetter(c: number): boolean {
  return (
    c >= 0xc0 &&
    c !== 0xd7 &&
    c !== 0xf7 &&
    !(c >= 0x2000 && c <= 0x303f) &&
    !(c >= 0xd800 && c <= 0xf8ff) &&
    c < 0xfe00
  );
}

/** What a code unit above 127 stands for in the eyes of the rules: itself (0), nothing (`invisible`), or an ASCII letter. */
const folded = new Uint8Array(0x10000);

/** In `foldOf`: the character is not seen by a reader (soft hyphen, zero width space and joiners, byte order mark). */
export const invisible = 1;

for (const c of [0xad, 0x34f, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2060, 0x2061, 0x2062, 0x2063, 0xfeff]) {
  folded[c] = invisible;
}
for (let c = 0xff01; c <= 0xff5e; c++) folded[c] = c - 0xfee0;
const undecomposed: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  æ: 'a',
  ß: 's',
};
for (const [from, to] of Object.entries(undecomposed)) folded[from.charCodeAt(0)] = to.charCodeAt(0);
for (let c = 0xc0; c < 0x1f00; c = c === 0x24f ? 0x1e00 : c + 1) {
  const base = String.fromCharCode(c).normalize('NFD').charCodeAt(0);
  if (isLetter(base)) folded[c] = base;
}

/** ASCII letter behind a full-width or accented one, `invisible`, or 0 when the unit stands for itself. Only for units above 127. */
export function foldOf(c: number): number {
  return folded[c] ?? 0;
}

/** True for a character above 127 that readers do not see. */
export function isInvisible(c: number): boolean {
  return c > 127 && folded[c] === invisible;
}

/** Lower-case ASCII twin of a code unit where there is one, the unit itself otherwise. */
export function plain(c: number): number {
  const base = c > 127 ? folded[c] || c : c;
  return base >= 65 && base <= 90 ? base + 32 : base;
}

/** A text with invisible characters removed, accents dropped, and lower case throughout. */
export function plainText(text: string): string {
  let result = '';
  let same = true;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    const p = plain(c);
    if (p !== c) same = false;
    if (p !== invisible) result += String.fromCharCode(p);
  }
  return same ? text : result.toLowerCase();
}
