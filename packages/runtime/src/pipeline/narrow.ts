import { BrowserError, parseAllowlist, type AllowlistEntries } from '@wheelhouse/contracts';

/**
 * The allowlist of one operation: the session's, or a narrower one of its own. It can never be wider.
 *
 * @throws BrowserError `host_not_allowed` naming the first entry that the session's list does not cover
 */
export function narrowed(session: readonly string[], own: readonly string[] | undefined): AllowlistEntries {
  if (own === undefined) return [...session];
  const covers = (entry: string) =>
    session.some(
      (wide) => wide === entry || (wide.startsWith('.') && (entry.endsWith(wide) || entry === wide.slice(1))),
    );
  const asWritten = (entries: readonly string[]) => [...parseAllowlist(entries).entries];
  const wide = asWritten(own).find((entry) => !covers(entry));
  if (wide !== undefined) {
    throw new BrowserError('host_not_allowed', `${wide} is not covered by the allowlist of this session`);
  }
  return [...own];
}
