import { Buffer } from 'node:buffer';
import { BrowserError, type CallContext, type ScreenshotImage, type TabAddress } from '@wheelhouse/contracts';
import { z } from 'zod';
import type { CamofoxClient } from './client.ts';
import { requireAllowed } from './authority.ts';
import { failureOf } from './outcome.ts';
import { jsonOf } from './reply.ts';
import { addressOf } from './tabs.ts';
import { EvaluateWire, LinksWire, WaitWire } from './wire.ts';

const pathOf = (tab: TabAddress, what: string) => `/tabs/${encodeURIComponent(tab.upstreamTabId)}/${what}`;

/**
 * Runs one of the adapter's own fixed scripts in the page.
 *
 * @throws BrowserError `unexpected_shape` when the answer is another, which a page can bring about
 */
export async function evaluate<S extends z.ZodType>(
  client: CamofoxClient,
  tab: TabAddress,
  { expression, shape }: { readonly expression: string; readonly shape: S },
  context: CallContext,
): Promise<z.infer<S>> {
  const body = { userId: tab.profileKey, expression };
  const request = { method: 'POST', path: pathOf(tab, 'evaluate'), body, kind: 'look' } as const;
  const read = shape.safeParse((await client.json(request, EvaluateWire, context)).result);
  if (read.success) return read.data;
  throw new BrowserError('unexpected_shape', 'the page answered another shape than expected', { cause: read.error });
}

/** A fixed script: whatever is looked for in the page is looked for in our process, on this text. */
const documentScript =
  '({ url: location.href, html: document.documentElement ? document.documentElement.outerHTML : "" })';
const DocumentWire = z.object({ url: z.string(), html: z.string() });

/** The document as HTML, as it stands now. Only of pages that the allowlist covers. */
export async function pageHtml(client: CamofoxClient, tab: TabAddress, context: CallContext) {
  const page = await evaluate(client, tab, { expression: documentScript, shape: DocumentWire }, context);
  requireAllowed(page.url, context);
  return page;
}

const JsonScreenshotWire = z.object({ screenshot: z.object({ data: z.string(), mimeType: z.string() }) });
const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** A picture of the page. Errors come as JSON with the same route, so the type is read before the bytes are believed (S003-25). */
export async function screenshot(
  client: CamofoxClient,
  tab: TabAddress,
  fullPage: boolean,
  context: CallContext,
): Promise<ScreenshotImage> {
  await requireAllowedTab(client, tab, context);
  const query = { userId: tab.profileKey, ...(fullPage ? { fullPage: 'true' } : {}) };
  const request = { method: 'GET', path: pathOf(tab, 'screenshot'), query, kind: 'look' } as const;
  const reply = await client.request(request, context);
  if (reply.status !== 200) throw failureOf('look', reply, 'GET /tabs/…/screenshot');
  const image = reply.contentType.startsWith('image/')
    ? { bytes: reply.body, mimeType: reply.contentType.split(';', 1)[0] ?? 'image/png' }
    : fromJson(JsonScreenshotWire.safeParse(jsonOf(reply)).data);
  if (image === null || (image.mimeType === 'image/png' && !image.bytes.subarray(0, 4).equals(pngStart))) {
    throw new BrowserError('unexpected_shape', 'the browser service answered no picture');
  }
  return image;
}

function fromJson(read: z.infer<typeof JsonScreenshotWire> | undefined) {
  if (read === undefined) return null;
  return { bytes: Buffer.from(read.screenshot.data, 'base64'), mimeType: read.screenshot.mimeType };
}

/** Waits until the page is quiet. `timeoutMs` is a wish: 3 s took 8.2 s on a polling page (recording 04-navigate). */
export async function wait(client: CamofoxClient, tab: TabAddress, timeoutMs: number, context: CallContext) {
  const body = { userId: tab.profileKey, timeout: timeoutMs };
  const { ready } = await client.json(
    { method: 'POST', path: pathOf(tab, 'wait'), body, kind: 'look' },
    WaitWire,
    context,
  );
  return { ready: ready === true };
}

/** Links of the page. */
export async function links(
  client: CamofoxClient,
  tab: TabAddress,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  context: CallContext,
) {
  await requireAllowedTab(client, tab, context);
  const query = { userId: tab.profileKey, offset, limit };
  const answer = await client.json(
    { method: 'GET', path: pathOf(tab, 'links'), query, kind: 'look' },
    LinksWire,
    context,
  );
  return {
    links: answer.links.map(({ url, text }) => ({ url, text: text ?? '' })),
    total: answer.pagination?.total ?? answer.links.length,
  };
}

/** Asks for the address of a tab before a call whose answer does not tell it. */
async function requireAllowedTab(client: CamofoxClient, tab: TabAddress, context: CallContext): Promise<void> {
  requireAllowed((await addressOf(client, tab, context)) ?? '', context);
}
