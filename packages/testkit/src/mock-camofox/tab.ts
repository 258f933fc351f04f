import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { DomElement } from './page/dom.ts';
import { readDocument } from './page/read-html.ts';
import type { Frame } from './page/select.ts';
import type { Refs, structureOf } from './page/structure.ts';
import type { MockPage } from './page-model.ts';
import { goneAway } from './upstream-error.ts';
import { TabLock, unless } from './waiting.ts';

/** A document that is open in a tab. */
export interface OpenPage {
  /** Changes with fragments and `pushState`. */
  url: string;
  readonly root: DomElement;
  readonly frames: readonly Frame[];
  /** What the model said; empty for pages of a real site. */
  readonly source: MockPage;
  /** Size of the window and how far it is scrolled, pixels. */
  readonly view: { scrollX: number; scrollY: number };
}

/** A captured file. */
export interface DownloadRecord {
  readonly id: string;
  readonly url: string;
  readonly suggestedFilename: string;
  readonly mimeType: string;
  readonly bytes: number | null;
  readonly createdAt: string;
  readonly failure: string | null;
  readonly content: Uint8Array | null;
}

export function blankPage(url = 'about:blank'): OpenPage {
  return { url, root: readDocument(''), frames: [], source: {}, view: { scrollX: 0, scrollY: 0 } };
}

/** Any number of downloads may wait for it. */
function endless(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** One tab as the upstream keeps it. */
export class Tab {
  readonly id = randomUUID();
  readonly userId: string;
  readonly sessionKey: string;
  lock = new TabLock();
  page = blankPage();
  refs: Refs = new Map();
  lastSnapshot: string | null = null;
  lastStructure: ReturnType<typeof structureOf> | null = null;
  httpStatus: number | null = null;
  visited = new Set<string>();
  downloads: DownloadRecord[] = [];
  toolCalls = 0;
  focused: DomElement | null = null;
  viewport = { width: 1280, height: 720 };
  /** Addresses, oldest first, and which of them is shown. */
  history = { entries: ['about:blank'], at: 0 };
  /** Set while `navigate` runs: aborted when the tab is deleted. */
  navigateAbort: AbortController | null = null;
  /** A load or a busy script that keeps the page from answering. */
  pending: Promise<unknown> | null = null;
  pendingAbort: AbortController | null = null;
  /** Windows that a script opened or closed: a click that made it do so waits for them. */
  startedByScript: Promise<unknown>[] = [];
  lastUsed = { at: 0, toolCalls: -1 };
  #gone = endless();

  constructor(userId: string, sessionKey: string) {
    this.userId = userId;
    this.sessionKey = sessionKey;
  }

  /** Whether its page is closed or its browser died. A dead tab may still be listed. */
  get dead(): boolean {
    return this.#gone.signal.aborted;
  }

  get title(): string {
    return this.dead ? '' : (this.page.root.find(({ tag }) => tag === 'title')?.text.trim() ?? '');
  }

  get body(): DomElement {
    return this.page.root.elements.find(({ tag }) => tag === 'body') ?? this.page.root;
  }

  /** Closes the page: what runs on it fails. */
  die(): void {
    this.#gone.abort();
    this.pendingAbort?.abort();
    this.pending = null;
  }

  /** A new page under the same id. Refs, files and counts are lost. */
  revive(): void {
    this.#gone = endless();
    this.lock = new TabLock();
    this.page = blankPage();
    this.refs = new Map();
    this.lastSnapshot = null;
    this.visited = new Set();
    this.downloads = [];
    this.toolCalls = 0;
    this.history = { entries: ['about:blank'], at: 0 };
  }

  /** @throws UpstreamError when the page goes away meanwhile */
  async alive<T>(call: string, work: Promise<T>): Promise<T> {
    return unless(this.#gone.signal, () => goneAway(call), work);
  }

  /** Resolves when nothing keeps the page from answering. */
  async settled(): Promise<void> {
    while (this.pending !== null) await this.pending.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }
}
