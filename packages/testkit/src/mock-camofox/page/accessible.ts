import {
  chosenOptions,
  type DomElement,
  inputType,
  isBlock,
  isDisabled,
  isHiddenItself,
  isTicked,
  valueOf,
} from './dom.ts';

const roleOfTag: Readonly<Record<string, string>> = {
  article: 'article',
  aside: 'complementary',
  blockquote: 'blockquote',
  button: 'button',
  caption: 'caption',
  code: 'code',
  dd: 'definition',
  del: 'deletion',
  details: 'group',
  dfn: 'term',
  dialog: 'dialog',
  dt: 'term',
  em: 'emphasis',
  fieldset: 'group',
  figure: 'figure',
  hr: 'separator',
  iframe: 'iframe',
  ins: 'insertion',
  li: 'listitem',
  main: 'main',
  mark: 'mark',
  math: 'math',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  p: 'paragraph',
  progress: 'progressbar',
  search: 'search',
  strong: 'strong',
  sub: 'subscript',
  sup: 'superscript',
  svg: 'img',
  table: 'table',
  tbody: 'rowgroup',
  td: 'cell',
  textarea: 'textbox',
  tfoot: 'rowgroup',
  thead: 'rowgroup',
  time: 'time',
  tr: 'row',
  ul: 'list',
};
const roleOfInput: Readonly<Record<string, string>> = {
  button: 'button',
  checkbox: 'checkbox',
  file: 'button',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
};
/** Roles whose name is their content when nothing else names them. */
const namedByContent =
  /^(button|cell|checkbox|columnheader|gridcell|heading|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|row|rowheader|switch|tab|tooltip|treeitem)$/;

/** The ARIA role of an element; `null` when it has none and only its content counts. */
export function roleOf(element: DomElement): string | null {
  const given = element.get('role')?.trim().split(/\s+/)[0];
  if (given === 'none' || given === 'presentation') return null;
  if (given !== undefined && given !== '') return given;
  const { tag } = element;
  if (/^h[1-6]$/.test(tag)) return 'heading';
  switch (tag) {
    case 'a':
    case 'area':
      return element.has('href') ? 'link' : null;
    case 'img':
      return element.get('alt') === '' ? null : 'img';
    case 'input':
      return inputType(element) === 'hidden' ? null : (roleOfInput[inputType(element)] ?? 'textbox');
    case 'select':
      return element.has('multiple') || Number(element.get('size') ?? 1) > 1 ? 'listbox' : 'combobox';
    case 'form':
    case 'section':
      return givenName(element) === '' ? null : tag === 'form' ? 'form' : 'region';
    case 'header':
    case 'footer':
      return insideSection(element) ? null : tag === 'header' ? 'banner' : 'contentinfo';
    case 'th':
      return headerRole(element);
    default:
      return roleOfTag[tag] ?? null;
  }
}

function insideSection(element: DomElement): boolean {
  return element.parent?.closest(({ tag }) => /^(article|aside|main|nav|section)$/.test(tag)) != null;
}

function headerRole(element: DomElement): string {
  const scope = element.get('scope');
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  const alone = element.parent?.elements.filter(({ tag }) => tag === 'th').length === 1;
  return scope === null && alone && element.parent?.parent?.tag !== 'thead' ? 'rowheader' : 'columnheader';
}

/** Name that the author gave: `aria-label`, `aria-labelledby`, `title`. */
function givenName(element: DomElement): string {
  const label = element.get('aria-label')?.trim();
  if (label) return label;
  const ids = element.get('aria-labelledby')?.split(/\s+/);
  if (ids === undefined) return element.get('title')?.trim() ?? '';
  const root = element.closest(({ parent }) => parent === null);
  const parts = ids.map((id) => root?.find((one) => one.get('id') === id)).map((one) => (one ? contentOf(one) : ''));
  return squash(parts.join(' ')) || (element.get('title')?.trim() ?? '');
}

/** The accessible name, white space squashed. */
export function nameOf(element: DomElement): string {
  const role = roleOf(element);
  const title = element.get('title')?.trim() ?? '';
  const given = givenName(element);
  if (given !== '' && (given !== title || element.has('aria-label') || element.has('aria-labelledby')))
    return squash(given);
  const native = nativeName(element);
  if (native !== '') return native;
  const content = role !== null && namedByContent.test(role) && element.tag !== 'input' ? contentOf(element) : '';
  return content || squash(title) || squash(element.get('placeholder') ?? '');
}

function nativeName(element: DomElement): string {
  switch (element.tag) {
    case 'input':
      return inputName(element);
    case 'textarea':
    case 'select':
    case 'meter':
    case 'progress':
    case 'output':
      return labelText(element);
    case 'img':
    case 'area':
      return squash(element.get('alt') ?? '');
    case 'fieldset':
      return childText(element, 'legend');
    case 'table':
      return childText(element, 'caption');
    case 'figure':
      return childText(element, 'figcaption');
    case 'optgroup':
      return squash(element.get('label') ?? '');
    default:
      return '';
  }
}

function inputName(element: DomElement): string {
  const type = inputType(element);
  if (/^(button|submit|reset)$/.test(type)) {
    const value = squash(element.get('value') ?? '');
    return value || { submit: 'Submit', reset: 'Reset' }[type] || '';
  }
  if (type === 'image') return squash(element.get('alt') ?? element.get('value') ?? '') || 'Submit';
  return labelText(element) || (type === 'file' ? 'Choose File' : '');
}

function childText(element: DomElement, tag: string): string {
  const child = element.elements.find((one) => one.tag === tag);
  return child === undefined ? '' : contentOf(child);
}

/** Text of the labels of a control, the control itself left out. */
function labelText(control: DomElement): string {
  return squash(
    labelsOf(control)
      .map((label) => contentOf(label, control))
      .join(' '),
  );
}

/** Labels by `for` and around. */
export function labelsOf(control: DomElement): DomElement[] {
  const id = control.get('id');
  const root = control.closest(({ parent }) => parent === null);
  const around = control.closest(({ tag }) => tag === 'label');
  const byFor = id === null || root === null ? [] : root.all((one) => one.tag === 'label' && one.get('for') === id);
  return around === null || around === control || byFor.includes(around) ? byFor : [around, ...byFor];
}

/** Text as it is read out: hidden parts left out, blocks apart, controls by their value. */
function contentOf(element: DomElement, without?: DomElement): string {
  return squash(rawContent(element, without));
}

function rawContent(element: DomElement, without: DomElement | undefined): string {
  return element.children
    .map((child) => {
      if (child.kind === 'text') return isClosed(element) ? '' : child.text;
      if (child === without || isHiddenItself(child) || child.get('aria-hidden') === 'true') return '';
      const gap = isBlock(child) || child.tag === 'br' ? ' ' : '';
      return gap + spoken(child, without) + gap;
    })
    .join('');
}

function spoken(child: DomElement, without: DomElement | undefined): string {
  const given = givenName(child);
  if (given !== '' && (child.has('aria-label') || child.has('aria-labelledby'))) return given;
  if (child.tag === 'img') return child.get('alt') ?? '';
  if (child.tag === 'input' && /^(textbox|searchbox|spinbutton|slider)$/.test(roleOf(child) ?? ''))
    return valueOf(child);
  if (child.tag === 'input') return nameOf(child);
  if (child.tag === 'select')
    return chosenOptions(child)
      .map((option) => option.text.trim())
      .join(' ');
  const content = rawContent(child, without);
  return squash(content) === '' ? (child.get('title') ?? content) : content;
}

export function squash(text: string): string {
  return text.replace(/[\s\u200B\u00AD]+/g, ' ').trim();
}

/** Closed details show their summary only. */
export function isClosed(element: DomElement): boolean {
  return element.tag === 'details' && !element.has('open');
}

/** The states that a snapshot tells, in its order. */
export function statesOf(element: DomElement, role: string): string[] {
  const states: string[] = [];
  const aria = (name: string) => element.get(`aria-${name}`);
  if (/^(checkbox|menuitemcheckbox|option|radio|switch|menuitemradio|treeitem)$/.test(role)) {
    if (aria('checked') === 'mixed') states.push('checked=mixed');
    else if (aria('checked') === 'true' || (element.tag === 'input' && isTicked(element))) states.push('checked');
  }
  if (isDisabled(element) || aria('disabled') === 'true') states.push('disabled');
  if (aria('expanded') === 'true') states.push('expanded');
  if (role === 'heading') states.push(`level=${aria('level') ?? /^h([1-6])$/.exec(element.tag)?.[1] ?? '2'}`);
  if (role === 'button' && /^(true|mixed)$/.test(aria('pressed') ?? ''))
    states.push(aria('pressed') === 'mixed' ? 'pressed=mixed' : 'pressed');
  if (isSelected(element) || aria('selected') === 'true') states.push('selected');
  return states;
}

function isSelected(element: DomElement): boolean {
  if (element.tag !== 'option') return false;
  const select = element.closest(({ tag }) => tag === 'select');
  return select !== null && chosenOptions(select).includes(element);
}
