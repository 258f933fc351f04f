import { BrowserError, type CallContext, type TabAddress } from '@wheelhouse/contracts';
import type { CamofoxClient } from './client.ts';
import { type PageElement, readPage } from './elements.ts';
import { HealthWire, SnapshotWire } from './wire.ts';

/** Characters of one window that are new: 80,000 less the tail of 5,000 and 200 for the marker (source: lib/snapshot.js). */
const windowChars = 74_800;
const tailChars = 5_000;
/** Most characters of a page that are read. */
const maxChars = 1_000_000;

/** A page as it is now, raw: only for use inside the adapter. */
export interface RawLook {
  readonly url: string;
  readonly text: string;
  readonly elements: readonly PageElement[];
  readonly structure: SnapshotWire['structure'];
  readonly truncated: boolean;
}

/**
 * Looks at a page: all windows of its snapshot, put together without their overlaps, read and numbered by us.
 *
 * @throws BrowserError `browser_dead` for the empty answer of a browser that died (recording 15-crash: status 200,
 *   no text, no structure), `unexpected_shape` when the page changed between two windows
 */
export async function lookRaw(client: CamofoxClient, tab: TabAddress, context: CallContext): Promise<RawLook> {
  const at = (offset: number) =>
    client.json(
      {
        method: 'GET',
        path: `/tabs/${encodeURIComponent(tab.upstreamTabId)}/snapshot`,
        query: { userId: tab.profileKey, format: 'text', ...(offset === 0 ? {} : { offset }) },
        kind: 'look',
      },
      SnapshotWire,
      context,
    );
  const first = await at(0);
  if (
    first.snapshot === '' &&
    (first.structure === null || (first.structure === undefined && !(await running(client, context))))
  ) {
    throw new BrowserError('browser_dead', 'the browser behind this tab has stopped');
  }
  const { text, truncated } = await wholeText(first, at);
  return { url: first.url, structure: first.structure, truncated, ...readPage(text) };
}

/** Before 1.17 there is no structure to tell an empty page from a dead browser, so the server is asked. */
async function running(client: CamofoxClient, context: CallContext): Promise<boolean> {
  const health = await client.json({ method: 'GET', path: '/health', kind: 'look' }, HealthWire, context);
  return health.browserRunning === true;
}

/** Windows overlap by their tail and are cut in the middle of lines; by their offsets they fit together exactly. */
async function wholeText(first: SnapshotWire, at: (offset: number) => Promise<SnapshotWire>) {
  const total = first.totalChars ?? first.snapshot.length;
  if (first.truncated !== true || total <= first.snapshot.length) return { text: first.snapshot, truncated: false };
  const parts: string[] = [];
  let offset = 0;
  for (let window = first; ; window = await at(offset)) {
    if ((window.totalChars ?? total) !== total || window.url !== first.url) {
      throw new BrowserError('unexpected_shape', 'the page changed while it was being read');
    }
    if (window.hasMore === true && typeof window.nextOffset === 'number' && window.nextOffset > offset) {
      parts.push(window.snapshot.slice(0, window.nextOffset - offset));
      offset = window.nextOffset;
      if (offset < maxChars) continue;
      const text = parts.join('');
      return { text: text.slice(0, text.lastIndexOf('\n') + 1), truncated: true };
    }
    // The last window starts where the tail would otherwise begin, and the tail completes it.
    const start = Math.min(offset, total - tailChars);
    const body = window.snapshot.slice(offset - start, Math.min(windowChars, total - start));
    const missing = total - (start + Math.min(windowChars, total - start));
    parts.push(body, missing > 0 ? window.snapshot.slice(-missing) : '');
    return { text: parts.join(''), truncated: false };
  }
}
