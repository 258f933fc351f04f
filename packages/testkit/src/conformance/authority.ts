import { canonicalOrigin } from '@wheelhouse/contracts';
import { describe, expect, test } from 'vitest';
import { callWith, refusalOf, setStage } from './stage.ts';
import type { Subject } from './subject.ts';

/** An interaction hits the element that the caller saw, once, or nothing. */
export function testAuthority(subject: Subject): void {
  describe(`${subject.name}: authority`, () => {
    test.each([
      ['Delete', 'delete'],
      ['Delete all', 'delete-all'],
      ['Delete account', 'delete-account'],
    ])('S000-25 a click on "%s" presses it, and none of a similar name', async (name, id) => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      await expect(stage.click(await stage.find('button', name))).resolves.toMatchObject({ outcome: 'applied' });
      await expect.poll(() => stage.presses()).toEqual({ [id]: 1 });
    });

    test.each([0, 1, 2])('of three buttons of one name, number %i is pressed and no other', async (nth) => {
      await using stage = await setStage(subject);
      await stage.open('/lab/same');
      await stage.click(await stage.find('button', 'Remove', nth));
      await expect.poll(() => stage.presses()).toEqual({ [`same-${nth + 1}`]: 1 });
    });

    test('pointing at a button does not press it, and a double click presses it twice', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const target = await stage.find('button', 'Download');
      await expect(stage.provider.hover(stage.tab, target, callWith())).resolves.toMatchObject({ outcome: 'applied' });
      expect(stage.presses()).toEqual({});
      await stage.provider.click(stage.tab, { ...target, double: true }, callWith());
      await expect.poll(() => stage.presses()).toEqual({ download: 2 });
    });

    test('two looks at an unchanged page name its elements alike', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const first = await stage.provider.look(stage.tab, callWith());
      const second = await stage.provider.look(stage.tab, callWith());
      expect(second.elements).toEqual(first.elements);
      expect(new Set(first.elements.map(({ fingerprint }) => fingerprint)).size).toBe(first.elements.length);
      expect(new Set(first.elements.map(({ ref }) => ref)).size).toBe(first.elements.length);
    });

    test('S000-23 S000-22 a page whose buttons changed places since the look presses nothing', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/mutates?ms=1500');
      const keep = await stage.find('button', 'Keep');
      await expect
        .poll(async () => (await stage.provider.look(stage.tab, callWith())).elements[0]?.name, { timeout: 15_000 })
        .toBe('Erase');
      expect(await refusalOf(stage.click(keep))).toMatchObject({ code: 'stale_snapshot', outcome: undefined });
      expect(stage.presses()).toEqual({});
    });

    test('S001-18 a ref of the page before presses nothing on the next one', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const before = await stage.find('button', 'Delete');
      await stage.open('/lab/same');
      expect(await refusalOf(stage.click(before))).toMatchObject({ code: 'stale_snapshot', outcome: undefined });
      expect(stage.presses()).toEqual({});
    });

    test('S000-27 an element of another origin presses nothing', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const target = { ...(await stage.find('button', 'Delete')), origin: canonicalOrigin('http://127.0.0.1:1') };
      expect(await refusalOf(stage.click(target))).toMatchObject({ code: 'origin_mismatch', outcome: undefined });
      expect(stage.presses()).toEqual({});
    });

    test('a disabled button is refused', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const click = stage.click(await stage.find('button', 'Disabled'));
      expect(await refusalOf(click)).toMatchObject({ code: 'not_actionable' });
      expect(stage.presses()).toEqual({});
    });

    test('S003-38 a link to a host that is not listed is not followed', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/links');
      const click = stage.click(await stage.find('link', 'Other host'));
      expect(await refusalOf(click)).toMatchObject({ code: 'host_not_allowed', outcome: undefined });
      expect(stage.site.effects().pageHits).not.toHaveProperty('/lab/landed');
    });

    test.each([
      ['S003-39 a link that redirects', 'link', 'Redirect to the other host'],
      ['S003-39 a form', 'button', 'Other host by form'],
    ])('%s out of the list is told after the fact', async (_what, role, name) => {
      await using stage = await setStage(subject);
      await stage.open('/lab/links');
      const refusal = await refusalOf(stage.click(await stage.find(role, name)));
      expect(refusal).toMatchObject({ code: 'landed_elsewhere', outcome: 'applied', retryable: false });
    });

    test('S000-28 a popup outside the list is told, and does not stay', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/popups');
      const refusal = await refusalOf(stage.click(await stage.find('button', 'Open elsewhere')));
      expect(refusal).toMatchObject({ code: 'landed_elsewhere', outcome: 'applied' });
      const tabs = await stage.provider.listTabs(stage.session, callWith());
      expect(tabs.map(({ upstreamTabId }) => upstreamTabId)).toEqual([stage.tab.upstreamTabId]);
    });

    test('S000-30 a button inside a frame is never mistaken for its namesake outside', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/frames');
      const { elements } = await stage.provider.look(stage.tab, callWith());
      const inner = elements.filter(({ name }) => name === 'Press').slice(1);
      for (const { ref, fingerprint } of inner) {
        await stage.click({ ref, fingerprint, origin: null }).catch(() => undefined);
      }
      expect(stage.presses()).not.toHaveProperty('outer');
    });

    test('S000-20 the dispatch is committed once, before the page is touched', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const before: unknown[] = [];
      const dispatched = async () => void before.push(stage.presses()['delete'] ?? 0);
      await stage.click(await stage.find('button', 'Delete'), { dispatched });
      expect(before).toEqual([0]);
      await expect.poll(() => stage.presses()).toEqual({ delete: 1 });
    });

    test('a dispatch that may not be committed presses nothing', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const dispatched = async () => {
        throw new Error('the fence was lost');
      };
      await expect(stage.click(await stage.find('button', 'Delete'), { dispatched })).rejects.toThrow('fence was lost');
      expect(stage.presses()).toEqual({});
    });

    test('S001-38 an option is selected by its label, and one that is not there is refused', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/form');
      const kind = await stage.find('combobox', 'Kind');
      const select = (label: string) => stage.provider.select(stage.tab, { ...kind, label }, callWith());
      expect(await refusalOf(select('Opera'))).toMatchObject({ code: 'not_actionable', outcome: undefined });
      const said = await select('Series').then(
        async () => /option "(\w+)" \[selected\]/.exec((await stage.provider.look(stage.tab, callWith())).text)?.[1],
        ({ outcome }) => outcome,
      );
      expect(said).toBe(subject.selects ? 'Series' : 'not_applied');
    });
  });
}
