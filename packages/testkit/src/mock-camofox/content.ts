import { spelled } from './spelled.ts';
import { Buffer } from 'node:buffer';
import { bodyOf, type Call, type Handler, noTab, ok, refuse, useTab, withTab } from './call.ts';
import type { MockBrowser } from './browser.ts';
import { scrollBy } from './acting.ts';
import { evaluate } from './page-script.ts';
import type { DownloadRecord } from './tab.ts';

const inlineBytes = 20 * 1024 * 1024;

/** POST /tabs/:tabId/evaluate. What never settles costs the tab. */
export const evaluateRoute: Handler = async (call, browser) => {
  const { userId, expression } = bodyOf(call);
  if (!userId) return refuse(400, 'userId is required');
  if (!expression) return refuse(400, 'expression is required');
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId);
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  const work = async () => {
    await tab.alive('page.evaluate', tab.settled());
    return tab.alive('page.evaluate', evaluate(browser, tab, spelled(expression)));
  };
  const result = await browser.users.run(spelled(userId), () => withTab(browser, tab, work, { destroys: true }));
  return ok({ ok: true, result });
};

/** GET /tabs/:tabId/links: absolute addresses with http or https, duplicates kept. */
export const links: Handler = async (call, browser) => {
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, call.query.get('userId'), tabId);
  if (found === null) return noTab(browser, tabId);
  const limit = Number.parseInt(call.query.get('limit') ?? '', 10) || 50;
  const offset = Number.parseInt(call.query.get('offset') ?? '', 10) || 0;
  const { tab } = found;
  return withTab(browser, tab, async () => {
    await tab.alive('page.evaluate', tab.settled());
    const all = tab.page.root
      .all((one) => one.tag === 'a' && one.has('href'))
      .map((link) => ({ url: absolute(link.get('href') ?? '', tab.page.url), text: link.text.trim().slice(0, 100) }))
      .filter(({ url }) => url.startsWith('http'));
    const total = all.length;
    return ok({
      links: all.slice(offset, offset + limit),
      pagination: { total, offset, limit, hasMore: offset + limit < total },
    });
  });
};

function absolute(href: string, base: string): string {
  try {
    return new URL(href, base).href;
  } catch {
    return '';
  }
}

/** GET /tabs/:tabId/downloads. `consume` drops all records of the tab, also those whose bytes were not sent. */
export const downloads: Handler = (call, browser) => {
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, call.query.get('userId'), tabId);
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  const asked = Number(call.query.get('maxBytes'));
  const maxBytes = Number.isFinite(asked) && asked > 0 ? asked : inlineBytes;
  const withData = call.query.get('includeData') === 'true';
  const listed = tab.downloads.map((record) => ({ ...told(record), ...(withData ? dataOf(record, maxBytes) : {}) }));
  if (call.query.get('consume') === 'true') tab.downloads = [];
  return ok({ tabId, downloads: listed });
};

function told({ id, url, suggestedFilename, mimeType, bytes, createdAt, failure }: DownloadRecord) {
  return { id, url, suggestedFilename, mimeType, bytes, createdAt, failure };
}

function dataOf({ content, failure }: DownloadRecord, maxBytes: number) {
  if (content === null || failure !== null) return {};
  if (content.length > maxBytes) return { dataSkipped: 'max_bytes_exceeded' };
  return { dataBase64: Buffer.from(content).toString('base64') };
}

/** GET /tabs/:tabId/images, without their bytes. */
export const images: Handler = async (call, browser) => {
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, call.query.get('userId'), tabId);
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  const limit = Math.min(20, Number.parseInt(call.query.get('limit') ?? '', 10) || 8);
  const all = tab.page.root
    .all((one) => one.tag === 'img' && one.has('src'))
    .slice(0, limit)
    .map((one) => ({
      src: absolute(one.get('src') ?? '', tab.page.url),
      alt: one.get('alt') ?? '',
      width: Number(one.get('width') ?? 1),
      height: Number(one.get('height') ?? 1),
    }));
  return ok({ tabId, images: all });
};

/** POST /tabs/:tabId/scroll. */
export const scroll: Handler = async (call, browser) => {
  const { userId, direction = 'down', amount = 500 } = bodyOf(call);
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId);
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  await withTab(browser, tab, () => tab.alive('mouse.wheel', (async () => scrollBy(tab, direction, amount))()));
  return ok({ ok: true });
};

/** POST /tabs/:tabId/viewport. An unknown tab is always 404 here. */
export const viewport: Handler = async (call, browser) => {
  const { userId, width, height } = bodyOf(call);
  if (!isSide(width) || !isSide(height)) return refuse(400, 'width and height required (100..4000 px)');
  const found = useTab(browser, userId, call.params['tabId'] ?? '');
  if (found === null) return refuse(404, 'Tab not found');
  await found.tab.alive('page.setViewportSize', Promise.resolve());
  found.tab.viewport = { width: Math.round(width), height: Math.round(height) };
  return ok({ ok: true, ...found.tab.viewport });
};

const isSide = (value: unknown): value is number => typeof value === 'number' && value >= 100 && value <= 4000;

/** POST /tabs/:tabId/extract: the names of refs, as text or number. */
export const extract: Handler = (call: Call, browser: MockBrowser) => {
  const { userId, schema } = bodyOf(call);
  if (!userId) return refuse(400, 'userId is required');
  if (!isRecord(schema)) return refuse(400, 'schema is required');
  if (schema['type'] !== 'object') return refuse(400, 'top-level schema must have type: object');
  const tabId = call.params['tabId'] ?? '';
  const found = useTab(browser, userId, tabId);
  if (found === null) return noTab(browser, tabId);
  const { tab } = found;
  if (tab.refs.size === 0)
    return {
      status: 409,
      json: {
        error: 'no refs available -- call GET /tabs/:tabId/snapshot first to build the ref table',
        snapshot: tab.lastSnapshot,
      },
    };
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const data: Record<string, unknown> = {};
  for (const [name, about] of Object.entries(properties)) {
    const ref = isRecord(about) ? about['x-ref'] : undefined;
    const target = tab.refs.get(spelled(ref));
    if (target !== undefined && isRecord(about)) data[name] = coerce(target.name, about['type']);
    else if (required.includes(name)) {
      const error = `required property "${name}" could not be extracted (x-ref=${spelled(ref)})`;
      return { status: 422, json: { ok: false, error, snapshot: tab.lastSnapshot } };
    }
  }
  return ok({ ok: true, data });
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function coerce(name: string, type: unknown): unknown {
  if (type === 'integer') return Number.parseInt(name, 10);
  return type === 'number' ? Number.parseFloat(name) : name;
}
