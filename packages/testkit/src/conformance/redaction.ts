import { SecretRef } from '@wheelhouse/contracts';
import { describe, expect, test } from 'vitest';
import { callWith, refusalOf, setStage, type Stage } from './stage.ts';
import type { Subject } from './subject.ts';

const ref = SecretRef.parse('env:CONFORMANCE_SECRET');

/** Secrets go into a page and do not come out of it. */
export function testRedaction(subject: Subject): void {
  describe(`${subject.name}: secrets`, () => {
    test('S004-31 S004-33 a page full of secrets is shown without one', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/secrets');
      const { text, elements, redactions } = await stage.provider.look(stage.tab, callWith());
      const { password, passkey, rssKey } = stage.site.account;
      const shown = `${text}${JSON.stringify(elements)}`;
      for (const secret of [password, passkey, rssKey]) expect(shown).not.toContain(secret);
      expect(text).toContain(stage.site.account.username);
      expect(Object.values(redactions).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1);
    });

    test('S004-38 a secret that was typed is not shown back, wherever it stands', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/typing');
      const secret = 'Zanzibar-Teapot-4711';
      const search = await stage.find('textbox', 'Search');
      const input = { kind: 'secret', ref } as const;
      await stage.provider.type(stage.tab, { ...search, input, submit: false }, callWith({ secret }));
      const { text, elements } = await stage.provider.look(stage.tab, callWith());
      expect(`${text}${JSON.stringify(elements)}`).not.toContain(secret);
    });

    test.each([
      ['Password', 'S000-36'],
      ['Code', 'S000-o5'],
    ])('plain text does not go into the field "%s" (%s)', async (name) => {
      await using stage = await setStage(subject);
      await stage.open('/lab/secrets');
      const field = await stage.find('textbox', name);
      const input = { kind: 'text', text: 'hunter2' } as const;
      const refusal = await refusalOf(stage.provider.type(stage.tab, { ...field, input, submit: false }, callWith()));
      expect(refusal).toMatchObject({ code: 'credential_field', outcome: undefined });
    });

    test('S000-36 plain text does not go into a credential field by a selector either', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/secrets');
      const input = { kind: 'text', text: 'hunter2' } as const;
      const fill = stage.provider.siteFill(stage.tab, { selector: 'input[type="password"]', input }, callWith());
      expect(await refusalOf(fill)).toMatchObject({ code: 'credential_field', outcome: undefined });
    });

    test('S004-38 a real login is made with a secret that only the page gets to see', async () => {
      await using stage = await setStage(subject);
      const { provider, tab, site } = stage;
      await stage.open('/login.php');
      const username = { kind: 'text', text: site.account.username } as const;
      await provider.siteFill(tab, { selector: 'input[name="username"]', input: username }, callWith());
      const password = { selector: 'input[name="password"]', input: { kind: 'secret', ref } } as const;
      await provider.siteFill(tab, password, callWith({ secret: site.account.password }));
      await provider.siteSubmit(tab, { selector: 'input[type="submit"]' }, callWith());
      await expect.poll(() => site.effects().loginsSucceeded).toBe(1);
      expect(site.effects().loginPosts).toBe(1);
    });

    test('S004-30 no failure names a secret, a query or the text of a page', async () => {
      await using stage = await setStage(subject);
      const { password, passkey } = stage.site.account;
      for (const failure of await failuresOf(stage)) {
        const told = JSON.stringify(failure.toJSON()) + String(failure.stack);
        for (const secret of [password, passkey, 'Zanzibar', 'q=']) expect(told).not.toContain(secret);
      }
    });

    test('S003-25 a screenshot is a picture', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const { bytes, mimeType } = await stage.provider.screenshot(stage.tab, { fullPage: true }, callWith());
      expect(mimeType).toBe('image/png');
      expect([...bytes.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    });
  });
}

async function failuresOf({ provider, tab, site, rig, ...stage }: Stage) {
  const secret = 'Zanzibar-Teapot-4711';
  const passkey = `?passkey=${site.account.passkey}&q=1`;
  await stage.open('/lab/typing');
  const search = await stage.find('textbox', 'Search');
  rig.disturbNext('act', 'lose');
  const input = { kind: 'secret', ref } as const;
  const typing = provider.type(tab, { ...search, input, submit: false }, callWith({ secret }));
  const lost = await refusalOf(typing);
  rig.disturbNext('navigate', 'lose');
  return [
    lost,
    await refusalOf(provider.navigate(tab, `${site.origin}/lab${passkey}`, callWith())),
    await refusalOf(provider.navigate(tab, `http://elsewhere.example/${passkey}`, callWith())),
    await refusalOf(provider.navigate(tab, `${site.origin}/lab/redirect${passkey}&to=away`, callWith())),
  ];
}
