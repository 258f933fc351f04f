import { Buffer } from 'node:buffer';
import { BrowserError, type CallContext, type TabAddress, type UpstreamDownload } from '@wheelhouse/contracts';
import type { CamofoxClient } from './client.ts';
import { DownloadsWire } from './wire.ts';

/** Most bytes of one answer: all files of the tab as base64 in one JSON, four thirds of their size, 20 files at most. */
const answerBytes = (maxBytes: number) => Math.ceil((maxBytes * 20 * 4) / 3) + 1024 * 1024;

async function list(
  client: CamofoxClient,
  tab: TabAddress,
  query: Readonly<Record<string, string | number>>,
  context: CallContext,
) {
  const path = `/tabs/${encodeURIComponent(tab.upstreamTabId)}/downloads`;
  // Never `consume`: it drops the files of the whole tab, those not asked for and those finishing meanwhile included.
  const request = { method: 'GET', path, query: { userId: tab.profileKey, ...query }, kind: 'look' } as const;
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
 * The bytes of one finished download.
 *
 * @throws BrowserError `download_lost` when it failed, was evicted, or its file is gone; `too_large` over `maxBytes`
 */
export async function fetchDownload(
  client: CamofoxClient,
  tab: TabAddress,
  id: string,
  context: CallContext,
): Promise<Uint8Array> {
  const wide = { ...context, maxBytes: answerBytes(context.maxBytes) };
  const found = (await list(client, tab, { includeData: 'true', maxBytes: context.maxBytes }, wide)).find(
    (one) => one.id === id,
  );
  if (found === undefined) throw new BrowserError('download_lost', 'the browser service no longer has this file');
  if (found.failure != null) throw new BrowserError('download_lost', 'the browser could not finish this file');
  if (found.dataSkipped != null)
    throw new BrowserError('too_large', `the file is larger than ${context.maxBytes} bytes`);
  if (found.dataBase64 == null) throw new BrowserError('download_lost', 'the browser service could not read this file');
  const bytes = Buffer.from(found.dataBase64, 'base64');
  if (found.bytes != null && bytes.length !== found.bytes) {
    throw new BrowserError('download_lost', `the file arrived with ${bytes.length} of ${found.bytes} bytes`);
  }
  return bytes;
}
