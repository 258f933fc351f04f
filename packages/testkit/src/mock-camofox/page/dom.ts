/** A piece of text in a document. */
export interface DomText {
  readonly kind: 'text';
  text: string;
  parent: DomElement | null;
}

/** Runs when an element is pressed. `true` cancels what the element does by itself. */
export type PressListener = (target: DomElement) => boolean | void;

/** An element of the mock's small document. Scripts and presses change it; nothing is laid out. */
export class DomElement {
  readonly kind = 'element';
  readonly tag: string;
  readonly attributes: Map<string, string>;
  children: (DomElement | DomText)[] = [];
  parent: DomElement | null = null;
  /** Typed or chosen value; `undefined` while the markup's own holds. */
  typed: string | undefined = undefined;
  /** Ticked state; `undefined` while the markup's own holds. */
  ticked: boolean | undefined = undefined;
  onPress: PressListener | undefined = undefined;

  constructor(tag: string, attributes: Iterable<readonly [string, string]> = []) {
    this.tag = tag;
    this.attributes = new Map(attributes);
  }

  get(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.attributes.has(name);
  }

  append(child: DomElement | DomText): void {
    child.parent = this;
    this.children.push(child);
  }

  /** Takes it out of its parent. */
  remove(): void {
    if (this.parent === null) return;
    this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = null;
  }

  replaceChildren(children: readonly (DomElement | DomText)[]): void {
    this.children = [];
    for (const child of children) this.append(child);
  }

  get text(): string {
    return this.children.map((child) => (child.kind === 'text' ? child.text : child.text)).join('');
  }

  get elements(): DomElement[] {
    return this.children.filter((child): child is DomElement => child.kind === 'element');
  }

  /** All elements below, in document order. */
  *descendants(): Generator<DomElement> {
    for (const child of this.children) {
      if (child.kind === 'text') continue;
      yield child;
      yield* child.descendants();
    }
  }

  /** Itself or the nearest element around it that fits. */
  closest(fits: (element: DomElement) => boolean): DomElement | null {
    if (fits(this)) return this;
    return this.parent === null ? null : this.parent.closest(fits);
  }

  find(fits: (element: DomElement) => boolean): DomElement | null {
    for (const element of this.descendants()) if (fits(element)) return element;
    return null;
  }

  all(fits: (element: DomElement) => boolean): DomElement[] {
    return [...this.descendants()].filter(fits);
  }
}

export function textNode(text: string): DomText {
  return { kind: 'text', text, parent: null };
}

/** What a form control holds now. */
export function valueOf(element: DomElement): string {
  if (element.tag === 'select') {
    const chosen = chosenOptions(element)[0];
    return chosen === undefined ? '' : optionValue(chosen);
  }
  if (element.typed !== undefined) return element.typed;
  if (element.tag === 'textarea') return element.text.replace(/^\n/, '');
  const value = element.get('value');
  if (value !== null) return value;
  return element.tag === 'input' && /^(checkbox|radio)$/.test(inputType(element)) ? 'on' : '';
}

export function inputType(element: DomElement): string {
  return element.tag === 'input' ? (element.get('type') ?? 'text').toLowerCase() : '';
}

export function isTicked(element: DomElement): boolean {
  return element.ticked ?? element.has('checked');
}

export function isDisabled(element: DomElement): boolean {
  return (
    element.closest(
      ({ tag, attributes }) =>
        attributes.has('disabled') && /^(button|input|select|textarea|option|fieldset)$/.test(tag),
    ) !== null
  );
}

const neverShown = new Set(['head', 'script', 'style', 'template', 'noscript', 'title', 'meta', 'link']);

/** Not displayed, whatever is around it. */
export function isHiddenItself(element: DomElement): boolean {
  const { tag, parent } = element;
  return (
    neverShown.has(tag) ||
    element.has('hidden') ||
    (tag === 'input' && inputType(element) === 'hidden') ||
    (tag === 'dialog' && !element.has('open')) ||
    (parent?.tag === 'details' && tag !== 'summary' && !parent.has('open')) ||
    /display:\s*none/.test(element.get('style') ?? '')
  );
}

/** Not displayed: for people and for assistive technology. */
export function isHidden(element: DomElement): boolean {
  return element.closest(isHiddenItself) !== null;
}

export function optionsOf(select: DomElement): DomElement[] {
  return select.all(({ tag }) => tag === 'option');
}

export function optionValue(option: DomElement): string {
  return option.get('value') ?? option.text.trim();
}

/** Chosen options: by choice, by markup, else the first of a list that shows one. */
export function chosenOptions(select: DomElement): DomElement[] {
  const options = optionsOf(select);
  if (select.typed !== undefined) return options.filter((option) => optionValue(option) === select.typed).slice(0, 1);
  const marked = options.filter((option) => option.has('selected'));
  if (select.has('multiple')) return marked;
  return marked.length > 0 ? marked.slice(-1) : options.slice(0, 1);
}

const inline = new Set(
  'a abbr b bdi bdo br button cite code data dfn em font i iframe img input kbd label mark output q s samp select small span strong sub sup textarea time tt u var wbr'.split(
    ' ',
  ),
);

/** Whether it stands apart from the text around it. */
export function isBlock(element: DomElement): boolean {
  return !inline.has(element.tag);
}
