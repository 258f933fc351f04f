import { describe, expect, test } from 'vitest';
import { callWith, refusalOf, setStage } from './stage.ts';
import type { Subject } from './subject.ts';

/** What is said of an action agrees with what the page saw of it. */
export function testOutcomes(subject: Subject): void {
  describe(`${subject.name}: outcomes`, () => {
    test.each([
      { step: 'look', how: 'lose', code: 'answer_lost', outcome: undefined, retryable: true, presses: {} },
      { step: 'look', how: 'stall', code: 'deadline', outcome: undefined, retryable: true, presses: {} },
      { step: 'act', how: 'lose', code: 'answer_lost', outcome: 'unknown', retryable: false, presses: { delete: 1 } },
      { step: 'act', how: 'stall', code: 'deadline', outcome: 'unknown', retryable: false, presses: { delete: 1 } },
    ] as const)(
      'S001-20 S001-21 S001-o5 a click: $step, $how is $code, outcome $outcome',
      async ({ step, how, presses, ...expected }) => {
        await using stage = await setStage(subject);
        await stage.open('/lab/buttons');
        const target = await stage.find('button', 'Delete');
        stage.rig.disturbNext(step, how);
        expect(await refusalOf(stage.click(target, { withinMs: subject.patienceMs }))).toMatchObject(expected);
        await expect.poll(() => stage.presses()).toEqual(presses);
      },
    );

    test('S001-22 a form that takes long is sent once, and is not called undone', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/form?ms=4000');
      const said = await stage.click(await stage.find('button', 'Save')).then(
        ({ outcome }) => outcome,
        ({ outcome }) => outcome,
      );
      expect(['applied', 'applied_observation_failed', 'unknown']).toContain(said);
      await expect.poll(() => stage.presses()).toEqual({ form: 1 });
    });

    test('a form is filled, sent and landed where it leads', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/form');
      const { provider, tab } = stage;
      const title = await stage.find('textbox', 'Title');
      await provider.type(tab, { ...title, input: { kind: 'text', text: 'New title' }, submit: false }, callWith());
      await stage.click(await stage.find('button', 'Save'));
      expect((await provider.look(tab, callWith())).text).toContain('New title');
      expect(stage.presses()).toEqual({ form: 1 });
    });

    test('typing whose answer is lost is unknown', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/form');
      const title = await stage.find('textbox', 'Title');
      stage.rig.disturbNext('act', 'lose');
      const typing = stage.provider.type(
        stage.tab,
        { ...title, input: { kind: 'text', text: 'New title' }, submit: false },
        callWith(),
      );
      expect(await refusalOf(typing)).toMatchObject({ code: 'answer_lost', outcome: 'unknown', retryable: false });
    });

    test('a key goes to what has the focus', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/typing');
      const { provider, tab } = stage;
      const search = await stage.find('textbox', 'Search');
      await provider.type(tab, { ...search, input: { kind: 'text', text: 'abc' }, submit: false }, callWith());
      await provider.press(tab, { origin: search.origin, key: 'Enter' }, callWith());
      await expect.poll(() => stage.presses()).toEqual({ typed: 1 });
    });

    test('Enter after the text sends it once', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/typing');
      const search = await stage.find('textbox', 'Search');
      const input = { kind: 'text', text: 'abc' } as const;
      await stage.provider.type(stage.tab, { ...search, input, submit: true }, callWith());
      await expect.poll(() => stage.presses()).toEqual({ typed: 1 });
    });

    test('S002-20 a page can be scrolled', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/long?items=100');
      const scrolled = stage.provider.scroll(stage.tab, { origin: null, direction: 'down', amountPx: 400 }, callWith());
      await expect(scrolled).resolves.toMatchObject({ outcome: 'applied' });
    });

    test('a selector of a site fills and presses the one element that it names', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/form');
      const { provider, tab } = stage;
      const input = { kind: 'text', text: 'By selector' } as const;
      await provider.siteFill(tab, { selector: 'input[name="title"]', input }, callWith());
      await provider.siteSubmit(tab, { selector: 'form button' }, callWith());
      await expect.poll(() => stage.presses()).toEqual({ form: 1 });
      expect((await provider.look(tab, callWith())).text).toContain('By selector');
    });

    test.each([
      ['several elements', 'input'],
      ['no element', '#nothing'],
      ['no CSS', 'input:::'],
    ])('a selector of a site that names %s does nothing', async (_what, selector) => {
      await using stage = await setStage(subject);
      await stage.open('/lab/form');
      const refusal = await refusalOf(stage.provider.siteSubmit(stage.tab, { selector }, callWith()));
      expect(refusal).toMatchObject({ code: 'not_actionable' });
      expect([undefined, 'not_applied']).toContain(refusal.outcome);
      expect(stage.presses()).toEqual({});
    });
  });
}
