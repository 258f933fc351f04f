import { BrowserError, type CallContext, type Look, type TabAddress } from '@wheelhouse/contracts';
import type { Redactor } from '../policy/redact/index.ts';
import { parseLine } from './aria-tree.ts';
import { requireAllowed } from './authority.ts';
import type { CamofoxClient } from './client.ts';
import { type PageElement, readPage } from './elements.ts';
import { HealthWire, SnapshotWire } from './wire.ts';

/** Characters of one window that are new: 80,000 less the tail of 5,000 and 200 for the marker (source: lib/snapshot.js). */
const windowChars = 74_800;
const tailChars = 5_000;
/** Tries of putting the windows of one page together. */
const attempts = 3;
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
 *   no text, no structure), `upstream_failed` when the page changes faster than it can be read, `landed_elsewhere`
 *   (no outcome) when it is outside the allowlist by now
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
  let read = await wholeText(at);
  for (let attempt = 1; read === null && attempt < attempts; attempt += 1) read = await wholeText(at);
  if (read === null) throw new BrowserError('upstream_failed', 'the page kept changing while it was being read');
  const { first, text, truncated } = read;
  requireAllowed(first.url, context);
  if (
    first.snapshot === '' &&
    (first.structure === null || (first.structure === undefined && !(await running(client, context))))
  ) {
    throw new BrowserError('browser_dead', 'the browser behind this tab has stopped');
  }
  return { url: first.url, structure: first.structure, truncated, ...readPage(text, first.url) };
}

/**
 * What may leave the adapter of a look: the text redacted as a whole, and the names of elements as they stand in that
 * text, so that a secret which only its neighbours betray is gone from both.
 */
export function safeLook(page: RawLook, redactor: Redactor): Look {
  const { text, redactions } = redactor.text(page.text, 'a11y');
  const names = text === page.text ? null : namesIn(text);
  const elements = page.elements.map(({ ref, role, name, fingerprint }) => ({
    ref,
    role,
    name: names === null ? name : (names.get(ref) ?? redactor.text(name, 'a11y').text),
    fingerprint,
  }));
  return { url: page.url, title: null, text, elements, redactions, truncated: page.truncated };
}

/** The names in a text of our own form, by ref. */
function namesIn(text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const line of text.split('\n')) {
    const node = parseLine(line);
    if (node?.attributes[0] !== undefined) names.set(node.attributes[0], node.name ?? '');
  }
  return names;
}

/** Before 1.17 there is no structure to tell an empty page from a dead browser, so the server is asked. */
async function running(client: CamofoxClient, context: CallContext): Promise<boolean> {
  const health = await client.json({ method: 'GET', path: '/health', kind: 'look' }, HealthWire, context);
  return health.browserRunning === true;
}

/**
 * The whole text, put together from windows that overlap by their tail and are cut in the middle of lines; by their
 * offsets they fit together exactly. `null` when they do not: the server keeps no snapshot over a navigation or click,
 * and answers the first window of a new one instead of the one asked for.
 */
export async function wholeText(at: (offset: number) => Promise<SnapshotWire>) {
  const first = await at(0);
  const total = first.totalChars ?? first.snapshot.length;
  if (first.truncated !== true || total <= first.snapshot.length) {
    return { first, text: first.snapshot, truncated: false };
  }
  const tail = first.snapshot.slice(-tailChars);
  let text = '';
  for (let window = first; ; window = await at(text.length)) {
    if (window.totalChars !== total || window.url !== first.url || !window.snapshot.endsWith(tail)) return null;
    const next = text.length + windowChars;
    if (next >= total - tailChars) {
      // The last window starts where the tail would otherwise begin, and the tail completes it.
      if (window.hasMore === true) return null;
      const start = Math.min(text.length, total - tailChars);
      const end = Math.min(start + windowChars, total);
      text += window.snapshot.slice(text.length - start, end - start) + tail.slice(tail.length - (total - end));
      return { first, text, truncated: false };
    }
    if (window.hasMore !== true || window.nextOffset !== next) return null;
    text += window.snapshot.slice(0, windowChars);
    if (text.length >= maxChars) return { first, text: text.slice(0, text.lastIndexOf('\n') + 1), truncated: true };
  }
}
