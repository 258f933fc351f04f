import { BrowserError } from '@wheelhouse/contracts';
import type { CapturedFile } from '../capture/captured.ts';
import { parsePage } from '../sites/page.ts';
import type { Hand } from './visit.ts';

/** What came of an address that should be a file. */
export type TakenFile =
  | { readonly file: CapturedFile; readonly because: null }
  /** One sentence; raw, it may quote the page. */
  | { readonly file: null; readonly because: string };

/**
 * Loads the address of a file in a tab of its own, so that it drags no others along, and captures it.
 *
 * A browser answers an attachment as a failed navigation, and where texts are hidden nobody can tell it from another
 * failure: whether the file came decides, not what became of the navigation.
 */
export async function takeFile(
  hand: Hand,
  url: string,
  how: { readonly deliver: boolean; readonly waitMs: number; readonly maxBytes?: number | undefined },
): Promise<TakenFile> {
  const of = hand.nextId('file');
  let isPage = false;
  try {
    const { landing } = await hand.operate('navigate', { operationId: of, url, mayDownload: true });
    isPage = landing !== null && landing.url !== 'about:blank';
  } catch (error) {
    if (!BrowserError.is(error) || error.outcome === undefined || error.outcome === 'not_applied') throw error;
  }
  const { value } = await hand.operate('capture', {
    of,
    expect: 1,
    deliver: how.deliver,
    // A page is there at once; a file is shown when it is finished.
    waitMs: isPage ? 1_000 : how.waitMs,
    ...(how.maxBytes === undefined ? {} : { maxBytes: how.maxBytes }),
  });
  const [file] = value.files;
  if (file !== undefined) return { file, because: null };
  if (!isPage) return { file: null, because: 'nothing was downloaded' };
  const { value: shown } = await hand.operate('page_html', {});
  const page = parsePage(shown.url, shown.html);
  const said = [page.title, page.text].filter((part) => part !== '').join(': ');
  return { file: null, because: `a page came instead of a file: ${said.slice(0, 200)}` };
}
