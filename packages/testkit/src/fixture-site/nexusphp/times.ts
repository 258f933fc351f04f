import { markup, type Markup } from '../markup.ts';

/** A time as the site prints it: `2026-03-01 20:15:00`, always in UTC+8. */
export function localTime(at: Date): string {
  return new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** How long ago, in the two largest units, on two lines: `3天<br>4时`. */
export function timeAgo(at: Date): Markup {
  const minutes = Math.max(0, Math.floor((Date.now() - at.getTime()) / 60_000));
  const [years, days, hours] = [Math.floor(minutes / 525_600), Math.floor(minutes / 1_440), Math.floor(minutes / 60)];
  if (years > 0) return markup`${years}年<br>${Math.floor((days % 365) / 30)}月`;
  if (days >= 30) return markup`${Math.floor(days / 30)}月<br>${days % 30}天`;
  if (days > 0) return markup`${days}天<br>${hours % 24}时`;
  return hours > 0 ? markup`${hours}时<br>${minutes % 60}分` : markup`${minutes}分`;
}
