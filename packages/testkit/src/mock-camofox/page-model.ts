import { DomElement, textNode } from './page/dom.ts';
import { readDocument } from './page/read-html.ts';

/** Why a page cannot be loaded. */
export type NetworkFailure =
  | 'reset'
  | 'refused'
  | 'unknown-host'
  | 'redirect-loop'
  | 'blocked-redirect'
  | 'certificate'
  | 'bad-credentials';

/** A file that a site sends. */
export interface MockFile {
  /** As the site names it; the upstream replaces `/ \ : * ? " < > |`. */
  readonly filename: string;
  readonly bytes: Uint8Array;
  /** Until it is finished, milliseconds: only then it is listed. Default 0. */
  readonly afterMs?: number;
  /** Why it could not be finished, for example `canceled`. */
  readonly failure?: string;
}

/** An element of a page, in terms of what assistive technology sees. */
export interface MockElement {
  readonly role: string;
  readonly name?: string;
  /** Text of it, or value of a field. */
  readonly value?: string;
  /** Where a link leads. */
  readonly url?: string;
  /** For `presses()`, `onClick` and selectors like `#id`. */
  readonly id?: string;
  readonly disabled?: boolean;
  readonly checked?: boolean;
  readonly hidden?: boolean;
  readonly level?: 1 | 2 | 3 | 4 | 5 | 6;
  /** `password` and the like, for text boxes. */
  readonly type?: string;
  /** Id of an element that lies above it and gets its clicks. */
  readonly coveredBy?: string;
  readonly children?: readonly MockElement[];
}

/** What a press leads to, besides what its function did. */
export interface PressEffect {
  readonly navigate?: string;
  /** Opens in a new tab of the same session. */
  readonly popup?: string;
  readonly download?: MockFile;
  /** The page closes itself: all tabs of this user are lost with it (recording 22-blast-radius). */
  readonly closes?: boolean;
  /** The page does not answer for so long, milliseconds. */
  readonly busyMs?: number;
}

/** A page that is open in a tab, as a press handler may change it. */
export interface LivePage {
  readonly url: string;
  /** The element with this id, else with this exact text. */
  find(idOrText: string): LiveElement | null;
  /** Puts this markup in place of everything. */
  replace(html: string): void;
}

/** An element of an open page. */
export interface LiveElement {
  text: string;
  value: string;
  remove(): void;
}

/** What a press does: an effect, or a function that may change the page and give one. */
export type PressHandler = PressEffect | ((page: LivePage) => PressEffect | void);

/** A page of the model. Give `html` or `elements`; with both, `html` is only what scripts see. */
export interface MockPage {
  readonly title?: string;
  readonly html?: string;
  readonly elements?: readonly MockElement[];
  /** HTTP status. Default 200. */
  readonly status?: number;
  readonly redirectTo?: string;
  /** Until it answers, milliseconds, not scaled; `Infinity`: never. */
  readonly delayMs?: number;
  /** The address is a file. */
  readonly download?: MockFile;
  readonly fails?: NetworkFailure;
  /** By id, else by exact name of the element. */
  readonly onClick?: Readonly<Record<string, PressHandler>>;
  /** Asks before it is left: leaving fails (recording 19-popups-dialogs). */
  readonly asksBeforeUnload?: boolean;
}

/** What a page of the model is asked with. */
export interface MockPageRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  /** Fields of a submitted form; of the query with GET. */
  readonly fields: URLSearchParams;
  readonly userId: string;
}

/** A page, or what makes one for each request. */
export type MockPageSource = MockPage | ((request: MockPageRequest) => MockPage);

/** The document of a page of the model. */
export function documentOf(page: MockPage): DomElement {
  const root = page.elements === undefined ? readDocument(page.html ?? '') : readDocument('');
  const [head, body] = root.elements;
  if (page.title !== undefined && head !== undefined) {
    const title = head.find(({ tag }) => tag === 'title') ?? new DomElement('title');
    title.replaceChildren([textNode(page.title)]);
    if (title.parent === null) head.append(title);
  }
  for (const element of page.elements ?? []) body?.append(elementOf(element));
  return root;
}

function elementOf(element: MockElement): DomElement {
  const node = new DomElement(tagOf(element));
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined) node.attributes.set(name, value);
  };
  set('id', element.id);
  set('data-covered-by', element.coveredBy);
  set('disabled', element.disabled === true ? '' : undefined);
  set('checked', element.checked === true ? '' : undefined);
  set('hidden', element.hidden === true ? '' : undefined);
  set('href', element.url);
  if (node.tag === 'input') {
    set('type', element.type ?? inputTypes[element.role]);
    set('value', element.value);
    set('aria-label', element.name);
    return node;
  }
  if (node.tag === 'div' || node.tag === 'select' || node.tag === 'ul') set('aria-label', element.name);
  if (node.tag === 'div') set('role', element.role);
  const text = node.attributes.has('aria-label') ? element.value : (element.name ?? element.value);
  if (text !== undefined) node.append(textNode(text));
  for (const child of element.children ?? []) node.append(elementOf(child));
  return node;
}

const inputTypes: Readonly<Record<string, string>> = {
  textbox: 'text',
  searchbox: 'search',
  checkbox: 'checkbox',
  radio: 'radio',
  spinbutton: 'number',
  slider: 'range',
};
const tags: Readonly<Record<string, string>> = {
  button: 'button',
  link: 'a',
  paragraph: 'p',
  list: 'ul',
  listitem: 'li',
  combobox: 'select',
  option: 'option',
  table: 'table',
  row: 'tr',
  cell: 'td',
  text: 'span',
};

function tagOf({ role, level }: MockElement): string {
  if (role === 'heading') return `h${level ?? 1}`;
  return role in inputTypes ? 'input' : (tags[role] ?? 'div');
}
