import { isClosed, nameOf, roleOf, squash, statesOf } from './accessible.ts';
import { type DomElement, inputType, isBlock, isHiddenItself, valueOf } from './dom.ts';

interface AriaNode {
  readonly role: string;
  readonly name: string;
  readonly states: readonly string[];
  readonly properties: [string, string][];
  children: (AriaNode | string)[];
}

/** The accessibility text of a document, in the form of Playwright's `ariaSnapshot`. */
export function ariaSnapshot(body: DomElement): string {
  const root: AriaNode = { role: 'fragment', name: '', states: [], properties: [], children: [] };
  visitChildren(root, body);
  joinText(root);
  const lines: string[] = [];
  for (const child of root.children) write(child, '', lines);
  return lines.join('\n');
}

function visitChildren(into: AriaNode, element: DomElement): void {
  const gap = isBlock(element) || element.tag === 'br' ? ' ' : '';
  into.children.push(gap);
  for (const child of element.children) {
    if (child.kind === 'text') {
      if (into.role !== 'textbox' && !isClosed(element)) into.children.push(child.text);
    } else if (!isHiddenItself(child) && child.get('aria-hidden') !== 'true') {
      visit(into, child);
    }
  }
  into.children.push(gap);
}

function visit(into: AriaNode, element: DomElement): void {
  if (element.tag === 'iframe') {
    into.children.push({ role: 'iframe', name: '', states: [], properties: [], children: [] });
    return;
  }
  const role = roleOf(element);
  if (role === null) {
    visitChildren(into, element);
    return;
  }
  const node: AriaNode = { role, name: nameOf(element), states: statesOf(element, role), properties: [], children: [] };
  into.children.push(node);
  if (element.tag === 'textarea' || (element.tag === 'input' && !/^(checkbox|radio|file)$/.test(inputType(element)))) {
    node.children.push(valueOf(element));
  } else {
    visitChildren(node, element);
  }
  const href = element.get('href');
  if (role === 'link' && href !== null) node.properties.push(['url', href]);
  const placeholder = element.get('placeholder');
  if (role === 'textbox' && placeholder !== null && placeholder !== node.name)
    node.properties.push(['placeholder', placeholder]);
}

/** Joins neighbouring texts, and drops one that only repeats the name. */
function joinText(node: AriaNode): void {
  const joined: (AriaNode | string)[] = [];
  let text = '';
  const flush = () => {
    const squashed = squash(text);
    if (squashed !== '') joined.push(squashed);
    text = '';
  };
  for (const child of node.children) {
    if (typeof child === 'string') {
      text += child;
      continue;
    }
    flush();
    joinText(child);
    joined.push(child);
  }
  flush();
  node.children = joined.length === 1 && joined[0] === node.name ? [] : joined;
}

function write(node: AriaNode | string, indent: string, lines: string[]): void {
  if (typeof node === 'string') {
    lines.push(`${indent}- text: ${yamlValue(node)}`);
    return;
  }
  const name = node.name === '' || node.name.length > 900 ? '' : ` ${JSON.stringify(node.name)}`;
  const key = `${indent}- ${yamlKey(node.role + name + node.states.map((state) => ` [${state}]`).join(''))}`;
  const [only] = node.children;
  if (node.children.length === 0 && node.properties.length === 0) {
    lines.push(key);
  } else if (node.children.length === 1 && typeof only === 'string' && node.properties.length === 0) {
    lines.push(`${key}: ${yamlValue(only)}`);
  } else {
    lines.push(`${key}:`);
    for (const [property, value] of node.properties) lines.push(`${indent}  - /${property}: ${yamlValue(value)}`);
    for (const child of node.children) write(child, `${indent}  `, lines);
  }
}

const yamlKey = (key: string) => (needsQuotes(key) ? `'${key.replaceAll("'", "''")}'` : key);
const yamlValue = (value: string) => (needsQuotes(value) ? JSON.stringify(value) : value);

function needsQuotes(text: string): boolean {
  return (
    text === '' ||
    /^\s|\s$/.test(text) ||
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/.test(text) ||
    /^[-&*\],?!>|@"'#%[]/.test(text) ||
    /[\n:](\s|$)|\s#|[\n\r]|[{}`]/.test(text) ||
    !Number.isNaN(Number(text)) ||
    /^(y|n|yes|no|true|false|on|off|null)$/i.test(text)
  );
}
