import { getSession, listOperations, listOpenTabs, readLock, settleAbandoned } from '@wheelhouse/db';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { operate } from '../src/pipeline/operate.ts';
import { recover } from '../src/recover.ts';
import { startChild } from './child-process.ts';
import { createScriptedBrowser } from './scripted-provider.ts';
import { agent, clickOn, failureOf, newSession, openHouse, openPage, useDatabase } from './test-house.ts';

const database = useDatabase();

const Stays = z.array(
  z.object({ profile: z.string(), by: z.string(), beginNs: z.coerce.bigint(), endNs: z.coerce.bigint() }),
);
type Stays = z.infer<typeof Stays>;

/** Pairs of stays on one profile that were inside the browser at the same time. */
function overlaps(stays: Stays): [string, string][] {
  const found: [string, string][] = [];
  for (const profile of new Set(stays.map((stay) => stay.profile))) {
    const here = stays.filter((stay) => stay.profile === profile);
    const sorted = here.toSorted((one, other) => Number(one.beginNs - other.beginNs));
    for (const [i, stay] of sorted.entries()) {
      const before = sorted[i - 1];
      if (before !== undefined && before.endNs > stay.beginNs) found.push([before.by, stay.by]);
    }
  }
  return found;
}

/** A session with one page in the rows. */
async function desk() {
  const browser = createScriptedBrowser();
  await using house = openHouse(database.url, browser.provider);
  const sessionId = await newSession(database.db);
  await openPage(house, sessionId);
  return sessionId;
}

describe('S004-39 many processes on the same profiles', () => {
  test('the checker sees an overlap where there is one', () => {
    const stay = (by: string, beginNs: bigint, endNs: bigint, profile = 'p') => ({ profile, by, beginNs, endNs });
    expect(overlaps([stay('a', 1n, 5n), stay('b', 5n, 9n), stay('c', 2n, 4n, 'q')])).toEqual([]);
    expect(overlaps([stay('b', 4n, 9n), stay('a', 1n, 5n)])).toEqual([['a', 'b']]);
  });

  test('eight processes never act on one profile at the same time, and nothing is done twice or left out', async () => {
    const sessions = [await desk(), await desk()];
    const each = 12;
    const children = Array.from({ length: 8 }, (_, i) =>
      startChild('lock-child.ts', [database.url, `worker-${i}`, String(each), ...sessions]),
    );
    const stays = Stays.parse((await Promise.all(children.map(({ said }) => said))).flat());
    await Promise.all(children.map(({ ended }) => ended));
    expect(stays).toHaveLength(8 * each * 2);
    expect(overlaps(stays)).toEqual([]);
    for (const sessionId of sessions) {
      const rows = (await listOperations(database.db, sessionId)).filter(({ caller }) => caller.startsWith('worker-'));
      expect(rows).toHaveLength(8 * each);
      expect(rows.every(({ outcome, replays }) => outcome === 'applied' && replays === 0)).toBe(true);
      expect(await readLock(database.db, (await getSession(database.db, sessionId))!)).toBeNull();
    }
  }, 180_000);
});

describe('a worker that is killed', () => {
  test('S001-22 S000-20 after the click left: unknown, never clicked again, and a look comes first', async () => {
    const sessionId = await newSession(database.db);
    const child = startChild('crash-child.ts', [database.url, sessionId, 'sent']);
    expect(await child.said).toBe('inside');
    expect(await settleAbandoned(database.db)).toEqual([]);
    await child.kill();
    const browser = createScriptedBrowser();
    await using house = openHouse(database.url, browser.provider);
    await expect
      .poll(() => recover(house).then(({ operations }) => operations), { timeout: 10_000 })
      .toEqual([{ sessionId, operationId: 'click-1', type: 'click', outcome: 'unknown' }]);
    expect((await recover(house)).operations).toEqual([]);
    const [tab] = await listOpenTabs(database.db, sessionId);
    const again = clickOn(tab!.id, 'a-token-from-before', 'click-1');
    expect(await failureOf(operate(house, sessionId, again, agent))).toMatchObject({
      code: 'operation_replayed',
      outcome: 'unknown',
    });
    const blind = clickOn(tab!.id, 'a-token-from-before', 'click-2');
    expect(await failureOf(operate(house, sessionId, blind, agent))).toMatchObject({ code: 'snapshot_required' });
    expect(browser.calls).toEqual([]);
  }, 60_000);

  test('S001-20 before the click left: not applied, and other work goes on', async () => {
    const sessionId = await newSession(database.db);
    const child = startChild('crash-child.ts', [database.url, sessionId, 'unsent']);
    expect(await child.said).toBe('inside');
    await child.kill();
    const browser = createScriptedBrowser();
    await using house = openHouse(database.url, browser.provider);
    await expect
      .poll(() => recover(house).then(({ operations }) => operations), { timeout: 10_000 })
      .toEqual([{ sessionId, operationId: 'click-1', type: 'click', outcome: 'not_applied' }]);
    expect(await getSession(database.db, sessionId)).toMatchObject({ recoveryState: 'ok' });
    await openPage(house, sessionId);
  }, 60_000);
});
