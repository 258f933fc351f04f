import { describe, expect, test } from 'vitest';
import { callWith, refusalOf, setStage } from './stage.ts';
import type { Subject } from './subject.ts';

/** A page is visited only where it may be, and the caller is told where it ended. */
export function testNavigation(subject: Subject): void {
  const told = (status: number) => (subject.tellsStatus ? status : null);
  describe(`${subject.name}: navigation`, () => {
    test('S003-01 it says where it landed, and with what status', async () => {
      await using stage = await setStage(subject);
      const seen = await stage.open('/lab/redirect?to=chain&left=3');
      const landingUrl = `${stage.site.origin}/lab/landed`;
      expect(seen).toMatchObject({ outcome: 'applied', landingUrl, httpStatus: told(200) });
    });

    test('a page that is not there is a page with status 404', async () => {
      await using stage = await setStage(subject);
      expect(await stage.open('/lab/download/nowhere')).toMatchObject({ outcome: 'applied', httpStatus: told(404) });
    });

    test('S004-70 a page with a server error is told as such, and is displayed', async () => {
      await using stage = await setStage(subject);
      const seen = await stage.open('/act/broken?then=error');
      expect(seen).toMatchObject({ outcome: 'applied', httpStatus: told(500) });
      expect(seen.landingUrl).toBe(`${stage.site.origin}/act/broken?then=error`);
    });

    test.each([
      ['S003-37 a host that is not listed', 'http://localhost/', 'host_not_allowed'],
      ['S003-32 a file', 'file:///etc/passwd', 'scheme_not_allowed'],
      ['a script', 'javascript:alert(1)', 'scheme_not_allowed'],
      ['S000-o4 an address with a user name', 'http://me:secret@127.0.0.1/', 'invalid_request'],
      ['an address that a browser would repair', 'http:\\\\127.0.0.1/', 'invalid_request'],
    ])('%s is refused before anything is sent', async (_what, url, code) => {
      await using stage = await setStage(subject);
      const refusal = await refusalOf(stage.provider.navigate(stage.tab, url, callWith()));
      expect(refusal).toMatchObject({ code, outcome: undefined });
      expect(refusal.message).not.toContain('secret');
      const [tab] = await stage.provider.listTabs(stage.session, callWith());
      expect(tab?.url).toBe('about:blank');
    });

    test('S004-19 an empty list allows nothing', async () => {
      await using stage = await setStage(subject);
      const visit = stage.provider.navigate(stage.tab, `${stage.site.origin}/lab`, callWith({ hosts: [] }));
      expect(await refusalOf(visit)).toMatchObject({ code: 'host_not_allowed', outcome: undefined });
      expect(stage.site.effects().pageHits).toEqual({});
    });

    test('S004-23 a redirect that leaves the list is told with the page that it led to', async () => {
      await using stage = await setStage(subject);
      const refusal = await refusalOf(stage.open('/lab/redirect?to=away'));
      expect(refusal).toMatchObject({ code: 'landed_elsewhere', kind: 'domain_blocked', outcome: 'applied' });
      expect(refusal.host).toContain('localhost');
    });

    test('a page outside the list is not read by any means', async () => {
      await using stage = await setStage(subject);
      const { provider, tab } = stage;
      await refusalOf(stage.open('/lab/redirect?to=away'));
      const reads = [
        () => provider.look(tab, callWith()),
        () => provider.screenshot(tab, { fullPage: false }, callWith()),
        () => provider.pageHtml(tab, callWith()),
        () => provider.links(tab, { offset: 0, limit: 10 }, callWith()),
      ];
      for (const read of reads)
        expect(await refusalOf(read())).toMatchObject({ code: 'landed_elsewhere', outcome: undefined });
    });

    test('a page is loaded again when asked, and once', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/same');
      const again = await stage.provider.history(stage.tab, 'refresh', callWith());
      expect(again).toMatchObject({ outcome: 'applied', landingUrl: `${stage.site.origin}/lab/same` });
      expect(stage.site.effects().pageHits['/lab/same']).toBe(2);
    });

    test('going back leads to the page before, or is not called a success', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/same');
      await stage.open('/lab/buttons');
      const said = await stage.provider.history(stage.tab, 'back', callWith()).then(
        ({ landingUrl }) => landingUrl,
        ({ outcome }) => outcome,
      );
      // Firefox under automation keeps the page and never says that it came back.
      expect([`${stage.site.origin}/lab/same`, 'unknown']).toContain(said);
    });

    test('links are told with where they lead, page by page', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/long?items=30');
      const { links, total } = await stage.provider.links(stage.tab, { offset: 10, limit: 5 }, callWith());
      expect(total).toBe(30);
      expect(links.map(({ text }) => text)).toEqual([10, 11, 12, 13, 14].map((at) => `Entry ${at}`));
      expect(links[0]?.url).toBe(`${stage.site.origin}/lab/landed?item=10`);
    });

    test('waiting for a quiet page ends', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/same');
      await expect(stage.provider.wait(stage.tab, 1_000, callWith())).resolves.toEqual({ ready: true });
    });

    test('S004-23 a page that goes away by itself is noticed at the next look', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/refresh?s=0').catch(() => undefined);
      await expect
        .poll(
          () =>
            stage.provider.look(stage.tab, callWith()).then(
              () => 'read',
              ({ code }) => code,
            ),
          { timeout: 10_000 },
        )
        .toBe('landed_elsewhere');
    });

    test('a site that does not answer is no success, and is not offered for retry', async () => {
      await using stage = await setStage(subject);
      const visit = stage.provider.navigate(stage.tab, 'http://127.0.0.1:9/', callWith());
      expect(await refusalOf(visit)).toMatchObject({ retryable: false });
    });

    test('an address that is a file leaves the page where it was', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const seen = await stage.open('/lab/download/small');
      expect(seen).toMatchObject({
        outcome: 'applied',
        landingUrl: `${stage.site.origin}/lab/buttons`,
        httpStatus: null,
      });
    });

    test.each([
      { how: 'lose', code: 'answer_lost' },
      { how: 'stall', code: 'deadline' },
    ] as const)('a navigation whose answer is lost ($how) is unknown, and was made once', async ({ how, code }) => {
      await using stage = await setStage(subject);
      stage.rig.disturbNext('navigate', how);
      const visit = stage.provider.navigate(
        stage.tab,
        `${stage.site.origin}/act/visit`,
        callWith({ withinMs: subject.patienceMs }),
      );
      expect(await refusalOf(visit)).toMatchObject({ code, outcome: 'unknown', retryable: false });
      await expect.poll(() => stage.presses()['visit']).toBe(1);
    });
  });
}
