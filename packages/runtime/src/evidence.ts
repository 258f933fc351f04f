import {
  BrowserError,
  type BrowserProvider,
  type CallContext,
  type Postcondition,
  type TabAddress,
} from '@wheelhouse/contracts';
import type { House } from './pipeline/house.ts';

/** The part of a browser service that only looks. Whoever is given this can change nothing. */
export type Witness = Pick<BrowserProvider, 'look' | 'listTabs' | 'listDownloads'>;

/** Whether a postcondition holds now. Reads once; fails as the look does. */
export async function holds(
  postcondition: Postcondition,
  witness: Witness,
  tab: TabAddress,
  context: CallContext,
): Promise<boolean> {
  switch (postcondition.kind) {
    case 'address_is':
      return placeOf((await witness.look(tab, context)).url) === placeOf(postcondition.url);
    case 'address_starts_with':
      return placeOf((await witness.look(tab, context)).url)?.startsWith(placeOf(postcondition.url) ?? '\n') === true;
    case 'text_present':
      return (await witness.look(tab, context)).text.includes(postcondition.text);
    case 'download_present':
      return (await witness.listDownloads(tab, context)).some(
        ({ state, suggestedFilename }) => state === 'finished' && suggestedFilename === postcondition.filename,
      );
    case 'tab_gone':
      return !(await listed(witness, tab, context)).has(tab.upstreamTabId);
  }
}

/** The upstream's names of all tabs that it lists for this profile. */
export async function listed(witness: Witness, tab: TabAddress, context: CallContext): Promise<ReadonlySet<string>> {
  const tabs = await witness.listTabs({ sessionId: tab.sessionId, profileKey: tab.profileKey }, context);
  return new Set(tabs.map(({ upstreamTabId }) => upstreamTabId));
}

/** Origin and path of an address, `null` for what is none. */
function placeOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/**
 * Refuses a postcondition that holds something secret, since it is written into the ledger.
 *
 * @throws BrowserError `invalid_request`
 */
export function refuseSecrets(house: House, postcondition: Postcondition): void {
  const { text, url, filename }: { text?: string; url?: string; filename?: string } = postcondition as object;
  const written = text ?? filename ?? '';
  const told = house.redactor.text(written).text === written;
  const shown = url === undefined || placeOf(house.redactor.url(url, 'operator')) === placeOf(url);
  if (told && shown) return;
  throw new BrowserError(
    'invalid_request',
    'the postcondition holds something secret; it would be stored in the ledger',
  );
}
