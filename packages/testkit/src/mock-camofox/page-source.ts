import type { MockFile, MockPage, MockPageSource, NetworkFailure } from './page-model.ts';
import { pause } from './waiting.ts';

/** One request of the browser for a document. */
export interface DocumentRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly form: URLSearchParams | null;
  readonly userId: string;
  readonly signal: AbortSignal;
}

/** What a site answers. */
export type DocumentAnswer =
  | { readonly kind: 'page'; readonly url: string; readonly status: number; readonly page: MockPage }
  | {
      readonly kind: 'file';
      readonly url: string;
      readonly filename: string;
      /** Resolves when it is there, or has failed; never rejects. */
      readonly arrival: Promise<FileArrival>;
    }
  | { readonly kind: 'nothing'; readonly url: string }
  | { readonly kind: 'failure'; readonly url: string; readonly reason: NetworkFailure };

/** How a file arrived. */
export interface FileArrival {
  readonly bytes: Uint8Array;
  readonly failure: string | null;
}

/** Where documents come from. */
export interface PageSource {
  load(request: DocumentRequest): Promise<DocumentAnswer>;
  /** Cookies that a script of the page may read, as `document.cookie`. */
  cookies(userId: string, url: string): string;
  /** Drops what a profile stored. */
  forget(userId: string): void;
  /** Cookies from the import route, or from a script. */
  addCookies(userId: string, cookies: readonly StoredCookie[]): void;
  /** All cookies of a profile. */
  stored(userId: string): readonly StoredCookie[];
}

/** A cookie of a profile. */
export interface StoredCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  readonly httpOnly: boolean;
}

const maxRedirects = 20;

/** A file of the model on its way. */
export async function arrivalOf({ bytes, afterMs, failure }: MockFile): Promise<FileArrival> {
  await pause(afterMs ?? 0);
  return { bytes, failure: failure ?? null };
}

/** Pages that the test describes. Addresses are looked up as they stand, then without query and fragment. */
export class ModelPages implements PageSource {
  readonly #pages = new Map<string, MockPageSource>();
  readonly #cookies = new Map<string, readonly StoredCookie[]>();

  set(url: string, page: MockPageSource): void {
    this.#pages.set(url, page);
  }

  async load(request: DocumentRequest): Promise<DocumentAnswer> {
    let url = request.url;
    let method = request.method;
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const page = this.#find(url, method, hop === 0 ? request : { ...request, form: null });
      if (page.delayMs !== undefined) await pauseOrAbort(page.delayMs, request.signal);
      if (page.fails !== undefined) return { kind: 'failure', url, reason: page.fails };
      if (page.download !== undefined) {
        return { kind: 'file', url, filename: page.download.filename, arrival: arrivalOf(page.download) };
      }
      if (page.redirectTo === undefined) {
        const status = page.status ?? 200;
        return status === 204 ? { kind: 'nothing', url } : { kind: 'page', url, status, page };
      }
      url = new URL(page.redirectTo, url).href;
      if (!/^https?:/.test(url)) return { kind: 'failure', url: request.url, reason: 'blocked-redirect' };
      method = 'GET';
    }
    return { kind: 'failure', url: request.url, reason: 'redirect-loop' };
  }

  cookies(userId: string): string {
    return this.stored(userId)
      .filter(({ httpOnly }) => !httpOnly)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  forget(userId: string): void {
    this.#cookies.delete(userId);
  }

  addCookies(userId: string, cookies: readonly StoredCookie[]): void {
    const kept = this.stored(userId).filter((old) => !cookies.some(({ name }) => name === old.name));
    this.#cookies.set(userId, [...kept, ...cookies]);
  }

  stored(userId: string): readonly StoredCookie[] {
    return this.#cookies.get(userId) ?? [];
  }

  #find(url: string, method: 'GET' | 'POST', { form, userId }: DocumentRequest): MockPage {
    const at = new URL(url);
    const bare = at.origin + at.pathname;
    const known =
      this.#pages.get(url) ?? this.#pages.get(at.href) ?? this.#pages.get(bare) ?? this.#pages.get(at.origin);
    if (known === undefined) return { title: 'Not found', html: '<h1>Not found</h1>', status: 404 };
    return typeof known === 'function' ? known({ url: at, method, fields: form ?? at.searchParams, userId }) : known;
  }
}

async function pauseOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
  await Promise.race([aborted, ms === Number.POSITIVE_INFINITY ? aborted : pause(ms)]);
}
