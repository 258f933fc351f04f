/** HTML that is safe to put into a page as it is. */
export interface Markup {
  readonly html: string;
}

/** What a template accepts: text and numbers are escaped, markup is not, lists are joined, `null` and `false` vanish. */
export type MarkupValue = Markup | string | number | null | false | readonly MarkupValue[];

/** A template tag that escapes every text put into it, so that no name of a torrent can break a page. */
export function markup(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  const html = parts.map((part, index) => (index === 0 ? part : render(values[index - 1] ?? null) + part)).join('');
  return { html };
}

/** Text for HTML text and for attribute values in quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function render(value: MarkupValue): string {
  if (value === null || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  if ('html' in value) return value.html;
  return value.map(render).join('');
}
