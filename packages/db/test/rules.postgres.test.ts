import { Controller, nextController, type SessionId } from '@wheelhouse/contracts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { grantLease } from '../src/index.ts';
import { refusedBy, rowsFor, useDatabase } from './postgres.ts';

const database = useDatabase();
const { newProvider, newSession, newTab } = rowsFor(database);
const run = (strings: TemplateStringsArray, ...values: unknown[]) => sql(strings, ...values).execute(database.db);

describe('S004-58 a provider', () => {
  test('of a kind that is a service has an address', async () => {
    for (const kind of ['camofox', 'cdp', 'remote']) {
      expect(await refusedBy(run`insert into browser_provider (name, kind) values (${kind}, ${kind})`)).toBe(
        'a_service_has_an_address',
      );
    }
    await run`insert into browser_provider (name, kind) values ('off', 'none')`;
  });

  test('has a name of its own', async () => {
    const insert = () => run`insert into browser_provider (name, kind) values ('twice', 'none')`;
    await insert();
    expect(await refusedBy(insert())).toBe('provider_name_is_unique');
  });

  test('is of a known kind', async () => {
    expect(
      await refusedBy(run`insert into browser_provider (name, kind, base_url) values ('x', 'selenium', 'x')`),
    ).toBe('browser_provider_kind_check');
  });
});

describe('S004-59 a session', () => {
  test('is the only open one of its profile', async () => {
    const { id } = await newProvider();
    const insert = () => run`
      insert into browser_session (provider_id, profile_key, allowlist) values (${id}, 'profile-of-one', '{}')`;
    await insert();
    expect(await refusedBy(insert())).toBe('one_open_session_per_profile');
    await run`update browser_session set controller = 'closed', closed_at = now(), fence = fence + 1
      where profile_key = 'profile-of-one'`;
    await insert();
  });

  test('is closed exactly when it has a time of closing', async () => {
    const id = await newSession();
    expect(await refusedBy(run`update browser_session set closed_at = now() where id = ${id}`)).toBe(
      'closed_means_closed',
    );
    expect(
      await refusedBy(run`update browser_session set controller = 'closed', fence = fence + 1 where id = ${id}`),
    ).toBe('closed_means_closed');
  });

  test('never comes back once it is closed', async () => {
    const id = await newSession();
    await run`update browser_session set controller = 'closed', closed_at = now(), fence = fence + 1 where id = ${id}`;
    expect(await refusedBy(run`update browser_session set current_url = 'http://x' where id = ${id}`)).toBe(
      'closed_is_terminal',
    );
  });

  test('never gets an older fence, and every change of control moves it', async () => {
    const id = await newSession();
    await run`update browser_session set fence = 7 where id = ${id}`;
    expect(await refusedBy(run`update browser_session set fence = 6 where id = ${id}`)).toBe('fence_only_grows');
    expect(await refusedBy(run`update browser_session set controller = 'human' where id = ${id}`)).toBe(
      'control_moves_the_fence',
    );
  });

  test('goes only where the state machine of the contract lets it', async () => {
    for (const from of Controller.options) {
      for (const to of Controller.options.filter((state) => state !== from)) {
        const id = await newSession();
        await moveTo(id, from);
        const allowed = Object.values(nextController[from]).some((next) => next === to);
        const moved = moveTo(id, to).then(
          () => true,
          () => false,
        );
        expect([from, to, await moved]).toEqual([from, to, allowed]);
      }
    }
  });
});

async function moveTo(id: SessionId, controller: Controller): Promise<void> {
  await run`update browser_session set controller = ${controller}, fence = fence + 1,
    closed_at = case when ${controller} = 'closed' then now() end where id = ${id} and controller <> ${controller}`;
}

describe('S004-60 a tab', () => {
  test('is listed once', async () => {
    const id = await newSession();
    const insert = () => run`insert into browser_tab (session_id, upstream_tab_id) values (${id}, 't1')`;
    await insert();
    expect(await refusedBy(insert())).toBe('upstream_tab_is_listed_once');
  });

  test('is closed exactly when it has a time of closing, and a token stands for a document', async () => {
    const tab = await newTab(await newSession());
    expect(await refusedBy(run`update browser_tab set status = 'closed' where id = ${tab}`)).toBe(
      'closed_tab_has_a_time',
    );
    expect(await refusedBy(run`update browser_tab set document = null where id = ${tab}`)).toBe(
      'token_and_document_go_together',
    );
  });
});

describe('S004-61 a control lease', () => {
  test('is the only active one of its session, has a span, and a fence of its own', async () => {
    const session = await newSession();
    await grantLease(database.db, { sessionId: session, holder: 'one', reason: '', ttlMs: 60_000 });
    const insert = (fence: number, span: string) => run`
      insert into browser_control_lease (session_id, holder_kind, holder, fence, expires_at)
      values (${session}, 'human', 'two', ${fence}, now() + ${span}::interval)`;
    expect(await refusedBy(insert(9, '1 minute'))).toBe('one_active_lease_per_session');
    expect(await refusedBy(insert(9, '0'))).toBe('lease_has_a_span');
    await run`update browser_control_lease set status = 'released', released_at = now() where session_id = ${session}`;
    expect(await refusedBy(insert(2, '1 minute'))).toBe('fence_used_once');
    expect(await refusedBy(run`update browser_control_lease set status = 'active' where session_id = ${session}`)).toBe(
      'ended_lease_is_history',
    );
    const other = await newSession();
    await grantLease(database.db, { sessionId: other, holder: 'one', reason: '', ttlMs: 60_000 });
    expect(await refusedBy(run`update browser_control_lease set status = 'expired' where session_id = ${other}`)).toBe(
      'ended_lease_has_a_time',
    );
  });
});

describe('a profile lock', () => {
  test('never gets an older fence, and ends when somebody holds it', async () => {
    const { id } = await newProvider();
    await run`insert into browser_profile_lock (provider_id, profile_key, fence) values (${id}, 'profile-x', 4)`;
    expect(await refusedBy(run`update browser_profile_lock set fence = 3 where provider_id = ${id}`)).toBe(
      'lock_fence_only_grows',
    );
    expect(await refusedBy(run`update browser_profile_lock set holder = 'me' where provider_id = ${id}`)).toBe(
      'held_lock_has_an_end',
    );
  });
});

describe('the ledger', () => {
  const reserve = async (id: string) => {
    const session = await newSession();
    await run`insert into browser_operation (session_id, operation_id, type, effect, caller, session_fence, lock_fence, holder)
      values (${session}, ${id}, 'click', 'interact', 'test', 1, 1, 'test')`;
    return session;
  };
  const settle = (session: string, outcome: string) => run`
    update browser_operation set state = 'settled', outcome = ${outcome}, settled_at = now() where session_id = ${session}`;
  const dispatch = (session: string) => run`
    update browser_operation set state = 'dispatched', dispatched_at = now() where session_id = ${session}`;

  test('S001-15 keeps an operation id for ever', async () => {
    const session = await reserve('a');
    expect(await refusedBy(run`delete from browser_operation where session_id = ${session}`)).toBe('ledger_is_kept');
  });

  test('what was never dispatched cannot have been applied', async () => {
    const session = await reserve('a');
    expect(await refusedBy(settle(session, 'applied'))).toBe('undispatched_changes_nothing');
    expect(await refusedBy(settle(session, 'unknown'))).toBe('undispatched_changes_nothing');
    await settle(session, 'not_applied');
  });

  test('an outcome is final; only "we do not know" may become knowledge', async () => {
    const session = await reserve('a');
    await dispatch(session);
    await settle(session, 'unknown');
    await settle(session, 'applied');
    expect(await refusedBy(settle(session, 'not_applied'))).toBe('outcome_is_final');
    expect(await refusedBy(settle(session, 'unknown'))).toBe('outcome_is_final');
  });

  test('a dispatch is never taken back or repeated', async () => {
    const session = await reserve('a');
    await dispatch(session);
    expect(
      await refusedBy(
        run`update browser_operation set dispatched_at = null, state = 'reserved' where session_id = ${session}`,
      ),
    ).toBe('dispatched_once');
    expect(
      await refusedBy(
        run`update browser_operation set dispatched_at = now() + interval '1 s' where session_id = ${session}`,
      ),
    ).toBe('dispatched_once');
  });

  test('an outcome has a time and a state', async () => {
    const session = await reserve('a');
    expect(
      await refusedBy(run`update browser_operation set outcome = 'not_applied' where session_id = ${session}`),
    ).toBe('settled_has_an_outcome');
    expect(await refusedBy(run`update browser_operation set state = 'settled' where session_id = ${session}`)).toBe(
      'state_follows_the_times',
    );
  });
});

describe('the history', () => {
  test('is never rewritten', async () => {
    const session = await newSession();
    expect(await refusedBy(run`update browser_event set type = 'x' where session_id = ${session}`)).toBe(
      'history_is_kept',
    );
    expect(await refusedBy(run`delete from browser_event where session_id = ${session}`)).toBe('history_is_kept');
  });
});

describe('a captured file', () => {
  test('S001-28 has a name that is no path', async () => {
    const session = await newSession();
    for (const name of ['../x', 'a/b', 'a\\b', 'a\nb', '.', '..', '']) {
      expect(
        await refusedBy(run`
          insert into browser_artifact (session_id, purpose, filename, mime_type, size_bytes, sha256, blob_kind, blob_ref)
          values (${session}, 'download', ${name}, 'text/plain', 1, ${'a'.repeat(64)}, 'blob', 'x')`),
      ).toBe('filename_is_no_path');
    }
  });
});
