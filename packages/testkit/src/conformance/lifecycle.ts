import { describe, expect, test } from 'vitest';
import { callWith, newSession, refusalOf, setStage } from './stage.ts';
import type { Subject } from './subject.ts';

/** Tabs and sessions begin and end as asked, and no others do. */
export function testLifecycle(subject: Subject): void {
  describe(`${subject.name}: tabs and sessions`, () => {
    test('S000-35 a new tab is blank', async () => {
      await using stage = await setStage(subject);
      const tabs = await stage.provider.listTabs(stage.session, callWith());
      expect(tabs).toMatchObject([{ upstreamTabId: stage.tab.upstreamTabId, url: 'about:blank' }]);
    });

    test('a closed tab is gone, and reading it says so', async () => {
      await using stage = await setStage(subject);
      const { provider, tab, session } = stage;
      await expect(provider.closeTab(tab, callWith())).resolves.toMatchObject({ outcome: 'applied' });
      expect(await provider.listTabs(session, callWith())).toEqual([]);
      expect(await refusalOf(provider.look(tab, callWith()))).toMatchObject({ code: 'tab_lost', outcome: undefined });
    });

    test('S003-49 closing what is closed already is no failure', async () => {
      await using stage = await setStage(subject);
      const { provider, tab, session } = stage;
      await provider.closeSession(session, callWith());
      await expect(provider.closeTab(tab, callWith())).resolves.toMatchObject({ outcome: 'applied' });
      await expect(provider.closeSession(session, callWith())).resolves.toMatchObject({ outcome: 'applied' });
    });

    test('S000-66 closing one session of a profile leaves the tabs of another', async () => {
      await using stage = await setStage(subject);
      const { provider, session } = stage;
      const other = newSession(session.profileKey);
      const kept = await provider.openTab(other, callWith());
      await provider.closeSession(session, callWith());
      const left = await provider.listTabs(other, callWith());
      expect(left.map(({ upstreamTabId }) => upstreamTabId)).toEqual([kept.upstreamTabId]);
      await provider.closeSession(other, callWith());
    });

    test('S000-49 a login of one profile is no login of another', async () => {
      await using stage = await setStage(subject);
      const { provider, site, session } = stage;
      await logInByCookie(stage);
      const stranger = newSession();
      const { upstreamTabId } = await provider.openTab(stranger, callWith());
      const tab = { ...stranger, upstreamTabId };
      const { landingUrl } = await provider.navigate(tab, `${site.origin}/torrents.php`, callWith());
      expect(landingUrl).toContain('login.php');
      await provider.closeSession(stranger, callWith());
      await provider.closeSession(session, callWith());
    });

    test.runIf(subject.declared.persistentProfile.supported)(
      'S004-63 a login outlives the session that it was made in',
      async () => {
        await using stage = await setStage(subject);
        const { provider, site, session } = stage;
        await logInByCookie(stage);
        await provider.checkpoint(session, callWith());
        await provider.closeSession(session, callWith());
        const later = newSession(session.profileKey);
        const { upstreamTabId } = await provider.openTab(later, callWith());
        const { landingUrl } = await provider.navigate(
          { ...later, upstreamTabId },
          `${site.origin}/torrents.php`,
          callWith(),
        );
        expect(landingUrl).toContain('torrents.php');
        await provider.closeSession(later, callWith());
      },
    );
  });
}

/** Puts the cookies of a login into the profile, as a person copies them from a browser. */
async function logInByCookie({ provider, site, session }: Awaited<ReturnType<typeof setStage>>): Promise<void> {
  const { hostname } = new URL(site.origin);
  const cookies = site
    .issueCookie()
    .split('; ')
    .map((pair) => {
      const at = pair.indexOf('=');
      return { name: pair.slice(0, at), value: pair.slice(at + 1), domain: hostname, path: '/', secure: false };
    });
  await provider.setCookies(session, cookies, callWith());
}
