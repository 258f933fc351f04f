import type {
  NotInterceptable,
  OperationType,
  Outcome,
  ScreenshotImage,
  Snapshot,
  TabId,
  UpstreamDownload,
} from '@wheelhouse/contracts';
import type { Captured } from '../capture/captured.ts';

/** A tab of the upstream as the world may see it; `tabId` is `null` for tabs that are not ours. */
export interface ListedTab {
  readonly tabId: TabId | null;
  /** Operator projection. */
  readonly url: string;
  readonly title: string;
}

/** Where a page is after an operation. */
export interface Landing {
  /** Operator projection. */
  readonly url: string;
  /** Canonical origin with port. */
  readonly origin: string | null;
}

/** What each operation gives back besides outcome and landing. */
export interface OperationValues {
  readonly list_tabs: readonly ListedTab[];
  readonly snapshot: Snapshot;
  /** Never safe for a model: pixels are not masked yet (S004-37). */
  readonly screenshot: ScreenshotImage & { readonly modelSafe: false };
  /** Raw: for selectors inside the job, never to leave it. */
  readonly page_html: { readonly url: string; readonly html: string };
  readonly wait: { readonly ready: boolean };
  readonly links: {
    readonly links: readonly { readonly url: string; readonly text: string }[];
    readonly total: number;
  };
  readonly list_downloads: readonly UpstreamDownload[];
  readonly open_tab: { readonly tabId: TabId };
  readonly capture: Captured;
}

/** The value of one type of operation; `null` where there is nothing to give. */
export type ValueOf<T extends OperationType> = T extends keyof OperationValues ? OperationValues[T] : null;

/** How an operation ended when it did not fail. */
export interface OperationResult<T extends OperationType = OperationType> {
  /** `null` for observations. */
  readonly outcome: Extract<Outcome, 'applied' | 'applied_observation_failed'> | null;
  readonly landing: Landing | null;
  /** Status of the document after a navigation; `null` when the upstream does not say. */
  readonly httpStatus: number | null;
  /** Moves of the page that nobody could have stopped here; the egress proxy is the backstop (S003-41). */
  readonly notInterceptable: readonly NotInterceptable[];
  readonly value: ValueOf<T>;
}
