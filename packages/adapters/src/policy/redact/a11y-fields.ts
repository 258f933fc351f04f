import { type A11yLine, lineStart, nameOf, nextLine, readLine, shownText } from './a11y-lines.ts';
import { labelFacts } from './label-kind.ts';
import { isPlaceholder, isStateWord } from './marker.ts';
import { ruleIndex } from './rules.ts';
import { isMeasure } from './shapes.ts';
import { mark, type Sheet } from './sheet.ts';
import { maskCookies } from './cookies.ts';
import { isStrong } from './verdict.ts';

const namedRule = ruleIndex('credential-field');
const unknownRule = ruleIndex('unknown-field');

const roles: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'spinbutton', 'combobox', 'slider', 'textarea']);

/**
 * Masks the content of an input when the word at `start`..`end` is the role of its line. Returns where the scan goes
 * on: behind a masked value, else behind the label, so that the value is read by the other rules.
 */
export function onField(sheet: Sheet, start: number, end: number): number {
  const from = lineStart(sheet, start, 400);
  const line = from < 0 ? undefined : readLine(sheet, from);
  if (line === undefined || !roles.has(line.role) || start > line.start + line.indent + 4) return end;
  const label = nameOf(sheet, line);
  if (line.valueEnd > line.valueStart) {
    const rule = verdict(
      line.role,
      label,
      sheet.text.slice(line.valueStart, Math.min(line.valueEnd, line.valueStart + 256)),
    );
    if (rule < 0) return line.valueStart;
    if (labelFacts(label).kind === 'cookie') maskCookies(sheet, line.valueStart, line.valueEnd);
    else mark(sheet, rule, line.valueStart, line.valueEnd);
    return line.end;
  }
  if (line.opens) maskChildren(sheet, line, label);
  return Math.max(end, line.nameEnd);
}

/** An input whose content stands in the lines below it: `- text: …`, or the paragraphs of an editable region. */
function maskChildren(sheet: Sheet, field: A11yLine, label: string): void {
  const isChoice = field.role === 'combobox' || field.role === 'slider';
  let line = nextLine(sheet, field);
  for (let count = 0; count < 24 && line !== undefined && line.indent > field.indent; count++) {
    const [start, end] = shownText(line);
    const skipped =
      line.role.startsWith('/') || line.role === 'option' || line.role === 'img' || line.role === 'button';
    if (!skipped && end > start) {
      const rule = verdict(
        isChoice ? 'combobox' : 'textbox',
        label,
        sheet.text.slice(start, Math.min(end, start + 256)),
      );
      if (rule >= 0) mark(sheet, rule, start, end);
    }
    line = nextLine(sheet, line);
  }
}

/**
 * The rule under which the content of a field goes, or -1 when it is proven harmless.
 *
 * A credential label takes anything. Searches, titles, names, amounts, dates and choices stay. What has no telling
 * label goes, unless it is a date, a small number or an address, which the rules for addresses take care of.
 */
function verdict(role: string, label: string, value: string): number {
  if (isPlaceholder(value)) return -1;
  const { kind, isHarmless: harmless, isOtherCode, isSearch } = labelFacts(label);
  if (kind !== null && !(harmless && (kind === 'weak' || kind === 'session' || kind === 'hash' || kind === 'pass'))) {
    const isCode = kind === 'weak' || kind === 'code';
    const mentions = (role === 'searchbox' || isSearch) && kind !== 'password';
    if (!(isOtherCode && isCode) && !mentions) return namedRule;
  }
  if (harmless || role === 'searchbox') return -1;
  if (/^[a-z][a-z0-9+.-]{1,12}:\/\/\S+$/i.test(value) || isPlainNumber(value))
    return role === 'spinbutton' && label === '' && /^\d{4,8}$/.test(value) ? unknownRule : -1;
  if (role === 'spinbutton' || role === 'slider')
    return /^[\d.,\s-]+$/.test(value) && !(label === '' && /^\d{4,8}$/.test(value)) ? -1 : unknownRule;
  if (isMeasure(value) && !/^\d{4,8}$/.test(value)) return -1;
  if (role === 'combobox') return isStrong(value, 10) ? unknownRule : -1;
  return isStateWord(value) && value.length < 4 ? -1 : unknownRule;
}

function isPlainNumber(value: string): boolean {
  return /^\d{1,3}$/.test(value);
}
