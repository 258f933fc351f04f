import { describe, expect, test } from 'vitest';
import { callWith, refusalOf, setStage } from './stage.ts';
import type { Subject } from './subject.ts';

/** A failure says what is known, and a caller who gives up is heard. */
export function testErrors(subject: Subject): void {
  describe(`${subject.name}: failures`, () => {
    test('a caller who has given up is not served any more', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/buttons');
      const target = await stage.find('button', 'Delete');
      const refusal = await refusalOf(stage.click(target, { signal: AbortSignal.abort() }));
      expect(refusal).toMatchObject({ kind: 'timeout', outcome: undefined });
      expect(stage.presses()).toEqual({});
    });

    test('S004-20 a page that takes longer than the deadline is unknown at the deadline, and no later', async () => {
      await using stage = await setStage(subject);
      const started = Date.now();
      const visit = stage.provider.navigate(
        stage.tab,
        `${stage.site.origin}/lab/slow?ms=60000`,
        callWith({ withinMs: subject.patienceMs }),
      );
      expect(await refusalOf(visit)).toMatchObject({ code: 'deadline', outcome: 'unknown', retryable: false });
      expect(Date.now() - started).toBeLessThan(subject.patienceMs + 2_000);
    });

    test('S004-22 a page larger than the bound is refused', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/long?items=500');
      expect(await refusalOf(stage.provider.pageHtml(stage.tab, callWith({ maxBytes: 2_000 })))).toMatchObject({
        code: 'too_large',
        kind: 'budget_exceeded',
        outcome: undefined,
      });
    });

    test('S000-80 a long page is read whole, on whole lines', async () => {
      await using stage = await setStage(subject);
      await stage.open('/lab/long?items=1500');
      const { text, elements, truncated } = await stage.provider.look(stage.tab, callWith());
      expect(truncated).toBe(false);
      expect(elements.filter(({ role }) => role === 'button')).toHaveLength(1_500);
      for (const at of [0, 749, 1_499]) {
        expect(text).toContain(`link "Entry ${at}"`);
        expect(text).toContain(`button "Take ${at}"`);
      }
    });

    test('a tab that nobody opened is lost, and nothing was done', async () => {
      await using stage = await setStage(subject);
      const tab = { ...stage.tab, upstreamTabId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' };
      expect(await refusalOf(stage.provider.look(tab, callWith()))).toMatchObject({
        code: 'tab_lost',
        outcome: undefined,
      });
      const visit = stage.provider.navigate(tab, `${stage.site.origin}/lab`, callWith());
      expect(await refusalOf(visit)).toMatchObject({ code: 'tab_lost', outcome: 'not_applied' });
    });

    test('S004-44 health is an answer', async () => {
      await using stage = await setStage(subject);
      expect(await stage.provider.health(callWith())).toMatchObject({ status: 'ok', browserRunning: true });
    });
  });
}
