import {
  BrowserError,
  type CallContext,
  canonicalOrigin,
  type ElementTarget,
  type PageTarget,
} from '@wheelhouse/contracts';
import { checkLanding } from '../policy/navigation.ts';
import type { PageElement } from './elements.ts';

/**
 * Refuses to read or touch a page that is outside the allowlist by now. Unlike a landing check after an action, it
 * says nothing of an effect: none was asked for yet.
 *
 * @throws BrowserError `landed_elsewhere` without outcome
 */
export function requireAllowed(url: string, { allowlist }: Pick<CallContext, 'allowlist'>): void {
  try {
    checkLanding(url, allowlist);
  } catch (refused) {
    throw BrowserError.is(refused) ? BrowserError.with(refused, { outcome: undefined }) : refused;
  }
}

/** Refuses when the page is on another origin than the caller's snapshot was (S000-27). */
export function requireOrigin(url: string, { origin }: PageTarget): void {
  if (origin === null || originOf(url) === origin) return;
  throw new BrowserError('origin_mismatch', 'the page is on another origin than the snapshot was');
}

function originOf(url: string): string | null {
  try {
    return canonicalOrigin(url);
  } catch {
    return null;
  }
}

/**
 * The element of the caller's snapshot as the page has it now: the same fingerprint, once, under the same number
 * (contract §4).
 *
 * @throws BrowserError `stale_snapshot`; `not_actionable` where it is disabled, or inside a frame
 */
export function sameElement(page: { readonly elements: readonly PageElement[] }, target: ElementTarget): PageElement {
  const found = page.elements.filter((element) => element.fingerprint === target.fingerprint);
  const [element] = found;
  if (element === undefined || found.length !== 1) {
    throw new BrowserError('stale_snapshot', `${target.ref} is not the element of the snapshot any more`);
  }
  if (element.ref !== target.ref) {
    throw new BrowserError('stale_snapshot', `${target.ref} stands at another place than in the snapshot`);
  }
  if (element.disabled) throw new BrowserError('not_actionable', `${target.ref} is disabled`);
  if (element.frame.length > 0) {
    // Recording 27-exact-selectors: on Firefox a click into a frame of another origin answers 200 and does nothing.
    throw new BrowserError(
      'not_actionable',
      `${target.ref} is inside a frame, where this browser service does not act reliably`,
    );
  }
  return element;
}
