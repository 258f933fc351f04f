import { entityAt, percentAt, scriptEscapeAt } from './escapes.ts';

/** A character as it was meant, and where its writing ends. */
export interface Written {
  readonly point: number;
  readonly end: number;
}

/**
 * How the text at `at` can be read as one character: as what an escape stands for, and as the sign that begins it,
 * which may be escaped itself (`%2525` is `%` twice escaped, or the beginning of another escape three times escaped).
 */
export function readingsAt(text: string, at: number): readonly Written[] {
  const c = text.charCodeAt(at);
  if (c === 37) {
    const readings: Written[] = [{ point: c, end: at + 1 }];
    for (let end = at + 1; text.startsWith('25', end) && end < at + 10; end += 2)
      readings.push({ point: c, end: end + 2 });
    const escape = percentPoint(text, at);
    return escape === undefined ? readings : [escape, ...readings];
  }
  if (c === 38) {
    const entity = entityAt(text, at);
    const plain = { point: c, end: at + 1 };
    return entity === undefined ? [plain] : [{ point: entity.code, end: entity.end }, plain];
  }
  if (c === 92) {
    const readings: Written[] = [slashed(text, at)];
    for (let length = 1; length <= 4; length *= 2) {
      if (text.startsWith('\\'.repeat(length), at)) readings.push({ point: c, end: at + length });
    }
    return readings;
  }
  const point = text.codePointAt(at) ?? 0;
  return [{ point, end: at + (point > 0xffff ? 2 : 1) }];
}

/** One code point from one to four percent escapes. */
function percentPoint(text: string, at: number): Written | undefined {
  const first = percentAt(text, at);
  if (first === undefined) return undefined;
  const more = first.code >= 0xf0 ? 3 : first.code >= 0xe0 ? 2 : first.code >= 0xc0 ? 1 : 0;
  let point = more === 0 ? first.code : first.code & (0x3f >> more);
  let { end } = first;
  for (let i = 0; i < more; i++) {
    const next = percentAt(text, end);
    if (next === undefined || next.code >> 6 !== 2) return { point: first.code, end: first.end };
    point = (point << 6) | (next.code & 0x3f);
    end = next.end;
  }
  return { point, end };
}

/** `\u0026`, `\"`, `\/`, `\\`, with the backslashes doubled once or twice where JSON lies in JSON. */
function slashed(text: string, at: number): Written {
  const escape = scriptEscapeAt(text, at);
  if (escape !== undefined) {
    const low = escape.code >= 0xd800 && escape.code < 0xdc00 ? scriptEscapeAt(text, escape.end) : undefined;
    if (low === undefined) return { point: escape.code, end: escape.end };
    return { point: ((escape.code - 0xd800) << 10) + (low.code - 0xdc00) + 0x10000, end: low.end };
  }
  let i = at;
  while (text.charCodeAt(i) === 92 && i < at + 8) i++;
  const c = text.charCodeAt(i);
  if (c === 34 || c === 39 || c === 47) return { point: c, end: i + 1 };
  const letter = text[i];
  if (letter === 'n') return { point: 10, end: i + 1 };
  if (letter === 't') return { point: 9, end: i + 1 };
  return { point: 92, end: at + 1 };
}
