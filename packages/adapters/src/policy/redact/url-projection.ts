import { redactedMark, redactShapes } from './redact.ts';

/** For whom an address is written: models see no query value at all, operators lose only credentials (contract §6). */
export type Projection = 'model' | 'operator';

/**
 * An address without secrets. Text that is no address goes through the rules as it is.
 *
 * `model`: every query value is `[redacted]`, keys stay, the fragment and user names go (S000-73, S000-74).
 * `operator`: credential parameters, path passkeys and user names go.
 */
export function projectUrl(url: string, projection: Projection): string {
  if (!URL.canParse(url)) return redactShapes(url).text;
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    return parsed.protocol === 'about:' ? url : `${parsed.protocol}${redactedMark}`;
  }
  const path = redactShapes(parsed.pathname).text;
  const query = queryOf(parsed.search, projection);
  const fragment = projection === 'model' ? '' : redactShapes(parsed.hash).text;
  return `${parsed.protocol}//${parsed.host}${path}${query}${fragment}`;
}

function queryOf(search: string, projection: Projection): string {
  if (search === '' || search === '?') return '';
  if (projection === 'operator') return redactShapes(search).text;
  const pairs = search
    .slice(1)
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      // A query without a name is a value as a whole.
      return at < 0 ? redactedMark : `${redactShapes(pair.slice(0, at)).text}=${redactedMark}`;
    });
  return `?${pairs.join('&')}`;
}
