/** What names one element to Playwright. */
export interface ElementName {
  readonly role: string;
  /** Exact accessible name; empty when there is none. */
  readonly name: string;
  /** `href` as written, of links that have one. */
  readonly href: string | null;
  /** Position among elements of the same role, name and `href`, from 0, and how many such there are. */
  readonly twin: number;
  readonly twins: number;
  /** Position among all elements of the same role, from 0. */
  readonly nthOfRole: number;
  /** A named block around it that exists once and holds no second such element. */
  readonly within: { readonly role: string; readonly name: string } | null;
}

/** A selector, and whether it can mean one element only. */
export interface ExactSelector {
  readonly selector: string;
  /** Playwright itself refuses when it matches more than one; otherwise a position decides, which can shift. */
  readonly strict: boolean;
}

/**
 * The selector that means exactly this element: role, exact and case-sensitive name, and `href` (recording
 * 27-exact-selectors). The upstream's own refs match names as case-insensitive substrings and hit other elements.
 *
 * A position is the last resort, for elements that nothing else tells apart.
 */
export function exactSelector(element: ElementName): ExactSelector {
  const own = roleAndName(element.role, element.name) + withAttribute('href', element.href);
  if (element.twins === 1) return { selector: own, strict: true };
  if (element.within !== null) {
    return { selector: `${roleAndName(element.within.role, element.within.name)} >> ${own}`, strict: true };
  }
  if (element.name !== '') return { selector: `${own} >> nth=${element.twin}`, strict: false };
  // Names of more than 900 characters are shown as none, so among nameless ones only the position in the role counts.
  return { selector: `role=${element.role} >> nth=${element.nthOfRole}${and(own)}`, strict: false };
}

/** The same selector, narrowed to elements that are no credential fields by their own attributes (S000-36). */
export function withoutCredentialFields(selector: string): string {
  return selector + and(`css=${noCredentialField}`);
}

/** `type` and `autocomplete` of the HTML Standard that mark credentials (S000-o5). */
const noCredentialField = ['password', 'one-time-code', 'cc-number', 'cc-csc']
  .map((token) => `:not([autocomplete*="${token}" i])`)
  .concat(':not([type="password" i])')
  .join('');

function roleAndName(role: string, name: string): string {
  return `role=${role}[name="${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"]`;
}

function withAttribute(attribute: string, value: string | null): string {
  if (value === null) return '';
  const text = value.replace(/["\\]/g, '\\$&').replace(/[\n\r\f]/g, (c) => `\\${c.charCodeAt(0).toString(16)} `);
  return and(`css=[${attribute}="${text}"]`);
}

function and(selector: string): string {
  return ` >> internal:and=${JSON.stringify(selector)}`;
}
