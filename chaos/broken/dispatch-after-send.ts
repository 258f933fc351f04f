import type { BrowserProvider } from '@wheelhouse/contracts';

/** Planted fault: the dispatch is committed after the click was answered, not before it leaves. */
export function dispatchAfterSend(provider: BrowserProvider): BrowserProvider {
  return {
    ...provider,
    click: async (tab, target, act) => {
      const receipt = await provider.click(tab, target, { ...act, dispatched: async () => undefined });
      await act.dispatched();
      return receipt;
    },
  };
}
