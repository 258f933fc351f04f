import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { dateLayout, parseDate, parseFuzzyTime, parseTimeAgo } from './dates.ts';

/** A Wednesday. */
const now = DateTime.fromISO('2026-03-18T12:00:00Z', { zone: 'utc' });

describe('dates in a layout', () => {
  test.each([
    ['2024-05-01 10:20:30 +00:00', 'yyyy-MM-dd HH:mm:ss zzz', '2024-05-01T10:20:30Z'],
    ['2024-05-01 10:20:30 +0800', 'yyyy-MM-dd HH:mm:ss zzz', '2024-05-01T02:20:30Z'],
    ['2024-05-0110:20:30 +08:00', 'yyyy-MM-ddHH:mm:ss zzz', '2024-05-01T02:20:30Z'],
    ['01/31/2024 10:20:30 -05:00', 'MM/dd/yyyy HH:mm:ss zzz', '2024-01-31T15:20:30Z'],
    ['Wed, 01 May 2024 10:20:30 +00:00', 'ddd, dd MMM yyyy HH:mm:ss zzz', '2024-05-01T10:20:30Z'],
    ['Mar 5 2024 01:05 PM', 'MMM d yyyy hh:mm tt', '2024-03-05T13:05:00Z'],
    ['5/3/2024 7:05', 'd/M/yyyy H:mm', '2024-03-05T07:05:00Z'],
    ['5 March 24', 'd MMMM yy', '2024-03-05T00:00:00Z'],
    ['01_02_2024 +00:00', 'dd_MM_yyyy zzz', '2024-02-01T00:00:00Z'],
    ['  5.3.2024   10:05 +01:00 ', 'd.M.yyyy  HH:mm zzz', '2024-03-05T09:05:00Z'],
    ['240305 10:20:30', 'yyMMdd HH:mm:ss', '2024-03-05T10:20:30Z'],
    ['2024-05-01T10:20:30Z', 'yyyy-MM-ddTHH:mm:ssZ', '2024-05-01T10:20:30Z'],
    ['2024-05-01 10:20:30 -0700', '2006-01-02 15:04:05 -0700', '2024-05-01T17:20:30Z'],
    ['May 1 2024, 3:04 PM', 'Jan 2 2006, 3:04 PM', '2024-05-01T15:04:00Z'],
  ])('%s as %s', (text, layout, expected) => {
    expect(parseDate(text, layout)).toBe(expected);
  });

  test('what is no such date stays as it is', () => {
    expect(parseDate('unknown', 'yyyy-MM-dd')).toBe('unknown');
  });

  test('letters that no layout has are refused by name', () => {
    expect(() => dateLayout('yyyy-QQ')).toThrow('date layout yyyy-QQ');
  });
});

describe('spans', () => {
  test.each([
    ['3 days 4 hours ago', '2026-03-15T08:00:00Z'],
    ['1.5 hours', '2026-03-18T10:30:00Z'],
    ['2天3时', '2026-03-16T09:00:00Z'],
    ['10 min', '2026-03-18T11:50:00Z'],
    ['2 mo', '2026-01-18T12:00:00Z'],
    ['just now', '2026-03-18T12:00:00Z'],
    ['none', 'none'],
  ])('%s', (text, expected) => {
    expect(parseTimeAgo(text, now)).toBe(expected);
  });
});

describe('dates that nobody describes', () => {
  test.each([
    ['1714559400', '2024-05-01T10:30:00Z'],
    ['Today, 10:05', '2026-03-18T10:05:00Z'],
    ['Yesterday at 23:59', '2026-03-17T23:59:00Z'],
    ['Monday at 14:22', '2026-03-16T14:22:00Z'],
    ['5 hours ago', '2026-03-18T07:00:00Z'],
    ['2024-05-01T10:20:30Z', '2024-05-01T10:20:30Z'],
    ['2024-05-01 10:20', '2024-05-01T10:20:00Z'],
    ['01 May 2024 10:20:30 +0200', '2024-05-01T08:20:30Z'],
    ["May 1st, '24", '2024-05-01T00:00:00Z'],
    ['May. 1 2024', '2024-05-01T00:00:00Z'],
    ['5/1/2024 3:04 pm', '2024-05-01T15:04:00Z'],
    ['31/12/2024', '2024-12-31T00:00:00Z'],
    ['1-May-2024', '2024-05-01T00:00:00Z'],
    ['1 Jan 10:30', '2026-01-01T10:30:00Z'],
    ['03-05 10:30', '2026-03-05T10:30:00Z'],
    ['07:15', '2026-03-18T07:15:00Z'],
    ['12:05 am', '2026-03-18T00:05:00Z'],
    ['99/99/2024', '99/99/2024'],
    ['no date', 'no date'],
  ])('%s', (text, expected) => {
    expect(parseFuzzyTime(text, now)).toBe(expected);
  });
});
