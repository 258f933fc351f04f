import type { FixtureSite } from '../src/fixture-site/index.ts';

/** A browser without pages: keeps cookies, follows redirects on request, sends forms with their hidden fields. */
export function visitor(site: FixtureSite, cookieHeader = '') {
  const jar = new Map(cookieHeader.split('; ').flatMap((pair) => (pair === '' ? [] : [pairOf(pair)])));

  async function request(
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; location: string; text: string }> {
    const headers = new Headers(init.headers);
    headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(new URL(path, site.origin), { redirect: 'manual', ...init, headers });
    for (const cookie of response.headers.getSetCookie()) jar.set(...pairOf(cookie.split(';')[0] ?? ''));
    return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() };
  }

  const post = (path: string, fields: Record<string, string>) =>
    request(path, { method: 'POST', body: new URLSearchParams(fields) });

  /** The first POST form of a page: its page, where it goes, its hidden fields. */
  async function form(path: string) {
    const { text } = await request(path);
    const tag = /<form[^>]*method="post"[^>]*>/i.exec(text)?.[0] ?? '';
    const action = new URL(/action="([^"]+)"/.exec(tag)?.[1] ?? '', new URL(path, site.origin)).href;
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    return { text, action, hidden: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])) };
  }

  return {
    jar,
    form,
    post,
    get: (path: string) => request(path),
    /** Opens a page, and the one that it redirects to. */
    async arrive(path: string) {
      const page = await request(path);
      return page.status === 302 ? request(page.location) : page;
    },
    /** Opens a page and sends its form with the hidden fields and these. */
    async submit(path: string, fields: Record<string, string>) {
      const { action, hidden } = await form(path);
      return post(action, { ...hidden, ...fields });
    },
  };
}

function pairOf(pair: string): [name: string, value: string] {
  const equals = pair.indexOf('=');
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}
