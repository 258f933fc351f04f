import { Grant, OperationId, ProfileKey, type ProviderId, type SessionId } from '@wheelhouse/contracts';
import { type MockCamofox, startMockCamofox } from '@wheelhouse/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRuntime, type Runtime } from '../src/index.ts';
import { failureOf, next, useDatabase } from './test-house.ts';

const database = useDatabase();
let mock: MockCamofox;
let runtime: Runtime;
let providerId: ProviderId;
const caller = { grant: Grant.parse({ caller: 'job', classes: ['observe', 'navigate', 'interact', 'manage'] }) };

beforeAll(async () => {
  mock = await startMockCamofox();
  runtime = await createRuntime({
    database: { url: database.url },
    secrets: { environment: {} },
    log: { info: () => undefined, warn: () => undefined },
  });
  await runtime.providers.add({ name: 'off', kind: 'none', baseUrl: null, secretRef: null, allowlist: [] });
  const added = await runtime.providers.add({
    name: 'mock',
    kind: 'camofox',
    baseUrl: mock.origin,
    secretRef: null,
    allowlist: [],
  });
  providerId = added.id;
});
afterAll(async () => {
  await runtime.close();
  await mock[Symbol.asyncDispose]();
});
beforeEach(async () => {
  for (const { id } of await runtime.sessions.list()) await close(id);
});

const close = (sessionId: SessionId) =>
  runtime.operate(sessionId, { type: 'close_session', operationId: `end-${next()}` }, caller).catch(() => undefined);

/** A session with some blank tabs. */
async function open(tabs = 1) {
  const profileKey = ProfileKey.parse(`profile-${next()}`);
  const wish = { providerId, profileKey, operationId: OperationId.parse('open'), downloadPolicy: 'block' } as const;
  const { session } = await runtime.sessions.open(wish, caller.grant);
  for (let i = 0; i < tabs; i += 1) {
    await runtime.operate(session.id, { type: 'open_tab', operationId: `tab-${next()}` }, caller);
  }
  return { sessionId: session.id, profileKey };
}
async function pass() {
  const reports = await runtime.reconcile();
  expect(reports).toHaveLength(1);
  return reports[0]!;
}
const quiet = { state: 'done', restarted: false, lostTabs: 0, lostSessions: 0, adoptedTabs: 0, closedTabs: 0 };

describe('S004-51 what camofox loses by itself is noticed in one pass, and a second finds nothing', () => {
  test('a tab that was recycled at the limit', async () => {
    const { sessionId, profileKey } = await open(2);
    mock.evict(mock.tabs(profileKey)[0]!);
    expect(await pass()).toMatchObject({ ...quiet, lostTabs: 1 });
    expect(await pass()).toMatchObject(quiet);
    expect((await runtime.sessions.tabs(sessionId)).map(({ status }) => status)).toEqual(['lost', 'open']);
  });

  test('a session that its idle reaper closed', async () => {
    const [idle, used] = [await open(), await open()];
    mock.expireSession(idle.profileKey);
    expect(await pass()).toMatchObject({ ...quiet, lostTabs: 1, lostSessions: 1 });
    expect(await pass()).toMatchObject(quiet);
    expect(await runtime.sessions.get(idle.sessionId)).toMatchObject({ recoveryState: 'lost' });
    expect(await runtime.sessions.get(used.sessionId)).toMatchObject({ recoveryState: 'ok' });
  });

  test('a restart, which closes the sessions of everybody', async () => {
    const all = [await open(), await open(), await open(2)];
    mock.restartBrowser();
    expect(await pass()).toMatchObject({ restarted: true, lostTabs: 4, lostSessions: 3 });
    expect(await pass()).toMatchObject(quiet);
    for (const { sessionId } of all) {
      expect(await runtime.sessions.get(sessionId)).toMatchObject({ recoveryState: 'lost', controller: 'automation' });
      await runtime.operate(sessionId, { type: 'open_tab', operationId: `again-${next()}` }, caller);
    }
    expect(await pass()).toMatchObject(quiet);
  });

  test('a browser that was killed and whose tabs stay in the list', async () => {
    const { sessionId, profileKey } = await open();
    await pass();
    mock.killBrowser();
    expect(mock.tabs(profileKey)).toHaveLength(1);
    expect(await pass()).toMatchObject({ restarted: true, lostTabs: 1, lostSessions: 1 });
    expect(await pass()).toMatchObject(quiet);
    expect(await runtime.sessions.get(sessionId)).toMatchObject({ recoveryState: 'lost' });
    mock.restartBrowser();
  });
});

test('a person takes over and hands back through the runtime, and automation looks first', async () => {
  const { sessionId } = await open();
  const lease = await runtime.control.request({ sessionId, holder: 'ops@desk', reason: 'captcha' });
  expect(await failureOf(runtime.operate(sessionId, { type: 'list_tabs' }, caller))).toMatchObject({
    code: 'human_in_control',
  });
  await runtime.control.handBack({ leaseId: lease.id, holder: 'ops@desk', note: 'solved' });
  expect(await runtime.sessions.get(sessionId)).toMatchObject({
    controller: 'automation',
    recoveryState: 'needs_look',
  });
  expect(await runtime.resolve(sessionId)).toEqual([]);
  expect(await runtime.recover()).toEqual({ operations: [], leases: [] });
});
