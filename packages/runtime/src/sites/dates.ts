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
  const table = /\d/.test(layout) ? goTokens : tokens;
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

/** A date of the given layout as ISO 8601 in UTC; the text itself when it is no such date. Without a zone it is UTC. */
export function parseDate(text: string, layout: string): string {
  const format = folded(dateLayout(layout));
  const clean = folded(text);
  // An offset is written with or without its colon, whatever the layout says.
  for (const variant of [format, format.replace('ZZ', 'ZZZ')]) {
    const read = DateTime.fromFormat(clean, variant, { zone: 'utc', locale: 'en-US' });
    if (read.isValid) return iso(read);
  }
  return text;
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

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
/** Words for a day, and how many days back it is. */
const dayWords: readonly (readonly [RegExp, number])[] = [
  [/\btoday\b|今天|сегодня/i, 0],
  [/\byesterday\b|昨天|вчера/i, 1],
  [/\btomorrow\b/i, -1],
];
/** How a date is written when nobody says how: groups `y`, `m`, `d`, or a month's name as `n`. */
const dateShapes = [
  /(?<y>\d{4})[-/.年 ](?<m>\d{1,2})[-/.月 ](?<d>\d{1,2})/,
  /(?<m>\d{1,2})[-/.](?<d>\d{1,2})[-/.](?<y>\d{4}|\d{2})(?!\d)/,
  /(?<d>\d{1,2})(?:st|nd|rd|th)?[\s.-]+(?<n>[a-z]{3,9})\.?,?[\s-]*(?:'?(?<y>\d{4}|\d{2})(?![\d:]))?/i,
  /(?<n>[a-z]{3,9})\.?[\s-]+(?<d>\d{1,2})(?:st|nd|rd|th)?(?![\d:]),?\s*(?:'?(?<y>\d{4}|\d{2})(?![\d:]))?/i,
  /^(?<m>\d{1,2})-(?<d>\d{1,2})(?!\d)/,
] as const;
const clock = /(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*([ap])?\.?m?\.?/i;

/**
 * What people write, as ISO 8601: seconds since 1970, today, yesterday, a weekday, a clock time, a span, or a date in
 * one of the usual shapes (month before day, as in America, where both are possible). The text itself when it is none.
 */
export function parseFuzzyTime(text: string, now: DateTime = DateTime.utc()): string {
  const clean = folded(text);
  if (/^\d{9,10}$/.test(clean)) return iso(DateTime.fromSeconds(Number(clean), { zone: 'utc' }));
  if (/\bago\b|前$|назад|\bnow\b|刚刚/i.test(clean)) return parseTimeAgo(clean, now);
  const time = clock.exec(clean);
  const behind = time === null ? '' : clean.slice(time.index + time[0].length);
  const zone = /([+-]\d{2}):?(\d{2})$/.exec(behind);
  const rest = clean.replace(time?.[0] ?? '', ' ').trim();
  const day = dayOf(rest, now) ?? (time !== null && /^\W*(?:UTC|GMT|Z|[+-]\d{2}:?\d{2})?$/.test(rest) ? now : null);
  if (day === null) return parseTimeAgo(clean, now);
  const half = time?.[4]?.toLowerCase();
  const hour = Number(time?.[1] ?? 0);
  const moment = day.set({
    hour: half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0),
    minute: Number(time?.[2] ?? 0),
    second: Number(time?.[3] ?? 0),
    millisecond: 0,
  });
  const [, hours = '0', minutes = '0'] = zone ?? [];
  const offset = Number(hours) * 60 + (hours.startsWith('-') ? -1 : 1) * Number(minutes);
  return moment.isValid ? iso(moment.minus({ minutes: offset })) : text;
}

function dayOf(text: string, now: DateTime): DateTime | null {
  const back = dayWords.find(([word]) => word.test(text))?.[1];
  if (back !== undefined) return now.minus({ days: back });
  for (const shape of dateShapes) {
    const { y, m, d, n } = shape.exec(text)?.groups ?? {};
    const named = n === undefined ? 0 : months.findIndex((name) => n.toLowerCase().startsWith(name)) + 1;
    if (d === undefined || (m === undefined && named === 0)) continue;
    const [month, day] = Number(m ?? named) > 12 ? [Number(d), Number(m)] : [Number(m ?? named), Number(d)];
    const year = y === undefined ? now.year : Number(y.length === 2 ? `20${y}` : y);
    const date = DateTime.utc(year, month, day);
    return date.isValid ? date : null;
  }
  const weekday = days.findIndex((name) => new RegExp(`\\b${name}\\b`, 'i').test(text)) + 1;
  return weekday === 0 ? null : now.minus({ days: (now.weekday - weekday + 7) % 7 });
}

function folded(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

function iso(date: DateTime): string {
  return date.toUTC().toISO({ suppressMilliseconds: true }) ?? date.toString();
}
