/** Compares for a sort: `sign` 1 is ascending. */
export function compare(one: number | string, other: number | string, sign: 1 | -1): number {
  if (one === other) return 0;
  return one < other ? -sign : sign;
}
