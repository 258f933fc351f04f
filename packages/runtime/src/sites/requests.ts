import type { PathBlock, SiteDefinition } from './definition.ts';
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

/** The addresses of a list, as a browse without keywords asks for them. */
export function listRequests(
  definition: SiteDefinition,
  sitelink: string,
  variables: TemplateVariables,
): readonly ListRequest[] {
  return pathsOf(definition).map((path) => {
    const method =
      renderTemplate(path.method ?? 'get', variables)
        .trim()
        .toLowerCase() === 'post'
        ? 'post'
        : 'get';
    const url = new URL(renderTemplate(path.path, variables), sitelink);
    if (method === 'get') {
      const own = { ...(path.inheritinputs ? definition.search.inputs : {}), ...path.inputs };
      url.search = joined(url.search, queryOf(own, variables));
    }
    return { url: url.href, method, response: responseOf(path) };
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

/** Inputs as a query; `$raw` is query text already. Empty values are left out, as the field's programs do. */
function queryOf(inputs: Readonly<Record<string, string>>, variables: TemplateVariables): string {
  const query = new URLSearchParams();
  let raw = '';
  for (const [name, template] of Object.entries(inputs)) {
    const value = renderTemplate(template, variables);
    if (name === '$raw') raw = joined(raw, value);
    else if (value !== '') query.append(name, value);
  }
  return joined(query.toString(), raw);
}

function joined(first: string, second: string): string {
  return [first, second]
    .map((part) => part.replaceAll(/^[?&]+|&+$/g, ''))
    .filter((part) => part !== '')
    .join('&');
}
