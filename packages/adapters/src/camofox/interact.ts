import {
  type ActContext,
  BrowserError,
  type ElementTarget,
  type PageTarget,
  type Receipt,
  type TabAddress,
  type TypeInput,
} from '@wheelhouse/contracts';
import { z } from 'zod';
import { isCredentialField } from '../policy/credential-fields.ts';
import { afterInteraction, checkHref, checkLanding } from '../policy/navigation.ts';
import type { Redactor } from '../policy/redact/index.ts';
import { requireAllowed, requireOrigin, sameElement } from './authority.ts';
import type { CamofoxClient } from './client.ts';
import { evaluate } from './content.ts';
import type { PageElement } from './elements.ts';
import { lookRaw, type RawLook } from './look.ts';
import { provesApplied } from './outcome.ts';
import { exactSelector, withoutCredentialFields } from './selector.ts';
import { addressOf, checkTabs, tabsOf } from './tabs.ts';
import { ActWire } from './wire.ts';

/** What acting needs: the client, what must be kept secret, and the tab. */
export interface Hands {
  readonly client: CamofoxClient;
  readonly redactor: Redactor;
  readonly tab: TabAddress;
}

/** The one request that acts. */
export interface Deed {
  /** `/act` makes one attempt. `/click` falls back to a raw mouse click and was recorded clicking twice (26-second-click). */
  readonly route: 'act' | 'select';
  readonly body: Readonly<Record<string, unknown>>;
}

/** How to act on one element. */
export interface Plan {
  /** Looks whether the pointer reaches the element before it is clicked. */
  readonly aim: boolean;
  /** Refuses fields whose attributes mark a credential. */
  readonly noCredentials?: boolean;
  /** Refuses the element, or not; nothing was sent yet. */
  readonly admit?: (element: PageElement, page: RawLook) => void;
  readonly deed: (selector: string) => Deed | Promise<Deed>;
}

/**
 * Acts on one element: looks anew, refuses unless it is the very element of the caller's snapshot, commits the
 * dispatch, sends one request, and checks where every tab of the session has landed.
 */
export async function actOnElement(
  hands: Hands,
  { target, plan }: { readonly target: ElementTarget; readonly plan: Plan },
  act: ActContext,
): Promise<Receipt> {
  const page = await lookRaw(hands.client, hands.tab, act);
  requireOrigin(page.url, target);
  const element = sameElement(page, target);
  if (element.href !== null) checkHref(element.href, page.url, act.allowlist);
  plan.admit?.(element, page);
  const exact = exactSelector(element);
  const selector = plan.noCredentials === true ? withoutCredentialFields(exact.selector) : exact.selector;
  if (plan.aim) {
    await aimAt(hands, selector, act).catch(async (refused: unknown) => {
      if (plan.noCredentials === true) await refuseIfReached(hands, exact.selector, element, act);
      throw refused;
    });
    // Pointing can change a page. Where a position names the element, it is counted again.
    if (!exact.strict) requireSame(await lookRaw(hands.client, hands.tab, act), target);
  }
  if (!exact.strict) await requireDocumentOrder(hands, act);
  return send(hands, await plan.deed(selector), act);
}

/** Acts on the page as a whole: keys and scrolling. */
export async function actOnPage(
  hands: Hands,
  { target, deed }: { readonly target: PageTarget; readonly deed: Deed },
  act: ActContext,
): Promise<Receipt> {
  const url = (await addressOf(hands.client, hands.tab, act)) ?? '';
  requireAllowed(url, act);
  requireOrigin(url, target);
  return send(hands, deed, act);
}

function requireSame(page: RawLook, target: ElementTarget): void {
  requireOrigin(page.url, target);
  if (page.elements.filter(({ fingerprint }) => fingerprint === target.fingerprint).length === 1) return;
  throw new BrowserError('stale_snapshot', `${target.ref} moved when the pointer came near`);
}

/** Whether the page has what makes the order of its text differ from that of its elements. */
const reordered = `document.querySelector('[aria-owns]') !== null ||
  [...document.querySelectorAll('*')].some((one) => Boolean(one.shadowRoot))`;

/** Refuses to count positions where the text has another order than Playwright's own search (measured: shadow roots). */
async function requireDocumentOrder({ client, tab }: Hands, act: ActContext): Promise<void> {
  if (!(await evaluate(client, tab, { expression: reordered, shape: z.boolean() }, act))) return;
  throw new BrowserError('not_actionable', 'this page has several such elements, and no reliable order of them');
}

/**
 * Moves the pointer over an element. Fails where something lies over it: the click that follows would hit that
 * instead, since the upstream forces a click that is intercepted (recording 07-click, covered button).
 *
 * @throws BrowserError `not_actionable`; nothing was dispatched
 */
export async function aimAt({ client, tab }: Hands, selector: string, act: ActContext): Promise<void> {
  const body = { userId: tab.profileKey, targetId: tab.upstreamTabId, kind: 'hover', selector };
  await client.json({ method: 'POST', path: '/act', body, kind: 'aim' }, ActWire, act);
}

/** Tells a field that takes a credential from one that cannot be reached: only the first is reached without the exclusion. */
async function refuseIfReached(hands: Hands, selector: string, element: PageElement, act: ActContext): Promise<void> {
  const reached = await aimAt(hands, selector, act).then(
    () => true,
    () => false,
  );
  if (reached) throw takesCredential(element);
}

/** The text to type. A secret is resolved at the last moment and taken out of everything from then on. */
export async function textOf(hands: Hands, input: TypeInput, act: ActContext): Promise<string> {
  if (input.kind === 'text') return input.text;
  const value = await act.resolveSecret(input.ref);
  hands.redactor.learn(value);
  return value;
}

/**
 * Refuses plain text for fields that take credentials, as far as name and form tell (S000-36, S000-37). What only the
 * attributes of the field tell is refused by `withoutCredentialFields`.
 */
export function refuseCredentials(element: PageElement, page: RawLook): void {
  const fields = page.structure?.forms?.flatMap((form) => form.fields ?? []) ?? [];
  const facts = fields
    .filter((field) => (field.label ?? '') === element.name)
    .map((field) => ({ name: element.name, type: field.type, id: field.id, htmlName: field.name }));
  if ([{ name: element.name }, ...facts].some(isCredentialField)) {
    throw takesCredential(element);
  }
}

function takesCredential({ ref }: PageElement): BrowserError {
  return new BrowserError('credential_field', `${ref} takes a credential, so it takes no plain text`);
}

/**
 * Refuses a label that the list does not have. The upstream would wait 30 s for it, answer 500, and take an option of
 * that *value* afterwards (recordings 08-input, 11-double-effects).
 */
export function requireOption(label: string): NonNullable<Plan['admit']> {
  return ({ ref, options }) => {
    if (options.includes(label)) return;
    const why = options.length === 0 ? 'is not a list of options; click it and choose' : 'has no option of that label';
    throw new BrowserError('not_actionable', `${ref} ${why}`);
  };
}

/**
 * Commits the dispatch and sends.
 *
 * @throws BrowserError with what `outcome.ts` reads of an error answer; `landed_elsewhere` (`applied`)
 */
export async function send({ client, tab }: Hands, deed: Deed, act: ActContext): Promise<Receipt> {
  const before = await tabsOf(client, tab, act);
  await act.dispatched();
  const request =
    deed.route === 'act'
      ? { path: '/act', body: { userId: tab.profileKey, targetId: tab.upstreamTabId, ...deed.body } }
      : {
          path: `/tabs/${encodeURIComponent(tab.upstreamTabId)}/${deed.route}`,
          body: { userId: tab.profileKey, ...deed.body },
        };
  const sent = { method: 'POST', kind: 'act', ...request } as const;
  const reply = await client.request(sent, act);
  const answer = provesApplied(reply) ? null : client.read(sent, reply, ActWire);
  const seen = await checkTabs(client, tab, act, before);
  const landingUrl = seen ?? answer?.url ?? null;
  if (landingUrl !== null) checkLanding(landingUrl, act.allowlist);
  const outcome = seen === null ? 'applied_observation_failed' : 'applied';
  return { outcome, landingUrl, notInterceptable: afterInteraction };
}
