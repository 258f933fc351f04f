/** Any value of a request as text, the way the upstream's `String()` makes it: objects become `[object Object]`. */
export function spelled(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(spelled).join(',');
  if (typeof value === 'object' && value !== null) return '[object Object]';
  return typeof value === 'symbol' ? value.toString() : `${value as number | boolean | null | undefined}`;
}
