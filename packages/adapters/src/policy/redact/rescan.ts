import type { Sheet } from './sheet.ts';

type Finder = (text: string, enabled: Uint8Array, depth: number) => boolean;

let finder: Finder = () => false;

/** How many encodings may lie one in the other. */
const deepest = 3;

/** Told by the engine how a text is searched; breaks the circle between it and the rules that look into encodings. */
export function setFinder(find: Finder): void {
  finder = find;
}

/** Whether the rules find a secret in `written`, which was decoded from a part of the sheet. */
export function findsSecret(sheet: Sheet, written: string): boolean {
  return sheet.depth < deepest && finder(written, sheet.enabled, sheet.depth + 1);
}
