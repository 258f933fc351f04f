/** A size in binary units with two decimals, as both families write it: `['1.46', 'G']`; the family adds `B` or `iB`. */
export function sizeParts(bytes: number): readonly [amount: string, unit: string] {
  const units = ['', 'K', 'M', 'G', 'T'];
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return [(bytes / 1024 ** step).toFixed(2), units[step] ?? ''];
}
