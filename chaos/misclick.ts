import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationInput, Snapshot, TabId } from '@wheelhouse/contracts';
import { type Arena, type Lane, openArena } from './arena.ts';
import { rawClick } from './broken/no-fingerprint.ts';
import { CallFailed } from './child.ts';
import { changedPage, type ChangedPage, htmlOf, type Item } from './misclick-pages.ts';
import type { BrokenPart } from './protocol.ts';
import { createRandom } from './random.ts';
import { statement } from './statement.ts';

/** What came of clicks on pages that changed after they were looked at. */
export interface MisclickReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly misclicks: number;
  /** Clicks through the layer that pressed something else. */
  readonly wrong: number;
  /** The same clicks, sent to the upstream by its own refs, that pressed something else. */
  readonly rawWrong: number;
  /** Clicks that could have been made and were refused. */
  readonly falseRefusals: number;
  /** Of those that could have been made. */
  readonly falseRefusalShare: number;
  /** Presses that hit what was meant. */
  readonly right: number;
  /** Wrong presses by what had happened to the page. */
  readonly wrongAfter: Readonly<Record<string, number>>;
  readonly rawWrongAfter: Readonly<Record<string, number>>;
  readonly refusedAfter: Readonly<Record<string, number>>;
  readonly durationMs: number;
}

const mostFalseRefusals = 0.01;

/** One page that changed, with what the layer said of its click. */
interface Case {
  readonly id: string;
  readonly page: ChangedPage;
  readonly refused: boolean;
}

/** Clicks on pages that change between look and click, through the layer and beside it. */
export async function runMisclicks(options: {
  readonly misclicks: number;
  readonly seed: number;
  readonly broken?: BrokenPart | null;
}): Promise<MisclickReport> {
  const began = performance.now();
  const { misclicks, seed, broken = null } = options;
  await using arena = await openArena({ lanes: 4, workers: 2, lockTtlMs: 5_000, broken });
  const random = createRandom(seed);
  const cases: Case[] = [];
  let next = 0;
  await Promise.all(
    arena.lanes.map(async (lane) => {
      const hands = await handsOf(arena, lane);
      while ((next += 1) <= misclicks) {
        const id = `page-${next}`;
        const page = changedPage(random, id);
        const refused = await hands.layer(id, page);
        await hands.raw(renamed(page));
        cases.push({ id, page, refused });
      }
    }),
  );
  await sleep(1_000);
  const presses = await arena.presses();
  const wrongOf = (prefix: string) =>
    tally(cases, ({ id, page }) => pressedWrongly(presses, `${prefix}${id}`, page.target));
  const refusedAfter = tally(cases, ({ page, refused }) => refused && page.good);
  const [wrongAfter, rawWrongAfter] = [wrongOf(''), wrongOf('raw-')];
  const [wrong, rawWrong, falseRefusals] = [wrongAfter, rawWrongAfter, refusedAfter].map(sum) as [
    number,
    number,
    number,
  ];
  const good = cases.filter(({ page }) => page.good).length;
  const falseRefusalShare = good === 0 ? 0 : falseRefusals / good;
  const right = cases.filter(({ id, page }) => (presses[`${id}-${page.target}`] ?? 0) > 0).length;
  const ok = wrong === 0 && falseRefusalShare <= mostFalseRefusals;
  const durationMs = Math.round(performance.now() - began);
  const counts = { misclicks, wrong, rawWrong, falseRefusals, falseRefusalShare, right };
  return { ok, seed, ...counts, wrongAfter, rawWrongAfter, refusedAfter, durationMs };
}

function pressedWrongly(presses: Readonly<Record<string, number>>, id: string, target: number): boolean {
  return Object.keys(presses).some((pressed) => pressed.startsWith(`${id}-`) && pressed !== `${id}-${target}`);
}

function tally(cases: readonly Case[], counts: (one: Case) => boolean): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const one of cases) if (counts(one)) found[one.page.kind] = (found[one.page.kind] ?? 0) + 1;
  return found;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, one) => all + one, 0);
}

/** The same page with ids of its own, so that presses can be told apart. */
function renamed(page: ChangedPage): ChangedPage {
  const rename = (item: Item): Item => ({ ...item, id: `raw-${item.id}` });
  return { ...page, before: page.before.map(rename), after: page.after.map(rename) };
}

/** Both ways to click on one lane. */
async function handsOf(arena: Arena, lane: Lane) {
  const seat = await arena.worker(lane.number);
  const operate = (input: object) =>
    arena.call(seat, { do: 'operate', sessionId: lane.sessionId, input: input as OperationInput, timeoutMs: 20_000 });
  const opened = (await operate({ type: 'open_tab', operationId: 'tab' })) as {
    readonly value: { readonly tabId: TabId };
  };
  const { tabId } = opened.value;
  const [row] = await statement<{ upstream: string }>(
    arena.database.db,
    `select upstream_tab_id as upstream from browser_tab where id = '${tabId}'`,
  );
  const ours = { userId: lane.profileKey, targetId: row?.upstream ?? '' };
  const stranger = { userId: `stranger-${lane.number}`, targetId: '' };
  const made = await post(lane, '/tabs', { userId: stranger.userId, sessionKey: 'raw', listItemId: 'raw' });
  stranger.targetId = String(made['tabId']);
  const blank = `${arena.siteOrigin}/lab/landed`;
  const show = (tab: typeof ours, items: readonly Item[]) =>
    post(lane, `/tabs/${tab.targetId}/evaluate`, {
      userId: tab.userId,
      expression: `document.body.innerHTML = ${JSON.stringify(htmlOf(items))}; true`,
    });
  const change = async (tab: typeof ours, page: ChangedPage) => {
    if (page.leaves)
      await post(lane, `/tabs/${tab.targetId}/navigate`, { userId: tab.userId, url: `${blank}?by=itself` });
    await show(tab, page.after);
  };
  return {
    /** Resolves with whether the layer refused. */
    layer: async (id: string, page: ChangedPage): Promise<boolean> => {
      await operate({ type: 'navigate', tabId, url: blank, operationId: `${id}/load` });
      await show(ours, page.before);
      const look = (await operate({ type: 'snapshot', tabId })) as { readonly value: Snapshot };
      const { elements, documentToken } = look.value;
      const ref = elements.filter(({ role }) => role === 'button')[page.target]?.ref;
      await change(ours, page);
      try {
        await operate({ type: 'click', tabId, operationId: id, ref, documentToken });
        return false;
      } catch (thrown) {
        if (!(thrown instanceof CallFailed)) throw thrown;
        return true;
      }
    },
    raw: async (page: ChangedPage): Promise<void> => {
      await post(lane, `/tabs/${stranger.targetId}/navigate`, { userId: stranger.userId, url: blank });
      await show(stranger, page.before);
      const answer = await fetch(
        `${lane.upstream}/tabs/${stranger.targetId}/snapshot?userId=${stranger.userId}&format=text`,
      );
      const { snapshot = '' } = (await answer.json()) as { readonly snapshot?: string };
      const refs = [...snapshot.matchAll(/^\s*- button .*?\[(e\d+)\]/gm)].map(([, ref]) => ref ?? '');
      await change(stranger, page);
      await rawClick(lane.upstream, { ...stranger, ref: refs[page.target] ?? 'e1' });
    },
  };
}

async function post(lane: Lane, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(lane.upstream + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = (await answer.json()) as Readonly<Record<string, unknown>>;
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(said)}`);
  return said;
}
