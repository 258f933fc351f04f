import { spelled } from './spelled.ts';
import { cssTest } from './page/css.ts';
import { type DomElement, inputType, isTicked, textNode, valueOf } from './page/dom.ts';
import { readFragment, writeHtml } from './page/read-html.ts';

const wrapped = new WeakMap<DomElement, ScriptElement>();

const pressers = new WeakMap<DomElement, (element: DomElement) => void>();

/** What `click()` of scripts does in a document. */
export function onScriptClick(root: DomElement, press: (element: DomElement) => void): void {
  pressers.set(root, press);
}

/** An element as scripts see it: the few members that pages and tests use. */
export class ScriptElement {
  readonly #node: DomElement;
  readonly dataset: Record<string, string>;

  constructor(node: DomElement) {
    this.#node = node;
    const own = Object.fromEntries(
      [...node.attributes]
        .filter(([name]) => name.startsWith('data-'))
        .map(([name, value]) => [name.slice(5).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()), value]),
    );
    this.dataset = new Proxy(own, {
      set: (all, key, value: unknown) => {
        const name = String(key).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
        node.attributes.set(`data-${name}`, spelled(value));
        return Reflect.set(all, key, spelled(value));
      },
    });
  }

  get tagName(): string {
    return this.#node.tag.toUpperCase();
  }
  get id(): string {
    return this.#node.get('id') ?? '';
  }
  get className(): string {
    return this.#node.get('class') ?? '';
  }
  get type(): string {
    return inputType(this.#node) || this.#node.tag;
  }
  get name(): string {
    return this.#node.get('name') ?? '';
  }
  get href(): string {
    return this.#node.get('href') ?? '';
  }
  set href(url: string) {
    this.#node.attributes.set('href', url);
  }
  set download(name: string) {
    this.#node.attributes.set('download', name);
  }
  get value(): string {
    return valueOf(this.#node);
  }
  set value(value: unknown) {
    this.#node.typed = spelled(value);
  }
  get checked(): boolean {
    return isTicked(this.#node);
  }
  set checked(value: unknown) {
    this.#node.ticked = Boolean(value);
  }
  get textContent(): string {
    return this.#node.text;
  }
  set textContent(text: unknown) {
    this.#node.replaceChildren([textNode(spelled(text))]);
  }
  get innerText(): string {
    return this.#node.text;
  }
  get innerHTML(): string {
    return this.#node.children.map(writeHtml).join('');
  }
  set innerHTML(html: unknown) {
    this.#node.replaceChildren(readFragment(spelled(html)));
  }
  get outerHTML(): string {
    return writeHtml(this.#node);
  }
  set onclick(listener: unknown) {
    this.#listen(listener);
  }
  #listen(listener: unknown): void {
    if (typeof listener !== 'function') return;
    this.#node.onPress = (target) => {
      const event = pressEvent(target);
      const returned: unknown = listener.call(this, event);
      return event.prevented || returned === false;
    };
  }
  get children(): ScriptElement[] {
    return this.#node.elements.map(wrap);
  }
  get firstElementChild(): ScriptElement | null {
    return wrapMaybe(this.#node.elements[0]);
  }
  get lastElementChild(): ScriptElement | null {
    return wrapMaybe(this.#node.elements.at(-1));
  }
  get previousElementSibling(): ScriptElement | null {
    const siblings = this.#node.parent?.elements ?? [];
    return wrapMaybe(siblings[siblings.indexOf(this.#node) - 1]);
  }
  get parentElement(): ScriptElement | null {
    return wrapMaybe(this.#node.parent ?? undefined);
  }
  click(): void {
    const root = this.#node.closest(({ parent }) => parent === null);
    if (root !== null) pressers.get(root)?.(this.#node);
  }
  getAttribute(name: string): string | null {
    return this.#node.get(name);
  }
  setAttribute(name: string, value: unknown): void {
    this.#node.attributes.set(name, spelled(value));
  }
  querySelector(selector: string): ScriptElement | null {
    return wrapMaybe(this.#node.find(cssTest(selector)) ?? undefined);
  }
  querySelectorAll(selector: string): ScriptElement[] {
    return this.#node.all(cssTest(selector)).map(wrap);
  }
  closest(selector: string): ScriptElement | null {
    return wrapMaybe(this.#node.closest(cssTest(selector)) ?? undefined);
  }
  append(...children: (ScriptElement | string)[]): void {
    for (const child of children) this.#node.append(typeof child === 'string' ? textNode(child) : nodeOf(child));
  }
  prepend(...children: (ScriptElement | string)[]): void {
    const added = children.map((child) => (typeof child === 'string' ? textNode(child) : nodeOf(child)));
    this.#node.replaceChildren([...added, ...this.#node.children]);
  }
  replaceChildren(...children: (ScriptElement | string)[]): void {
    this.#node.replaceChildren(children.map((child) => (typeof child === 'string' ? textNode(child) : nodeOf(child))));
  }
  remove(): void {
    this.#node.remove();
  }
  addEventListener(name: string, listener: unknown): void {
    if (name === 'click') this.#listen(listener);
  }
}

/** The event that listeners get. */
export function pressEvent(target: DomElement) {
  const event = {
    type: 'click',
    target: wrap(target),
    prevented: false,
    preventDefault: () => {
      event.prevented = true;
    },
    stopPropagation: () => {},
  };
  return event;
}

export function wrap(node: DomElement): ScriptElement {
  const known = wrapped.get(node) ?? new ScriptElement(node);
  wrapped.set(node, known);
  nodes.set(known, node);
  return known;
}

function wrapMaybe(node: DomElement | undefined): ScriptElement | null {
  return node === undefined ? null : wrap(node);
}

const nodes = new WeakMap<ScriptElement, DomElement>();

/** The element behind what a script holds. */
export function nodeOf(element: ScriptElement): DomElement {
  const node = nodes.get(element);
  if (node === undefined) throw new TypeError('this is no element');
  return node;
}
