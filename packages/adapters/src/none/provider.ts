import { BrowserError, type BrowserProvider, capabilitiesWith } from '@wheelhouse/contracts';

const why = 'no browser service is configured';

/**
 * Stands where nothing is configured (S004-07): nothing is supported, and every action is refused with the reason.
 * Never a substitute for a service that is down.
 */
export function createNoneProvider(): BrowserProvider {
  const refuse = async (): Promise<never> => {
    throw new BrowserError('no_provider', why);
  };
  return {
    kind: 'none',
    declared: capabilitiesWith({}, why),
    health: async () => ({
      status: 'down',
      version: null,
      engine: null,
      browserRunning: false,
      activeTabs: null,
      activeSessions: null,
      note: why,
    }),
    capabilities: async () => capabilitiesWith({}, why),
    viewer: async () => ({ available: false, note: why }),
    listTabs: refuse,
    openTab: refuse,
    closeTab: refuse,
    closeSession: refuse,
    navigate: refuse,
    history: refuse,
    look: refuse,
    screenshot: refuse,
    pageHtml: refuse,
    wait: refuse,
    links: refuse,
    click: refuse,
    hover: refuse,
    type: refuse,
    select: refuse,
    press: refuse,
    scroll: refuse,
    clickAt: refuse,
    drag: refuse,
    upload: refuse,
    siteFill: refuse,
    siteSubmit: refuse,
    listDownloads: refuse,
    fetchDownload: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
    setCookies: refuse,
    checkpoint: refuse,
  };
}
