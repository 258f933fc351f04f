import {
  type ActContext,
  BrowserError,
  canonicalOrigin,
  type ElementTarget,
  type PageTarget,
  type Receipt,
  type TabAddress,
  type TypeInput,
} from '@wheelhouse/contracts';
import { isCredentialField } from '../policy/credential-fields.ts';
import { afterInteraction, checkHref } from '../policy/navigation.ts';
import type { Redactor } from '../policy/redact/index.ts';
import type { CamofoxClient } from './client.ts';
import type { PageElement } from './elements.ts';
import { lookRaw, type RawLook } from './look.ts';
import { checkTabs } from './tabs.ts';
import { ActWire } from './wire.ts';

/** What acting needs: the client, what must be kept secret, and the tab. */
export interface Hands {
  readonly client: CamofoxClient;
  readonly redactor: Redactor;
  readonly tab: TabAddress;
}

/**
 * Acts on one element: looks anew, refuses unless it is the very element of the caller's snapshot, commits the
 * dispatch, sends one request, and checks where every tab of the session has landed.
 *
 * The request goes to `/act`, which makes one attempt; `/click` falls back to a raw mouse click on whatever stands
 * there by then, and was recorded clicking twice (26-second-click).
 */
export async function actOnElement(
  hands: Hands,
  target: ElementTarget,
  act: ActContext,
  request: (element: PageElement, page: RawLook) => Promise<Readonly<Record<string, unknown>>>,
): Promise<Receipt> {
  const page = await lookRaw(hands.client, hands.tab, act);
  requireOrigin(page, target);
  const element = sameElement(page, target);
  if (element.href !== null) checkHref(element.href, page.url, act.allowlist);
  const body = await request(element, page);
  return send(hands, body, act);
}

/** Acts on the page as a whole: keys and scrolling. */
export async function actOnPage(
  hands: Hands,
  target: PageTarget,
  act: ActContext,
  body: Readonly<Record<string, unknown>>,
): Promise<Receipt> {
  requireOrigin(await lookRaw(hands.client, hands.tab, act), target);
  return send(hands, body, act);
}

/** Acts on the one element that a selector of a site definition names; Playwright refuses when it matches several. */
export async function actOnSelector(
  hands: Hands,
  body: Readonly<Record<string, unknown>>,
  act: ActContext,
): Promise<Receipt> {
  return send(hands, body, act);
}

/** The text to type. A secret is resolved at the last moment and taken out of everything from then on. */
export async function textOf(hands: Hands, input: TypeInput, act: ActContext): Promise<string> {
  if (input.kind === 'text') return input.text;
  const value = await act.resolveSecret(input.ref);
  hands.redactor.learn(value);
  return value;
}

/** Refuses plain text for fields that take credentials (S000-36, S000-37). */
export function refuseCredentials(element: PageElement, page: RawLook, input: TypeInput): void {
  if (input.kind === 'secret') return;
  const facts = page.structure?.forms
    ?.flatMap((form) => form.fields ?? [])
    .filter((field) => field.label === element.name && element.name !== '')
    .map((field) => ({ name: element.name, type: field.type, id: field.id, htmlName: field.name }));
  const judged = facts === undefined || facts.length === 0 ? [{ name: element.name }] : facts;
  if (judged.some(isCredentialField)) {
    throw new BrowserError('credential_field', `${element.role} takes a credential, so it takes no plain text`);
  }
}

function requireOrigin(page: RawLook, { origin }: PageTarget): void {
  if (origin === null || originOf(page.url) === origin) return;
  throw new BrowserError('origin_mismatch', 'the page is on another origin than the snapshot was');
}

function originOf(url: string): string | null {
  try {
    return canonicalOrigin(url);
  } catch {
    return null;
  }
}

function sameElement(page: RawLook, target: ElementTarget): PageElement {
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

async function send(
  { client, tab }: Hands,
  body: Readonly<Record<string, unknown>>,
  act: ActContext,
): Promise<Receipt> {
  await act.dispatched();
  const request = { userId: tab.profileKey, targetId: tab.upstreamTabId, ...body };
  await client.json({ method: 'POST', path: '/act', body: request, kind: 'act' }, ActWire, act);
  const landingUrl = await checkTabs(client, tab, act);
  const outcome = landingUrl === null ? 'applied_observation_failed' : 'applied';
  return { outcome, landingUrl, notInterceptable: afterInteraction };
}
