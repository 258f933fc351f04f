import { type ActContext, BrowserError, type Receipt, type SiteTarget, type TypeInput } from '@wheelhouse/contracts';
import { z } from 'zod';
import { isCredentialField } from '../policy/credential-fields.ts';
import { requireAllowed } from './authority.ts';
import { evaluate } from './content.ts';
import { aimAt, type Hands, send, textOf } from './interact.ts';
import { withoutCredentialFields } from './selector.ts';

/** The fixed question about a selector, which stands in it as data. */
const askAbout = (selector: string) => `(() => {
  let found;
  try { found = document.querySelectorAll(${JSON.stringify(selector)}); } catch { return { url: location.href, count: -1 }; }
  const one = found[0];
  const facts = one === undefined ? {} : {
    type: one.type, id: one.id, name: one.getAttribute('name'), autocomplete: one.getAttribute('autocomplete'),
    disabled: one.disabled === true,
  };
  return { url: location.href, count: found.length, ...facts };
})()`;

const AboutWire = z.object({
  url: z.string(),
  count: z.int(),
  type: z.string().nullish().catch(null),
  id: z.string().nullish().catch(null),
  name: z.string().nullish().catch(null),
  autocomplete: z.string().nullish().catch(null),
  disabled: z.boolean().nullish().catch(null),
});

/** Fills the one field that a selector of a site definition names. */
export async function siteFill(
  hands: Hands,
  target: SiteTarget & { readonly input: TypeInput },
  act: ActContext,
): Promise<Receipt> {
  const about = await theOne(hands, target, act);
  const { input } = target;
  const field = { name: about.name ?? '', type: about.type, id: about.id, autocomplete: about.autocomplete };
  if (input.kind === 'text' && isCredentialField(field)) {
    throw new BrowserError('credential_field', 'the field of this selector takes a credential, so no plain text');
  }
  const selector = input.kind === 'text' ? withoutCredentialFields(about.selector) : about.selector;
  const text = await textOf(hands, input, act);
  return send(hands, { route: 'act', body: { kind: 'type', selector, text } }, act);
}

/** Clicks the one control that a selector of a site definition names. */
export async function siteSubmit(hands: Hands, target: SiteTarget, act: ActContext): Promise<Receipt> {
  const { selector } = await theOne(hands, target, act);
  await aimAt(hands, selector, act);
  return send(hands, { route: 'act', body: { kind: 'click', selector } }, act);
}

/**
 * Asks the page whether the selector names exactly one element that can be used. Playwright would ask the same, but
 * answers after 3 to 30 s, and in production without saying why (recording 28-production).
 */
async function theOne({ client, tab }: Hands, { selector }: SiteTarget, act: ActContext) {
  const about = await evaluate(client, tab, { expression: askAbout(selector), shape: AboutWire }, act);
  requireAllowed(about.url, act);
  const why =
    about.count === -1
      ? 'is not CSS'
      : about.count !== 1
        ? `matches ${about.count} elements instead of one`
        : about.disabled === true
          ? 'names an element that is disabled'
          : null;
  if (why !== null) throw new BrowserError('not_actionable', `the selector ${selector.slice(0, 200)} ${why}`);
  return { ...about, selector: `css=${selector}` };
}
