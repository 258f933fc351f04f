import { randomUUID } from 'node:crypto';
import { BrowserError, canonicalOrigin, type Operation, type Snapshot, TabId } from '@wheelhouse/contracts';
import type { Admitted, OperationChange } from '@wheelhouse/db';
import { documentOf, mintDocumentToken } from '../authority.ts';
import type { House } from './house.ts';
import type { Performed } from './perform.ts';
import type { Landing, OperationResult } from './result.ts';

/** What the world is told, and what the rows are told. */
export interface Observed {
  readonly result: OperationResult;
  readonly change: OperationChange;
}

/**
 * Turns what an adapter answered into a result that may leave the layer: addresses projected, tokens minted, tabs
 * named by our ids. Pure but for ids and tokens.
 */
export function observe(house: House, operation: Operation, admitted: Admitted, performed: Performed): Observed {
  const base: OperationChange = { sessionFence: admitted.session.fence, generation: admitted.tab?.generation };
  const looked = (
    value: OperationResult['value'],
    landing: Landing | null = null,
    change: Partial<OperationChange> = {},
  ): Observed => ({
    result: { outcome: null, landing, httpStatus: null, notInterceptable: [], value },
    change: { ...base, ...change },
  });
  switch (performed.kind) {
    case 'receipt':
      return received(house, operation, performed, base);
    case 'look': {
      const { snapshot, landing, change } = snapshotOf(house, operation, performed.look);
      return looked(snapshot, landing, change);
    }
    case 'tabs':
      return looked(
        performed.tabs
          .filter((tab) => tab.sessionId === null || tab.sessionId === admitted.session.id)
          .map((tab) => ({
            tabId: null,
            url: house.redactor.url(tab.url, 'operator'),
            title: house.redactor.text(tab.title).text,
          })),
      );
    case 'screenshot':
      return looked({ ...performed.image, modelSafe: false });
    case 'html':
      return looked(performed.page, landingOf(house, performed.page.url));
    case 'wait':
      return looked({ ready: performed.ready });
    case 'links':
      return looked({
        total: performed.links.total,
        links: performed.links.links.map(({ url, text }) => ({
          url: house.redactor.url(url, 'operator'),
          text: house.redactor.text(text).text,
        })),
      });
    case 'captured':
      // The page is not touched: what was seen of it stays.
      return {
        result: {
          outcome: 'applied',
          landing: null,
          httpStatus: null,
          notInterceptable: [],
          value: performed.captured,
        },
        change: base,
      };
    case 'downloads':
      return looked(
        performed.downloads.map((download) => ({
          ...download,
          url: house.redactor.url(download.url, 'operator'),
          suggestedFilename: house.redactor.text(download.suggestedFilename).text,
        })),
      );
  }
}

function received(
  house: House,
  operation: Operation,
  { receipt, upstreamTabId }: Extract<Performed, { kind: 'receipt' }>,
  base: OperationChange,
): Observed {
  const landing = receipt.landingUrl === null ? null : landingOf(house, receipt.landingUrl);
  const newTab = upstreamTabId === undefined ? undefined : { id: randomUUID(), upstreamTabId };
  return {
    result: {
      outcome: receipt.outcome,
      landing,
      httpStatus: receipt.httpStatus ?? null,
      notInterceptable: receipt.notInterceptable,
      value: newTab === undefined ? null : { tabId: TabId.parse(newTab.id) },
    },
    change: {
      ...base,
      currentUrl: landing?.url,
      tabUrl: landing?.url,
      newTab,
      tabStatus: operation.type === 'close_tab' ? 'closed' : undefined,
      closeReason: operation.type === 'close_session' ? operation.reason : undefined,
    },
  };
}

/** Where a page is, as an operator may see it. */
export function landingOf(house: House, url: string): Landing {
  return { url: house.redactor.url(url, 'operator'), origin: originOf(url) };
}

function originOf(url: string): string | null {
  try {
    return canonicalOrigin(url);
  } catch {
    return null;
  }
}

function snapshotOf(house: House, operation: Operation, look: Extract<Performed, { kind: 'look' }>['look']) {
  if (operation.type !== 'snapshot') throw new BrowserError('internal', 'a look was not asked for');
  const landing = landingOf(house, look.url);
  const page = pageOf(look.text, operation);
  const documentToken = mintDocumentToken();
  const title = look.title === null ? null : house.redactor.text(look.title).text;
  const snapshot: Snapshot = {
    url: house.redactor.url(look.url, 'model'),
    origin: landing.origin,
    title,
    text: page.text,
    elements: [...look.elements],
    documentToken,
    truncated: page.nextOffset !== undefined || look.truncated,
    totalChars: look.text.length,
    ...(page.nextOffset === undefined ? {} : { nextOffset: page.nextOffset }),
    redactions: { ...look.redactions },
    takenAt: new Date(),
  };
  const change: Partial<OperationChange> = {
    documentToken,
    document: documentOf(look, landing.origin),
    currentUrl: landing.url,
    tabUrl: landing.url,
    tabTitle: title ?? undefined,
    recoveryState: 'ok',
  };
  return { snapshot, landing, change };
}

const newline = 10;

/** The lines of `text` from `offset` on that fit into `maxBytes` of UTF-8, whole lines only (S000-80). */
export function pageOf(text: string, { offset, maxBytes }: { readonly offset: number; readonly maxBytes: number }) {
  const rest = Buffer.from(text.slice(offset), 'utf8');
  if (rest.length <= maxBytes) return { text: rest.toString('utf8'), nextOffset: undefined };
  const cut = rest.lastIndexOf(newline, maxBytes - 1);
  // A single line longer than the bound is cut between characters: an answer without progress would never end.
  const part = cut < 0 ? rest.subarray(0, charBorder(rest, maxBytes)) : rest.subarray(0, cut + 1);
  const kept = part.toString('utf8');
  return { text: kept, nextOffset: offset + kept.length };
}

/** Largest index at most `at` that does not stand inside a UTF-8 sequence. */
function charBorder(bytes: Buffer, at: number): number {
  let border = at;
  while (border > 0 && ((bytes[border] ?? 0) & 0xc0) === 0x80) border -= 1;
  return border;
}
