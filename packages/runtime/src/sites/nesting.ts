/** Elements whose content is text up to their end tag. */
const rawText: ReadonlySet<string> = new Set(
  'script style textarea title xmp iframe noembed noframes noscript'.split(' '),
);

/** Elements that stay open for nobody: without content, or closed by the next of their kind. */
const closesItself: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr p li dt dd td th tr tbody thead tfoot option optgroup'.split(
    ' ',
  ),
);

/**
 * How many elements are open at once at the deepest place of a document, at most `limit + 1`. Reads the text once,
 * without a parser: parsing time grows with the depth, and the walks over the result are recursive.
 */
export function nestingOf(html: string, limit: number): number {
  const lower = html.toLowerCase();
  const open = new Map<string, number>();
  let depth = 0;
  let deepest = 0;
  for (let at = lower.indexOf('<'); at !== -1 && deepest <= limit; at = lower.indexOf('<', at)) {
    if (lower.startsWith('<!--', at)) {
      at = after(lower.indexOf('-->', at + 4));
      continue;
    }
    const isEnd = lower[at + 1] === '/';
    const name = nameAt(lower, at + (isEnd ? 2 : 1));
    at += 1;
    if (name === '' || closesItself.has(name)) continue;
    const count = open.get(name) ?? 0;
    if (isEnd) {
      if (count === 0) continue;
      open.set(name, count - 1);
      depth -= 1;
    } else if (rawText.has(name)) {
      at = after(lower.indexOf(`</${name}`, at));
    } else {
      open.set(name, count + 1);
      depth += 1;
      deepest = Math.max(deepest, depth);
    }
  }
  return deepest;

  function after(end: number): number {
    return end === -1 ? lower.length : end + 1;
  }
}

function nameAt(lower: string, at: number): string {
  let end = at;
  while (end - at < 40 && /[a-z\d-]/.test(lower.charAt(end))) end += 1;
  return lower.slice(at, end);
}
