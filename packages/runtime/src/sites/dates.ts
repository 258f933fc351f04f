import { BrowserError } from '@wheelhouse/contracts';
import { DateTime, Duration, type DurationLikeObject } from 'luxon';

/** Layout letters of .NET and what luxon calls them; longest first. */
const tokens: readonly (readonly [string, string])[] = [
  ['yyyy', 'yyyy'],
  ['yy', 'yy'],
  ['MMMM', 'LLLL'],
  ['MMM', 'LLL'],
  ['MM', 'LL'],
  ['M', 'L'],
  ['dddd', 'cccc'],
  ['ddd', 'ccc'],
  ['dd', 'dd'],
  ['d', 'd'],
  ['HH', 'HH'],
  ['H', 'H'],
  ['hh', 'hh'],
  ['h', 'h'],
  ['mm', 'mm'],
  ['m', 'm'],
  ['ss', 'ss'],
  ['s', 's'],
  ['fff', 'SSS'],
  ['tt', 'a'],
  ['t', 'a'],
  ['zzz', 'ZZ'],
  ['zz', 'Z'],
  ['z', 'Z'],
  ['K', 'ZZ'],
];

/** A Go layout is an example date: `2006-01-02 15:04:05 -0700`. */
const goTokens: readonly (readonly [string, string])[] = [
  ['2006', 'yyyy'],
  ['January', 'LLLL'],
  ['Jan', 'LLL'],
  ['Monday', 'cccc'],
  ['Mon', 'ccc'],
  ['-07:00', 'ZZ'],
  ['-0700', 'ZZZ'],
  ['Z07:00', 'ZZ'],
  ['MST', 'ZZZ'],
  ['01', 'LL'],
  ['02', 'dd'],
  ['15', 'HH'],
  ['03', 'hh'],
  ['04', 'mm'],
  ['05', 'ss'],
  ['06', 'yy'],
  ['PM', 'a'],
  ['_2', 'd'],
  ['1', 'L'],
  ['2', 'd'],
  ['3', 'h'],
  ['4', 'm'],
  ['5', 's'],
];

/**
 * The luxon format of a layout in .NET's letters or Go's example date.
 *
 * @throws BrowserError `definition_unsupported` for letters that are neither
 */
export function dateLayout(layout: string): string {
  const table = /2006|15:04|Jan\b|\b0?6\b.*\b0?1\b/.test(layout) ? goTokens : tokens;
  let format = '';
  for (let at = 0; at < layout.length;) {
    const quoted = /^'([^']*)'|^\\(.)/.exec(layout.slice(at));
    const found = table.find(([from]) => layout.startsWith(from, at));
    if (quoted !== null) {
      format += `'${quoted[1] ?? quoted[2] ?? ''}'`;
      at += quoted[0].length;
    } else if (found !== undefined) {
      format += found[1];
      at += found[0].length;
    } else {
      const char = layout.charAt(at);
      if (/[a-z]/i.test(char) && table === tokens && char !== 'T' && char !== 'Z') {
        throw new BrowserError('definition_unsupported', `date layout ${layout.slice(0, 60)}`);
      }
      format += /[a-z]/i.test(char) ? `'${char}'` : char;
      at += 1;
    }
  }
  return format;
}

/** A date of the given layout as ISO 8601 in UTC; the text itself when it is no such date. */
export function parseDate(text: string, layout: string): string {
  const format = dateLayout(layout);
  const clean = text.trim().replaceAll(/\s+/g, ' ');
  const read = DateTime.fromFormat(clean, format.replaceAll(/\s+/g, ' '), { zone: 'utc', locale: 'en-US' });
  return read.isValid ? iso(read) : text;
}

const units: readonly (readonly [RegExp, keyof DurationLikeObject])[] = [
  [/^(y|year|anno|año|jahr|année|год|года|лет|年)/i, 'years'],
  [/^(mo|month|mon|mes|monat|mois|мес|个?月|個月)/i, 'months'],
  [/^(w|week|sem|woche|нед|周|星期)/i, 'weeks'],
  [/^(d|day|dia|día|tag|jour|дн|ден|天|日)/i, 'days'],
  [/^(h|hour|hr|hora|stunde|heure|час|小?时|小時)/i, 'hours'],
  [/^(m|min|minute|мин|分)/i, 'minutes'],
  [/^(s|sec|second|сек|秒)/i, 'seconds'],
];

/** `3 days 4 hours ago`, `2天3时` and the like as ISO 8601; the text itself when nothing in it reads as a span. */
export function parseTimeAgo(text: string, now: DateTime = DateTime.utc()): string {
  if (/^\s*now\s*$|just now|刚刚/i.test(text)) return iso(now);
  const span: DurationLikeObject = {};
  let any = false;
  for (const [, amount = '', word = ''] of text.matchAll(/(\d+(?:\.\d+)?)\s*([^\d\s,.]+)/g)) {
    const unit = units.find(([pattern]) => pattern.test(word))?.[1];
    if (unit === undefined) continue;
    span[unit] = (span[unit] ?? 0) + Number(amount);
    any = true;
  }
  return any ? iso(now.minus(Duration.fromObject(span))) : text;
}

const looseFormats = [
  'yyyy-LL-dd HH:mm:ss',
  'yyyy-LL-dd HH:mm',
  'yyyy-LL-dd',
  'dd LLL yyyy HH:mm:ss',
  'dd LLL yyyy HH:mm',
  'dd LLL yyyy',
  'LLL dd yyyy',
  'LLL. dd yyyy',
  'LLLL dd yyyy',
  'dd/LL/yyyy',
  'dd.LL.yyyy',
  'LL-dd yyyy',
  'LL-dd HH:mm',
  'HH:mm',
] as const;

/** What people write: today, yesterday, a clock time, a span, or one of the common layouts. */
export function parseFuzzyTime(text: string, now: DateTime = DateTime.utc()): string {
  const clean = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(\d)(st|nd|rd|th)\b/gi, '$1')
    .replaceAll("'", '20');
  const day = /^(today|yesterday|今天|昨天|сегодня|вчера)[\s,]*(?:at )?(\d{1,2}):(\d{2})?/i.exec(clean);
  if (day !== null) {
    const back = /today|今天|сегодня/i.test(day[1] ?? '') ? 0 : 1;
    return iso(
      now.minus({ days: back }).set({ hour: Number(day[2]), minute: Number(day[3] ?? 0), second: 0, millisecond: 0 }),
    );
  }
  if (/\bago\b|前$|назад/i.test(clean)) return parseTimeAgo(clean, now);
  for (const format of looseFormats) {
    const read = DateTime.fromFormat(clean, format, { zone: 'utc', locale: 'en-US' });
    if (read.isValid) return iso(read);
  }
  const iso8601 = DateTime.fromISO(clean.replace(' ', 'T'), { zone: 'utc' });
  return iso8601.isValid ? iso(iso8601) : parseTimeAgo(clean, now);
}

function iso(date: DateTime): string {
  return date.toUTC().toISO({ suppressMilliseconds: true }) ?? date.toString();
}
