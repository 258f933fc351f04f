import type { BrowserProvider } from '@wheelhouse/contracts';

/**
 * Planted fault: the click names the upstream's own ref, without a fresh look. The upstream searches by role and a
 * part of the name, and takes the first element that fits.
 */
export function clickByUpstreamRef(provider: BrowserProvider, baseUrl: string): BrowserProvider {
  return {
    ...provider,
    click: async (tab, { ref }, act) => {
      await act.dispatched();
      await rawClick(baseUrl, { userId: tab.profileKey, targetId: tab.upstreamTabId, ref });
      return { outcome: 'applied', landingUrl: null, notInterceptable: [] };
    },
  };
}

/** One click as a client without this layer sends it. Resolves with the status. */
export async function rawClick(
  baseUrl: string,
  { userId, targetId, ref }: { readonly userId: string; readonly targetId: string; readonly ref: string },
): Promise<number> {
  const answer = await fetch(`${baseUrl}/act`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId, targetId, kind: 'click', ref }),
  });
  await answer.arrayBuffer();
  return answer.status;
}
