/** Digits and separators of a text; `0` when it has none. */
function kept(text: string): string {
  const digits = text.replaceAll(/[^\d.,]/g, '');
  return /\d/.test(digits) ? digits : '0';
}

/** A whole number as sites write it: `1,234` and `1.234` are the same, text around it does not count. */
export function wholeNumber(text: string): number {
  return Number(kept(text).replaceAll(/[.,]/g, ''));
}

/** A number with decimals: of several separators the last one is the decimal point. `1,5` and `1.5` are the same. */
export function decimalNumber(text: string): number {
  const parts = kept(text).split(/[.,]/);
  const decimals = parts.length > 1 ? (parts.pop() ?? '') : '';
  return Number(`${parts.join('') || '0'}.${decimals || '0'}`);
}

/** Units of sizes, and how often 1024 is in them; sites write `GB` and `GiB` for the same. */
const units: readonly (readonly [string, number])[] = [
  ['kb', 1],
  ['mb', 2],
  ['gb', 3],
  ['tb', 4],
  ['pb', 5],
];

/** A size in bytes: `1.4 GB`, `700 MiB`, `1,234`. */
export function sizeInBytes(text: string): number {
  const letters = text.toLowerCase().replaceAll(/[^a-z]|i/g, '');
  const power = units.find(([unit]) => letters.includes(unit))?.[1] ?? 0;
  return Math.trunc(
    power === 0 && !/[.,]\d{1,2}$/.test(kept(text)) ? wholeNumber(text) : decimalNumber(text) * 1024 ** power,
  );
}
