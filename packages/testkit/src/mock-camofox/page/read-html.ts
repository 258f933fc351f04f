import { DomElement, type DomText, textNode } from './dom.ts';

const voidTags = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const rawTags = new Set(['script', 'style', 'textarea', 'title']);
/** What an opening tag closes when it is still open, up to the nearest of its holders. */
const closes: Readonly<Record<string, { readonly open: RegExp; readonly within: RegExp }>> = {
  li: { open: /^li$/, within: /^(ul|ol|menu)$/ },
  dt: { open: /^(dt|dd)$/, within: /^dl$/ },
  dd: { open: /^(dt|dd)$/, within: /^dl$/ },
  tr: { open: /^(tr|td|th)$/, within: /^(table|thead|tbody|tfoot)$/ },
  td: { open: /^(td|th)$/, within: /^(tr|table)$/ },
  th: { open: /^(td|th)$/, within: /^(tr|table)$/ },
  option: { open: /^option$/, within: /^(select|optgroup|datalist)$/ },
  thead: { open: /^(thead|tbody|tfoot|tr|td|th)$/, within: /^table$/ },
  tbody: { open: /^(thead|tbody|tfoot|tr|td|th)$/, within: /^table$/ },
};
const closesParagraph =
  /^(address|article|aside|blockquote|div|dl|fieldset|footer|form|h[1-6]|header|hr|main|nav|ol|p|pre|section|table|ul)$/;
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  laquo: '«',
  raquo: '»',
  hellip: '…',
  middot: '·',
  times: '×',
  copy: '©',
  mdash: '—',
  ndash: '–',
};

/** Reads a document, however broken, into `html` with `head` and `body`. */
export function readDocument(html: string): DomElement {
  const root = new DomElement('html');
  const head = new DomElement('head');
  const body = new DomElement('body');
  root.append(head);
  root.append(body);
  for (const node of readFragment(html)) {
    if (node.kind === 'element' && node.tag === 'html') {
      for (const [name, value] of node.attributes) root.attributes.set(name, value);
      for (const child of node.children) place(child, head, body);
    } else {
      place(node, head, body);
    }
  }
  return root;
}

function place(node: DomElement | DomText, head: DomElement, body: DomElement): void {
  const intoHead = node.kind === 'element' && /^(title|meta|link|base|style)$/.test(node.tag);
  if (node.kind === 'element' && (node.tag === 'head' || node.tag === 'body')) {
    const target = node.tag === 'head' ? head : body;
    for (const [name, value] of node.attributes) target.attributes.set(name, value);
    for (const child of node.children) target.append(child);
  } else if (intoHead && body.children.length === 0) {
    head.append(node);
  } else if (node.kind === 'element' || node.text.trim() !== '' || body.children.length > 0) {
    body.append(node);
  }
}

/** Reads markup into its top nodes. */
export function readFragment(html: string): (DomElement | DomText)[] {
  const root = new DomElement('#fragment');
  let open = root;
  let at = 0;
  while (at < html.length) {
    const mark = html.indexOf('<', at);
    if (mark !== at) {
      const end = mark === -1 ? html.length : mark;
      open.append(textNode(decodeEntities(html.slice(at, end))));
      at = end;
      continue;
    }
    const skipped = skipMarkup(html, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const tag = /^<(\/?)([a-z][^\s/>]*)/i.exec(html.slice(at, at + 80));
    if (tag === null) {
      open.append(textNode('<'));
      at += 1;
      continue;
    }
    const name = (tag[2] ?? '').toLowerCase();
    if (tag[1] === '/') {
      at = endOf(html, at);
      open = closeTo(open, (element) => element.tag === name) ?? open;
      continue;
    }
    const { attributes, end, selfClosed } = readAttributes(html, at + 1 + name.length);
    at = end;
    open = closeImplied(open, name);
    const element = new DomElement(name, attributes);
    open.append(element);
    if (rawTags.has(name)) at = readRaw(html, at, element);
    else if (!voidTags.has(name) && !selfClosed) open = element;
  }
  for (const child of root.children) child.parent = null;
  return root.children;
}

/** Comments, doctype and the like. */
function skipMarkup(html: string, at: number): number {
  if (html.startsWith('<!--', at)) {
    const end = html.indexOf('-->', at + 4);
    return end === -1 ? html.length : end + 3;
  }
  return html[at + 1] === '!' || html[at + 1] === '?' ? endOf(html, at) : at;
}

function endOf(html: string, at: number): number {
  const end = html.indexOf('>', at);
  return end === -1 ? html.length : end + 1;
}

function readRaw(html: string, at: number, element: DomElement): number {
  const closing = new RegExp(`</${element.tag}\\s*>`, 'i').exec(html.slice(at));
  const end = closing === null ? html.length : at + closing.index;
  const text = html.slice(at, end);
  if (text !== '') element.append(textNode(/^(script|style)$/.test(element.tag) ? text : decodeEntities(text)));
  return closing === null ? html.length : end + closing[0].length;
}

function readAttributes(html: string, from: number) {
  const attributes: [string, string][] = [];
  const next = /\s*(?:(\/?>)|([^\s=>/"']+|\/)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?|(["']))/gy;
  next.lastIndex = from;
  for (;;) {
    const found = next.exec(html);
    if (found === null) return { attributes, end: html.length, selfClosed: false };
    if (found[1] !== undefined) return { attributes, end: next.lastIndex, selfClosed: found[1] === '/>' };
    const name = found[2]?.toLowerCase();
    if (name === undefined || name === '/') continue;
    if (!attributes.some(([known]) => known === name))
      attributes.push([name, decodeEntities(found[3] ?? found[4] ?? found[5] ?? '')]);
  }
}

function closeImplied(open: DomElement, name: string): DomElement {
  let now = open;
  const rule = closes[name];
  if (rule !== undefined) {
    for (let left = stillOpen(now, rule); left !== null; left = stillOpen(now, rule)) now = left.parent ?? now;
  }
  return closesParagraph.test(name) ? (closeTo(now, ({ tag }) => tag === 'p') ?? now) : now;
}

/** The nearest element that has to be closed, between here and its holder. */
function stillOpen(from: DomElement, rule: { readonly open: RegExp; readonly within: RegExp }): DomElement | null {
  for (let one: DomElement | null = from; one !== null && !rule.within.test(one.tag); one = one.parent) {
    if (rule.open.test(one.tag)) return one;
  }
  return null;
}

/** The element around the nearest open one that fits; `null` when none is open. */
function closeTo(open: DomElement, fits: (element: DomElement) => boolean): DomElement | null {
  return open.closest(fits)?.parent ?? null;
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi, (whole, hex: string, decimal: string, name: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return named[name] ?? whole;
  });
}

const encode = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An element as markup, its form state as in the markup it came from. */
export function writeHtml(node: DomElement | DomText): string {
  if (node.kind === 'text') return /^(script|style)$/.test(node.parent?.tag ?? '') ? node.text : encode(node.text);
  const attributes = [...node.attributes].map(
    ([name, value]) => ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
  );
  const start = `<${node.tag}${attributes.join('')}>`;
  return voidTags.has(node.tag) ? start : `${start}${node.children.map(writeHtml).join('')}</${node.tag}>`;
}
