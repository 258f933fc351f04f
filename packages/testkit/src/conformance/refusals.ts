import {
  type BrowserProvider,
  type CapabilityName,
  ElementRef,
  parseAllowlist,
  type TabAddress,
} from '@wheelhouse/contracts';
import { describe, expect, test } from 'vitest';
import { callWith, newSession, refusalOf } from './stage.ts';
import type { Subject } from './subject.ts';

const element = { ref: ElementRef.parse('e1'), fingerprint: 'none', origin: null };
const page = { origin: null };

/** One call for each capability that has one. */
const callsOf: Partial<Record<CapabilityName, (provider: BrowserProvider, tab: TabAddress) => Promise<unknown>>> = {
  sessions: (provider, tab) => provider.openTab(tab, callWith()),
  tabs: (provider, tab) => provider.listTabs(tab, callWith()),
  navigate: (provider, tab) => provider.navigate(tab, 'http://127.0.0.1/', callWith()),
  history: (provider, tab) => provider.history(tab, 'back', callWith()),
  snapshot: (provider, tab) => provider.look(tab, callWith()),
  screenshot: (provider, tab) => provider.screenshot(tab, { fullPage: false }, callWith()),
  pageHtml: (provider, tab) => provider.pageHtml(tab, callWith()),
  interact: (provider, tab) => provider.click(tab, { ...element, double: false }, callWith()),
  hover: (provider, tab) => provider.hover(tab, element, callWith()),
  clickAt: (provider, tab) => provider.clickAt(tab, { ...page, x: 1, y: 1 }, callWith()),
  drag: (provider, tab) => provider.drag(tab, { ...element, to: element }, callWith()),
  upload: (provider, tab) => provider.upload(tab, { ...element, path: '/nowhere' }, callWith()),
  links: (provider, tab) => provider.links(tab, { offset: 0, limit: 10 }, callWith()),
  downloadCapture: (provider, tab) => provider.listDownloads(tab, callWith()),
  cookies: (provider, tab) => provider.setCookies(tab, [], callWith()),
  persistentProfile: (provider, tab) => provider.checkpoint(tab, callWith()),
};

/** What an adapter cannot do it refuses every time, with the reason, and never by trying. */
export function testRefusals(subject: Subject): void {
  describe(`${subject.name}: what it does not offer`, () => {
    const off = Object.entries(callsOf).filter(([name]) => !subject.declared[name as CapabilityName].supported);

    test('S004-10 nothing is verified by declaration', () => {
      const { upstreamVersion, engine, probedAt, ...capabilities } = subject.declared;
      expect({ upstreamVersion, engine, probedAt }).toEqual({ upstreamVersion: null, engine: null, probedAt: null });
      expect(Object.values(capabilities).filter(({ verified }) => verified)).toEqual([]);
    });

    test('S004-11 what is off says why', () => {
      const silent = Object.entries(subject.declared).filter(
        ([, one]) => one !== null && typeof one === 'object' && 'supported' in one && !one.supported && !one.note,
      );
      expect(silent).toEqual([]);
    });

    test.each(off)('S001-02 %s is refused as unavailable, twice alike', async (_name, call) => {
      await using rig = await subject.start();
      const tab = { ...newSession(), upstreamTabId: 'none' };
      const first = await refusalOf(call(rig.provider, tab));
      const second = await refusalOf(call(rig.provider, tab));
      expect(first).toMatchObject({ kind: 'unavailable', outcome: undefined });
      expect(second.toJSON()).toEqual(first.toJSON());
    });

    test('S004-10 probing verifies nothing', async () => {
      await using rig = await subject.start();
      const {
        upstreamVersion: _version,
        engine: _engine,
        probedAt: _at,
        ...found
      } = await rig.provider.capabilities(callWith());
      expect(Object.values(found).filter(({ verified }) => verified)).toEqual([]);
    });

    test('S003-31 an empty allowlist lets nothing through, whatever the adapter can do', async () => {
      await using rig = await subject.start();
      const context = { ...callWith(), allowlist: parseAllowlist([]) };
      const tab = { ...newSession(), upstreamTabId: 'none' };
      const refusal = await refusalOf(rig.provider.navigate(tab, 'http://127.0.0.1/', context));
      expect(['domain_blocked', 'unavailable']).toContain(refusal.kind);
      expect(refusal.outcome).toBeUndefined();
    });
  });
}
