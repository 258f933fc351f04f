import { randomUUID } from 'node:crypto';
import type { MockBrowser } from './browser.ts';
import { readDocument } from './page/read-html.ts';
import type { Frame } from './page/select.ts';
import { documentOf, type NetworkFailure } from './page-model.ts';
import type { DocumentAnswer, FileArrival } from './page-source.ts';
import { blankPage, type Tab } from './tab.ts';
import { UpstreamError } from './upstream-error.ts';
import { pause, within } from './waiting.ts';

const maxFrames = 10;
const maxDownloads = 20;

/** What a load asks for. */
export interface Target {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly form?: URLSearchParams | null;
  /** Moves in the history instead of adding to it. */
  readonly historyAt?: number;
}

/** How a load ended. */
export type Loaded =
  | { readonly kind: 'page'; readonly status: number }
  | { readonly kind: 'file' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failure'; readonly reason: NetworkFailure };

/** Starts to load; the page does not answer until it has ended. A load under way is given up. */
export function startLoad(browser: MockBrowser, tab: Tab, target: Target): Promise<Loaded> {
  tab.pendingAbort?.abort();
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, tab.signal]);
  const loading = load(browser, tab, target, signal);
  tab.pendingAbort = abort;
  const ended = loading.finally(() => {
    if (tab.pending === ended) tab.pending = null;
  });
  ended.catch(() => undefined);
  tab.pending = ended;
  return loading;
}

async function load(browser: MockBrowser, tab: Tab, target: Target, signal: AbortSignal): Promise<Loaded> {
  const { method = 'GET', form = null } = target;
  const request = { url: target.url, method, form, userId: tab.userId, signal };
  const answer = await browser.pages.load(request);
  if (signal.aborted) return { kind: 'nothing' };
  switch (answer.kind) {
    case 'page':
      await show(browser, tab, answer, signal);
      moveHistory(tab, answer.url, target.historyAt);
      return { kind: 'page', status: answer.status };
    case 'file':
      await capture(browser, tab, answer);
      return { kind: 'file' };
    case 'failure':
      tab.page = blankPage(errorAddress(browser, answer));
      return { kind: 'failure', reason: answer.reason };
    case 'nothing':
      return { kind: 'nothing' };
  }
}

async function show(browser: MockBrowser, tab: Tab, answer: DocumentAnswer & { kind: 'page' }, signal: AbortSignal) {
  const root = documentOf(answer.page);
  const holders = root.all(({ tag }) => tag === 'iframe').slice(0, maxFrames);
  const frames: Frame[] = [];
  for (const holder of holders) {
    const name = holder.get('name') ?? '';
    const inline = holder.get('srcdoc');
    const src = holder.get('src');
    if (inline !== null) {
      frames.push({ holder, name, url: 'about:srcdoc', root: readDocument(inline) });
    } else if (src !== null) {
      const url = new URL(src, answer.url).href;
      const inner = await browser.pages.load({ url, method: 'GET', form: null, userId: tab.userId, signal });
      if (inner.kind === 'page') frames.push({ holder, name, url: inner.url, root: documentOf(inner.page) });
    }
  }
  if (signal.aborted) return;
  tab.page = { url: answer.url, root, frames, source: answer.page, view: { scrollX: 0, scrollY: 0 } };
  tab.focused = null;
  if (browser.settings.runScripts) browser.scripts?.runPage(tab);
}

function moveHistory(tab: Tab, url: string, at: number | undefined): void {
  if (at !== undefined) {
    tab.history.at = at;
    return;
  }
  const entries = [...tab.history.entries.slice(0, tab.history.at + 1), url];
  tab.history = { entries, at: entries.length - 1 };
}

/** How long a call waits for a file that began with it: as long as the upstream's own waits after a click. */
const arrivalMs = 800;

/** Puts a file into the tab's list when it is there; the oldest beyond 20 are dropped. Small ones are there at once. */
export async function capture(browser: MockBrowser, tab: Tab, file: SentFile): Promise<void> {
  const listed = file.arrival.then((arrival) => {
    list(tab, file, arrival);
    return null;
  });
  await Promise.race([listed, pause(browser.scaled(arrivalMs))]);
}

/** A file on its way. */
export interface SentFile {
  readonly url: string;
  readonly filename: string;
  readonly arrival: Promise<FileArrival>;
}

function list(tab: Tab, { url, filename }: SentFile, { bytes, failure }: FileArrival): void {
  if (tab.dead) return;
  const suggestedFilename = cleanName(filename);
  if (url !== '') tab.visited.add(url);
  tab.downloads = [
    ...tab.downloads,
    {
      id: randomUUID(),
      url,
      suggestedFilename,
      mimeType: mimeTypeOf(suggestedFilename),
      bytes: failure === null ? bytes.length : null,
      createdAt: new Date().toISOString(),
      failure,
      content: failure === null ? bytes : null,
    },
  ].slice(-maxDownloads);
}

function cleanName(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const clean = name
    .replace(/[\\/:*?"<>|\u0000-\u001F]/g, '_')
    .trim()
    .slice(0, 200);
  return clean || 'download.bin';
}

function mimeTypeOf(name: string): string {
  const image = /\.(png|jpe?g|webp|gif|svg)$/i.exec(name)?.[1]?.toLowerCase();
  if (image === undefined) return 'application/octet-stream';
  return `image/${{ jpg: 'jpeg', svg: 'svg+xml' }[image] ?? image}`;
}

function errorAddress(
  browser: MockBrowser,
  { reason, url }: { readonly reason: NetworkFailure; readonly url: string },
): string {
  if (browser.settings.engine === 'chromium') return 'chrome-error://chromewebdata/';
  const name = { reset: 'netReset', refused: 'connectionFailure', 'unknown-host': 'dnsNotFound' }[reason as string];
  return `about:neterror?e=${name ?? 'nssFailure2'}&u=${url.replaceAll(':', '%3A')}&c=UTF-8`;
}

/** `page.goto` of the upstream: loads, and says in its words what went wrong. */
export async function goto(browser: MockBrowser, tab: Tab, url: string, timeoutMs: number): Promise<number | null> {
  const log = `Call log:\n  - navigating to "${url}", waiting until "commit"\n`;
  const address = new URL(url).href;
  if (tab.page.source.asksBeforeUnload === true) throw gotoFailed(browser, 'unload', address, log);
  const loaded = await tab.alive(
    'page.goto',
    within(startLoad(browser, tab, { url: address }), browser.scaled(timeoutMs), () => {
      return new UpstreamError(`page.goto: Timeout ${timeoutMs}ms exceeded.\n${log}`);
    }),
  );
  switch (loaded.kind) {
    case 'page':
      return loaded.status;
    case 'file':
      throw new UpstreamError(`page.goto: Download is starting\n${log}`);
    case 'nothing':
      throw gotoFailed(browser, 'nothing', address, log);
    case 'failure':
      throw gotoFailed(browser, loaded.reason, address, log);
  }
}

type GotoFailure = NetworkFailure | 'nothing' | 'unload';
const firefoxWords: Readonly<Record<GotoFailure, string>> = {
  reset: 'NS_ERROR_NET_RESET',
  refused: 'NS_ERROR_CONNECTION_REFUSED',
  'unknown-host': 'NS_ERROR_UNKNOWN_HOST',
  'redirect-loop': 'NS_ERROR_REDIRECT_LOOP',
  'blocked-redirect': 'NS_ERROR_CORRUPTED_CONTENT',
  certificate: 'SSL_ERROR_UNKNOWN',
  'bad-credentials': 'NS_ERROR_NET_RESET',
  nothing: 'NS_BINDING_ABORTED',
  unload: 'Beforeunload prompt was rejected',
};
const chromiumWords: Readonly<Record<GotoFailure, string>> = {
  reset: 'net::ERR_EMPTY_RESPONSE',
  refused: 'net::ERR_CONNECTION_REFUSED',
  'unknown-host': 'net::ERR_NAME_NOT_RESOLVED',
  'redirect-loop': 'net::ERR_TOO_MANY_REDIRECTS',
  'blocked-redirect': 'net::ERR_UNSAFE_REDIRECT',
  certificate: 'net::ERR_SSL_PROTOCOL_ERROR',
  'bad-credentials': 'net::ERR_INVALID_AUTH_CREDENTIALS',
  nothing: 'net::ERR_ABORTED',
  unload: 'net::ERR_ABORTED',
};

function gotoFailed(browser: MockBrowser, reason: GotoFailure, url: string, log: string): UpstreamError {
  return browser.settings.engine === 'chromium'
    ? new UpstreamError(`page.goto: ${chromiumWords[reason]} at ${url}\n${log}`)
    : new UpstreamError(
        `page.goto: Protocol error (browsingContext.navigate): unknown error\nMessage: Error: ${firefoxWords[reason]} at ${url}\n${log}`,
      );
}
