import {
  Controller,
  type ControlEvent,
  ControlEvent as ControlEvents,
  nextController,
  type SessionId,
} from '@wheelhouse/contracts';
import { closeSession, getSession, readEvents } from '@wheelhouse/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Control, createControl } from '../src/control.ts';
import { operate } from '../src/pipeline/operate.ts';
import { createScriptedBrowser } from './scripted-provider.ts';
import {
  agent,
  failureOf,
  lookAt,
  newProvider,
  newSession,
  openHouse,
  openPage,
  type TestHouse,
  useDatabase,
} from './test-house.ts';

const database = useDatabase();
const browser = createScriptedBrowser();
let house: TestHouse;
let control: Control;
beforeAll(() => {
  house = openHouse(database.url, browser.provider);
  control = createControl(house);
});
afterAll(() => house[Symbol.asyncDispose]());

const ask = (sessionId: SessionId, holder = 'ops@desk') => ({ sessionId, holder, reason: 'captcha', ttlMs: 60_000 });
const nobody = '00000000-0000-4000-8000-000000000000';

async function letTimePass(sessionId: SessionId) {
  await database.db
    .updateTable('browser_control_lease')
    .set({ acquired_at: new Date(0), expires_at: new Date(1) })
    .where('session_id', '=', sessionId)
    .where('status', '=', 'active')
    .execute();
}

/** Brings a session to a state, and tries an event on it. */
const bring: Record<Controller, (sessionId: SessionId) => Promise<unknown>> = {
  automation: async () => undefined,
  waiting: (sessionId) => control.needHuman(sessionId, 'captcha'),
  human: (sessionId) => control.request(ask(sessionId)),
  closed: (sessionId) => closeSession(database.db, { sessionId, reason: 'done' }),
};
const leaseOf = async (sessionId: SessionId) => (await control.look(sessionId)).lease?.id ?? nobody;
const attempt: Record<ControlEvent, (sessionId: SessionId) => Promise<unknown>> = {
  need_human: (sessionId) => control.needHuman(sessionId, 'login'),
  grant: (sessionId) => control.request(ask(sessionId, 'second')),
  hand_back: async (sessionId) => control.handBack({ leaseId: await leaseOf(sessionId), holder: 'ops@desk' }),
  expire: async (sessionId) => {
    await letTimePass(sessionId);
    const ended = await control.expireDue();
    if (!ended.some((lease) => lease.sessionId === sessionId)) await control.handBack({ leaseId: nobody, holder: '' });
  },
  revoke: async (sessionId) => control.revoke(await leaseOf(sessionId), 'needed'),
  resume: (sessionId) => control.resume(sessionId, 'ops'),
  close: async (sessionId) => {
    if (!(await closeSession(database.db, { sessionId, reason: 'x' }))) await control.resume(sessionId, 'x');
  },
};

describe('S003-21 control of a session', () => {
  test('goes where the state machine says, in all 28 cells, and changes nothing where it refuses', async () => {
    let cells = 0;
    const untouched: unknown[][] = [];
    for (const state of Controller.options) {
      for (const event of ControlEvents.options) {
        const sessionId = await newSession(database.db);
        await bring[state](sessionId);
        const before = await getSession(database.db, sessionId);
        const want = nextController[state][event];
        const refused = await attempt[event](sessionId).then(
          () => null,
          (error: unknown) => error,
        );
        const after = await getSession(database.db, sessionId);
        const moved = want !== 'refused' && want !== state;
        expect([state, event, refused === null ? after?.controller : 'refused']).toEqual([state, event, want]);
        expect(after!.fence).toBe(before!.fence + (moved ? 1 : 0));
        if (want === 'refused') untouched.push([before, after]);
        cells += 1;
      }
    }
    expect(cells).toBe(28);
    for (const [before, after] of untouched) expect(after).toEqual(before);
  });

  test('an ended lease can be neither reopened nor passed on, whatever SQL is sent', async () => {
    const sessionId = await newSession(database.db);
    const lease = await control.request(ask(sessionId));
    const change = (set: object) =>
      database.db.updateTable('browser_control_lease').set(set).where('id', '=', lease.id).execute();
    await expect(change({ holder: 'thief' })).rejects.toMatchObject({ constraint: 'lease_is_one_holders' });
    await expect(change({ fence: 99 })).rejects.toMatchObject({ constraint: 'lease_is_one_holders' });
    await control.handBack({ leaseId: lease.id, holder: 'ops@desk' });
    for (const set of [
      { status: 'active', released_at: null },
      { expires_at: new Date('2100-01-01') },
      { holder: 'x' },
    ]) {
      await expect(change(set)).rejects.toMatchObject({ constraint: 'ended_lease_is_history' });
    }
  });

  test('every change kills all tokens of the session and moves the fence', async () => {
    const changes = [
      (sessionId: SessionId) => control.needHuman(sessionId, 'captcha'),
      async (sessionId: SessionId) => control.request(ask(sessionId)),
    ];
    for (const change of changes) {
      const sessionId = await newSession(database.db);
      const tabs = [await openPage(house, sessionId), await openPage(house, sessionId)];
      for (const tabId of tabs) await lookAt(house, sessionId, tabId);
      expect(await tokens(sessionId)).toHaveLength(2);
      const { fence } = (await getSession(database.db, sessionId))!;
      await change(sessionId);
      expect(await tokens(sessionId)).toEqual([]);
      expect((await getSession(database.db, sessionId))!.fence).toBe(fence + 1);
    }
  });

  test('S003-23 after the hand-back and after a resume automation must look first', async () => {
    const sessionId = await newSession(database.db);
    const tabId = await openPage(house, sessionId);
    const click = async (operationId: string) => {
      const token = 'a-token-from-before';
      return failureOf(
        operate(house, sessionId, { type: 'click', tabId, operationId, ref: 'e1', documentToken: token }, agent),
      );
    };
    await lookAt(house, sessionId, tabId);
    const lease = await control.request(ask(sessionId));
    await control.handBack({ leaseId: lease.id, holder: 'ops@desk', note: 'logged in' });
    expect(await click('one')).toMatchObject({ code: 'snapshot_required' });
    await lookAt(house, sessionId, tabId);
    await control.needHuman(sessionId, 'captcha');
    expect(await click('two')).toMatchObject({ code: 'waiting_for_human' });
    await control.resume(sessionId, 'ops@desk');
    expect(await click('three')).toMatchObject({ code: 'snapshot_required' });
  });

  test('refusals name the holder and what to do, and tell a stranger from a late holder', async () => {
    const sessionId = await newSession(database.db);
    const lease = await control.request(ask(sessionId));
    const second = await failureOf(control.request(ask(sessionId, 'other')));
    expect(second).toMatchObject({ code: 'human_in_control', httpStatus: 409 });
    expect(second.message).toMatch(/^ops@desk controls this session until 20/);
    const claim = { leaseId: lease.id, holder: 'stranger' };
    expect(await failureOf(control.handBack(claim))).toMatchObject({ code: 'not_owner' });
    expect(await failureOf(control.extend({ ...claim, ttlMs: 2_000 }))).toMatchObject({ code: 'not_owner' });
    expect(await failureOf(control.extend({ ...claim, ttlMs: 5 }))).toMatchObject({ code: 'invalid_request' });
    await letTimePass(sessionId);
    const late = { leaseId: lease.id, holder: 'ops@desk' };
    expect(await failureOf(control.extend({ ...late, ttlMs: 2_000 }))).toMatchObject({ code: 'lease_not_found' });
    expect(await failureOf(control.revoke('no-uuid', ''))).toMatchObject({ code: 'lease_not_found' });
    await control.expireDue();
    expect(await control.look(sessionId)).toMatchObject({
      controller: 'waiting',
      waitingReason: 'lease_expired',
      lease: null,
    });
    expect(await failureOf(control.request(ask(nobody as SessionId)))).toMatchObject({ code: 'session_not_found' });
  });

  test('one person at a time on the screen that all accounts share, until the session is closed too', async () => {
    const provider = await newProvider(database.db);
    const [first, second] = [await newSession(database.db, provider), await newSession(database.db, provider)];
    const elsewhere = await newSession(database.db);
    await control.request(ask(first));
    expect(await failureOf(control.request(ask(second, 'other')))).toMatchObject({
      code: 'display_busy',
      retryable: true,
    });
    await control.request(ask(elsewhere, 'other'));
    await closeSession(database.db, { sessionId: first, reason: 'done' });
    await control.request(ask(second, 'other'));
  });

  test('asking for a person, taking over and handing back are in the history, without the secret that was told', async () => {
    const secret = 'Synth-Pass-4711';
    house.redactor.learn(secret);
    const sessionId = await newSession(database.db);
    await control.needHuman(sessionId, 'second_factor', `type the code; the password is ${secret}`);
    const lease = await control.request({ ...ask(sessionId), reason: `with ${secret}` });
    await control.handBack({ leaseId: lease.id, holder: 'ops@desk', note: `used ${secret}` });
    const events = await readEvents(database.db, sessionId);
    expect(events.map(({ data }) => data['event'] ?? 'opened')).toEqual(['opened', 'need_human', 'grant', 'hand_back']);
    expect(events[1]?.data['brief']).toMatch(/^type the code; the password is /);
    expect(JSON.stringify(events)).not.toContain(secret);
  });
});

async function tokens(sessionId: SessionId) {
  return database.db
    .selectFrom('browser_tab')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('document_token', 'is not', null)
    .execute();
}
