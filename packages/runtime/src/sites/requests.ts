import { BrowserError } from '@wheelhouse/contracts';
import type { PathBlock, SiteDefinition } from './definition.ts';
import { formEncoded } from './form-encoding.ts';
import { renderTemplate, type TemplateVariables } from './template.ts';

/** How a list answers. */
export type ResponseType = 'html' | 'json' | 'xml';

/** One request for a list. */
export interface ListRequest {
  /** Absolute address, query included for `get`. Raw. */
  readonly url: string;
  readonly method: 'get' | 'post';
  readonly response: ResponseType;
}

/**
 * The addresses of a list, as a search for the keywords of the variables asks for them; without keywords it is the
 * newest entries. Paths for other categories than those of the variables are left out.
 *
 * @throws BrowserError `definition_unsupported` for a template that cannot run, `invalid_definition` for a path that
 *   makes no address
 */
export function listRequests(
  definition: SiteDefinition,
  sitelink: string,
  variables: TemplateVariables,
): readonly ListRequest[] {
  return pathsOf(definition)
    .filter((path) => isForCategories(path, variables))
    .map((path) => {
      const isPost = /^\s*post\s*$/i.test(renderTemplate(path.method ?? 'get', variables));
      const url = addressOf(definition, path, sitelink, variables);
      if (!isPost) url.search = joined(url.search, queryOf(definition, path, variables));
      return { url: url.href, method: isPost ? 'post' : 'get', response: responseOf(path) };
    });
}

/** All paths of a search, the old single form included. */
export function pathsOf(definition: SiteDefinition): readonly PathBlock[] {
  const { path, paths } = definition.search;
  if (paths.length > 0) return paths;
  return [{ path: path ?? '', inputs: {}, inheritinputs: true }];
}

/** The response type that a definition declares; HTML unless it says otherwise. */
export function responseOf(path: Pick<PathBlock, 'response'>): ResponseType {
  const type = path.response?.type?.toLowerCase();
  return type === 'json' || type === 'xml' ? type : 'html';
}

/** Whether a browser is needed to read this site's lists at all. */
export function needsBrowser(definition: SiteDefinition): boolean {
  return pathsOf(definition).some((path) => responseOf(path) === 'html');
}

/** A path may be for some categories only, or (`!` first) for all but some. */
function isForCategories({ categories = [] }: PathBlock, variables: TemplateVariables): boolean {
  const wanted = variables.get('Categories');
  if (categories.length === 0 || !Array.isArray(wanted) || wanted.length === 0) return true;
  const some = categories.some((category) => wanted.includes(category));
  return categories[0] === '!' ? !some : some;
}

function addressOf(
  { id, encoding }: SiteDefinition,
  { path }: PathBlock,
  sitelink: string,
  variables: TemplateVariables,
): URL {
  const written = renderTemplate(path, variables, (value) => formEncoded(value, encoding)).replaceAll('+', '%20');
  if (!URL.canParse(written, sitelink)) {
    throw new BrowserError('invalid_definition', `${id}: a path of search.paths makes no address`);
  }
  return new URL(written, sitelink);
}

/** Inputs as a query; `$raw` is query text already. Empty values are left out unless the definition wants them. */
function queryOf({ search, encoding }: SiteDefinition, path: PathBlock, variables: TemplateVariables): string {
  const encode = (text: string) => formEncoded(text, encoding);
  const parts = Object.entries({ ...(path.inheritinputs ? search.inputs : {}), ...path.inputs }).map(
    ([name, template]) => {
      if (name === '$raw') return renderTemplate(template, variables, encode);
      const value = renderTemplate(template, variables);
      return value.trim() === '' && !search.allowEmptyInputs ? '' : `${encode(name)}=${encode(value)}`;
    },
  );
  return joined(...parts);
}

function joined(...parts: readonly string[]): string {
  return parts
    .map((part) => part.replaceAll(/^[?&]+|&+$/g, ''))
    .filter((part) => part !== '')
    .join('&');
}
