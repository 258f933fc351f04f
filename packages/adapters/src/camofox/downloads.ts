import { BrowserError, type CallContext, type TabAddress, type UpstreamDownload } from '@wheelhouse/contracts';
import type { CamofoxClient } from './client.ts';
import { DownloadDecoder } from './download-decoder.ts';
import { DownloadsWire } from './wire.ts';

/** Room for what stands around the files in an answer, bytes. */
const envelopeBytes = 1024 * 1024;

const pathOf = (tab: TabAddress) => `/tabs/${encodeURIComponent(tab.upstreamTabId)}/downloads`;

async function list(
  client: CamofoxClient,
  tab: TabAddress,
  query: Readonly<Record<string, string | number>>,
  context: CallContext,
) {
  // Never `consume`: it drops the files of the whole tab, those not asked for and those finishing meanwhile included.
  const request = {
    method: 'GET',
    path: pathOf(tab),
    query: { userId: tab.profileKey, ...query },
    kind: 'look',
  } as const;
  return (await client.json(request, DownloadsWire, context)).downloads;
}

/** Finished and failed downloads of a tab. Those under way are invisible, and only the newest 20 are kept (recording 10-downloads). */
export async function listDownloads(
  client: CamofoxClient,
  tab: TabAddress,
  context: CallContext,
): Promise<UpstreamDownload[]> {
  return (await list(client, tab, {}, context)).map((download) => ({
    id: download.id,
    url: download.url ?? '',
    suggestedFilename: download.suggestedFilename ?? 'download',
    sizeBytes: download.bytes ?? null,
    state: download.failure == null ? 'finished' : 'failed',
    createdAt: download.createdAt == null ? null : new Date(download.createdAt),
  }));
}

/**
 * The bytes of one finished download, as they arrive; never more of them in memory than one part of the answer.
 *
 * The upstream gives the files of a tab together, as base64 in one JSON; those larger than the one asked for are left
 * out, and the answer is bounded by the listed sizes of the others.
 *
 * @throws BrowserError `download_lost` when it failed, was evicted, or its file is gone, also in the middle of it;
 *   `too_large` over `maxBytes`
 */
export async function* fetchDownload(
  client: CamofoxClient,
  tab: TabAddress,
  id: string,
  context: CallContext,
): AsyncGenerator<Uint8Array, void, undefined> {
  const listed = await list(client, tab, {}, context);
  const size = present(listed, id).bytes ?? context.maxBytes;
  if (size > context.maxBytes) throw tooLarge(context);
  const together = listed.reduce((sum, { bytes }) => sum + (bytes != null && bytes <= size ? bytes : 0), size);
  const wide = { ...context, maxBytes: Math.ceil((together * 4) / 3) + envelopeBytes };
  const query = { userId: tab.profileKey, includeData: 'true', maxBytes: Math.max(size, 1) };
  const answer = client.stream({ method: 'GET', path: pathOf(tab), query, kind: 'look' }, wide);
  const decoder = new DownloadDecoder(id);
  let received = 0;
  for await (const part of answer) {
    const bytes = decoder.push(part);
    received += bytes.length;
    if (received > context.maxBytes) throw tooLarge(context);
    if (bytes.length > 0) yield bytes;
  }
  const found = present(decoder.end(), id);
  if (found.dataSkipped != null) throw tooLarge(context);
  if (found.dataBase64 == null) throw new BrowserError('download_lost', 'the browser service could not read this file');
  if (found.bytes != null && received !== found.bytes) {
    throw new BrowserError('download_lost', `the file arrived with ${received} of ${found.bytes} bytes`);
  }
}

type ListedDownload = Awaited<ReturnType<typeof list>>[number];

function present(listed: readonly ListedDownload[], id: string): ListedDownload {
  const found = listed.find((one) => one.id === id);
  if (found === undefined) throw new BrowserError('download_lost', 'the browser service no longer has this file');
  if (found.failure != null) throw new BrowserError('download_lost', 'the browser could not finish this file');
  return found;
}

function tooLarge({ maxBytes }: CallContext): BrowserError {
  return new BrowserError('too_large', `the file is larger than ${maxBytes} bytes`);
}
