import type { SelectorBlock } from './definition.ts';
import { applyFilters } from './filters.ts';
import { type PageElements, select, type SitePage } from './page.ts';
import { renderTemplate, type TemplateVariables } from './template.ts';

/** Longest text of an element that is read, characters. */
const maxText = 1_000_000;

/**
 * A value as its block says, filters run; `null` when a selector, the attribute or all cases match nothing. Parts that
 * the block removes are taken out of the page for good, as in the programs that the format comes from.
 *
 * @throws BrowserError `definition_unsupported` for a selector, template, filter or pattern that cannot run
 */
export function readValue(
  page: SitePage,
  within: PageElements | undefined,
  block: SelectorBlock,
  variables: TemplateVariables,
): string | null {
  const raw = rawValue(page, within, block, variables);
  return raw === null ? null : applyFilters(raw.slice(0, maxText), block.filters, variables);
}

function rawValue(
  page: SitePage,
  within: PageElements | undefined,
  block: SelectorBlock,
  variables: TemplateVariables,
): string | null {
  if (block.text !== undefined) return renderTemplate(block.text, variables);
  const scope = within ?? page.root;
  const element =
    block.selector === undefined ? scope : select(page, renderTemplate(block.selector, variables), within).first();
  if (element.length === 0) return null;
  if (block.remove !== undefined) {
    // Never the element itself, even where it fits.
    select(page, renderTemplate(block.remove, variables), element).not(element).remove();
  }
  if (block.case !== undefined) return caseValue(page, element, block.case, variables);
  const value = block.attribute === undefined ? element.text() : element.attr(block.attribute);
  return value?.trim() ?? null;
}

function caseValue(
  page: SitePage,
  element: PageElements,
  cases: Readonly<Record<string, string>>,
  variables: TemplateVariables,
): string | null {
  for (const [when, then] of Object.entries(cases)) {
    if (when === '*' || select(page, renderTemplate(when, variables), element).length > 0) {
      return renderTemplate(then, variables).trim();
    }
  }
  return null;
}

/** An address of the page as an absolute one; what is no address stays as it is. */
export function absolute(href: string, base: string): string {
  return URL.canParse(href, base) ? new URL(href, base).href : href;
}
