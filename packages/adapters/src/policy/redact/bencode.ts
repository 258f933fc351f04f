import type { Sheet } from './sheet.ts';

/** In bencode, `63:https://…` says how long the address is: what follows it is not part of the token. */
export function bencodeEnd(sheet: Sheet, start: number, end: number): number {
  const { text } = sheet;
  const lowest = Math.max(sheet.from, start - 300);
  for (let i = start; i > lowest + 2; i--) {
    if (text.charCodeAt(i) !== 58 || text.charCodeAt(i + 1) !== 47 || text.charCodeAt(i + 2) !== 47) continue;
    let scheme = i;
    while (scheme > lowest && /[a-z]/.test(text[scheme - 1] ?? '')) scheme--;
    const length = /(?:^|\D)(\d{1,4}):$/.exec(text.slice(Math.max(lowest, scheme - 6), scheme))?.[1];
    const limit = length === undefined ? end : scheme + Number(length);
    return limit > start && limit < end ? limit : end;
  }
  return end;
}
