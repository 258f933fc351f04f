import { type Counts, plainSearch, redactWhole, type Search } from './engine.ts';
import { marker } from './marker.ts';

/**
 * An address as it may be shown.
 *
 * `operator`: credential parameters, path passkeys and credentials in the fragment are masked, userinfo is dropped.
 * `model`: besides, the fragment is dropped and **every** query and matrix value is `[redacted]`; keys stay (S000-73,
 * S000-74). Addresses that hold their content (`data:`, `javascript:`) lose it under both.
 *
 * Never parses: relative, broken and JSON-escaped addresses are projected as they stand, and never throws.
 */
export function projectUrl(
  url: string,
  projection: 'operator' | 'model',
  search: Search = plainSearch,
  counts: Counts = new Map(),
): string {
  const inline = /^\s*(data|javascript|vbscript):/i.exec(url);
  if (inline !== null) return `${(inline[1] ?? '').toLowerCase()}:${marker}`;
  const safe = redactWhole(url, { ...search, surface: 'url' }, counts).replace(`//${marker}@`, '//');
  return projection === 'operator' ? safe : withoutValues(safe);
}

const separators = /(&amp;|\\u0026|[?&;])/;
const keyName = /^(?:[\w.~-]|%[0-9A-Fa-f]{2}|\[|\]){1,64}$/;

/** Drops the fragment and masks every value of the query and of matrix parameters. */
function withoutValues(url: string): string {
  const hash = url.indexOf('#');
  const bare = hash < 0 ? url : url.slice(0, hash);
  const first = bare.search(/[?;]/);
  if (first < 0) return bare;
  let inQuery = false;
  return bare
    .split(separators)
    .map((part, i) => {
      if (i % 2 === 1) {
        if (part === '?') inQuery = true;
        return part;
      }
      return i === 0 ? part : withoutValue(part, inQuery);
    })
    .join('');
}

function withoutValue(part: string, inQuery: boolean): string {
  const equals = part.indexOf('=');
  if (equals < 0) return part === '' || keyName.test(part) || !inQuery ? part : marker;
  const key = part.slice(0, equals);
  return `${keyName.test(key) ? key : marker}=${marker}`;
}

const address = /(?:\b[a-z][a-z0-9+.-]{0,20}:\\?\/\\?\/|\bmagnet:\?)[^\s"'<>`]+/gi;
const addressLine = /^(\s*- '?\/url: ["']?)([^\n"']+)/gm;
const looseValue = /([?&])((?:[\w.~-]|%[0-9A-Fa-f]{2}|\[|\]){1,64})=(?!\[redacted\])([^&\s"'#<>]+)/g;

/** Gives every address of a redacted text the model projection, also relative ones behind `/url:`. */
export function modelText(text: string): string {
  return text
    .replace(address, (url) => withoutValues(url))
    .replace(addressLine, (_line, head: string, url: string) => head + withoutValues(url))
    .replace(looseValue, (_value, sign: string, key: string) => `${sign}${key}=${marker}`);
}
