import { type Kysely, sql } from 'kysely';

/**
 * The steps of an operation once more, with what was missing: a postcondition and whether it held before, an end that
 * respects a session that a person took or that was closed meanwhile. And the turn of the reconciler, the settling of
 * unknown outcomes by evidence, and leases whose end is final.
 *
 * Compatible with running workers of the version before: new names beside the old ones, a new table, and a rule that
 * nothing they do breaks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function browser_operation_begin_2(
      p_session uuid, p_tab uuid, p_operation text, p_type text, p_effect text, p_caller text,
      p_token text, p_holder text, p_lock_ms int, p_dispatch boolean, p_postcondition jsonb
    ) returns jsonb language plpgsql as $$
    declare
      s browser_session;
      t browser_tab;
      o browser_operation;
      p browser_provider;
      l browser_profile_lock;
      lock_fence bigint;
    begin
      -- An observation has no effect that a crash of Postgres could make us forget.
      if p_effect = 'observe' then
        perform set_config('synchronous_commit', 'off', true);
        select * into s from browser_session where id = p_session;
      else
        select * into s from browser_session where id = p_session for no key update;
      end if;
      if not found then return jsonb_build_object('refused', 'session_not_found'); end if;

      if p_operation is not null then
        update browser_operation set replays = replays + 1
          where session_id = p_session and operation_id = p_operation returning * into o;
        if found then
          return jsonb_build_object('refused', 'operation_replayed', 'state', o.state, 'outcome', o.outcome,
            'errorCode', o.error_code, 'result', o.result);
        end if;
      end if;

      if s.controller = 'closed' then return jsonb_build_object('refused', 'session_closed'); end if;
      if s.controller = 'human' then
        return (select jsonb_build_object('refused', 'human_in_control', 'controlHolder', c.holder, 'until', c.expires_at)
          from (select) as always left join browser_control_lease c on c.session_id = s.id and c.status = 'active');
      end if;
      if s.controller = 'waiting' then
        return jsonb_build_object('refused', 'waiting_for_human', 'waitingReason', s.waiting_reason);
      end if;

      if p_tab is not null then
        select * into t from browser_tab where id = p_tab and session_id = p_session;
        if not found or t.status = 'closed' then return jsonb_build_object('refused', 'tab_not_found'); end if;
        if t.status = 'lost' then return jsonb_build_object('refused', 'tab_lost'); end if;
      end if;
      if p_effect = 'interact' then
        if s.recovery_state = 'needs_look' then return jsonb_build_object('refused', 'snapshot_required'); end if;
        if p_token is not null and t.document_token is distinct from p_token then
          return jsonb_build_object('refused', 'stale_snapshot');
        end if;
      end if;

      insert into browser_profile_lock as held (provider_id, profile_key, holder, holder_note, fence, acquired_at, expires_at)
        values (s.provider_id, s.profile_key, p_holder, p_type, 1, now(), now() + p_lock_ms * interval '1 millisecond')
        on conflict (provider_id, profile_key) do update
          set holder = excluded.holder, holder_note = excluded.holder_note, fence = held.fence + 1,
              acquired_at = excluded.acquired_at, expires_at = excluded.expires_at, wanted_until = null
          where held.holder is null or held.expires_at <= now()
        returning fence into lock_fence;
      if lock_fence is null then
        update browser_profile_lock set wanted_until = now() + interval '30 seconds'
          where provider_id = s.provider_id and profile_key = s.profile_key returning * into l;
        return jsonb_build_object('busy', true, 'holderNote', l.holder_note, 'since', l.acquired_at,
          'expiresAt', l.expires_at, 'profileKey', s.profile_key, 'providerId', s.provider_id);
      end if;

      if p_operation is not null then
        insert into browser_operation (session_id, operation_id, type, effect, state, caller, session_fence,
            lock_fence, holder, tab_id, dispatched_at, postcondition)
          values (p_session, p_operation, p_type, p_effect, case when p_dispatch then 'dispatched' else 'reserved' end,
            p_caller, s.fence, lock_fence, p_holder, p_tab, case when p_dispatch then now() end,
            p_postcondition);
        insert into browser_event (session_id, type, data) values (p_session,
          case when p_dispatch then 'operation.dispatched' else 'operation.reserved' end,
          jsonb_build_object('operationId', p_operation, 'type', p_type, 'caller', p_caller));
        -- Every attempt to act kills what was seen before (S000-17), whatever becomes of it.
        if p_tab is not null then
          update browser_tab set document_token = null, document = null, generation = generation + 1 where id = p_tab;
        end if;
      end if;

      select * into p from browser_provider where id = s.provider_id;
      return jsonb_build_object(
        'lockFence', lock_fence,
        'session', jsonb_build_object('id', s.id, 'profileKey', s.profile_key, 'fence', s.fence,
          'allowlist', to_jsonb(s.allowlist), 'recoveryState', s.recovery_state, 'downloadPolicy', s.download_policy),
        'provider', jsonb_build_object('id', p.id, 'name', p.name, 'kind', p.kind, 'baseUrl', p.base_url,
          'secretRef', p.secret_ref, 'enabled', p.enabled, 'config', p.config),
        'tab', case when p_tab is null then null else jsonb_build_object('id', t.id, 'upstreamTabId', t.upstream_tab_id,
          'generation', t.generation, 'document', case when p_effect = 'interact' then t.document end) end
      );
    end $$`.execute(db);

  await sql`
    create function browser_operation_dispatch_2(
      p_session uuid, p_operation text, p_holder text, p_lock_fence bigint, p_lock_ms int, p_before boolean
    ) returns text language plpgsql as $$
    declare
      s browser_session;
      o browser_operation;
    begin
      select * into s from browser_session where id = p_session for no key update;
      update browser_profile_lock set expires_at = now() + p_lock_ms * interval '1 millisecond'
        where provider_id = s.provider_id and profile_key = s.profile_key
          and holder = p_holder and fence = p_lock_fence and expires_at > now();
      if not found then return 'fence_lost'; end if;
      select * into o from browser_operation where session_id = p_session and operation_id = p_operation;
      if s.fence <> o.session_fence then return 'fence_lost'; end if;
      update browser_operation set state = 'dispatched', dispatched_at = now(),
          evidence = case when p_before is null then null else jsonb_build_object('before', p_before) end
        where session_id = p_session and operation_id = p_operation and state = 'reserved';
      if not found then return 'outcome_unknown'; end if;
      insert into browser_event (session_id, type, data) values (p_session, 'operation.dispatched',
        jsonb_build_object('operationId', p_operation, 'type', o.type, 'caller', o.caller));
      return 'dispatched';
    end $$`.execute(db);

  await sql`
    create function browser_operation_settle_2(
      p_session uuid, p_tab uuid, p_operation text, p_effect text, p_holder text, p_lock_fence bigint,
      p_outcome text, p_error_code text, p_error_message text, p_result jsonb,
      p_change jsonb
    ) returns text language plpgsql as $$
    declare
      s browser_session;
      l browser_profile_lock;
      was_held boolean;
    begin
      if p_effect = 'observe' then perform set_config('synchronous_commit', 'off', true); end if;
      select * into s from browser_session where id = p_session for no key update;
      select * into l from browser_profile_lock
        where provider_id = s.provider_id and profile_key = s.profile_key for update;
      was_held := l.holder = p_holder and l.fence = p_lock_fence and l.expires_at > now();
      -- A late holder writes nothing: what it did is settled as unknown by whoever finds the operation.
      if was_held is not true then return 'fence_lost'; end if;

      update browser_profile_lock set holder = null, holder_note = null, expires_at = null, acquired_at = null, wanted_until = null
        where provider_id = s.provider_id and profile_key = s.profile_key;
      if l.wanted_until > now() then
        perform pg_notify('browser_profile_lock', s.provider_id || ' ' || s.profile_key);
      end if;
      -- What was seen after a person took control is nobody's to read: a password may stand on the screen.
      if p_effect = 'observe' and s.fence <> (p_change->>'sessionFence')::bigint then return 'control_changed'; end if;

      if p_operation is not null then
        update browser_operation set state = 'settled', outcome = p_outcome, error_code = p_error_code,
            error_message = p_error_message, result = p_result, settled_at = now()
          where session_id = p_session and operation_id = p_operation and outcome is null;
        if not found then return 'outcome_unknown'; end if;
        insert into browser_event (session_id, type, data) values (p_session, 'operation.settled',
          jsonb_build_object('operationId', p_operation, 'outcome', p_outcome, 'errorCode', p_error_code));
      end if;

      -- Closed meanwhile: the outcome is kept, and a closed session takes nothing else.
      if s.controller = 'closed' then return 'settled'; end if;

      -- A change of controller since admission wins: its fence moved, and a look from before it is void.
      update browser_session set
          last_activity_at = now(),
          current_url = coalesce(p_change->>'currentUrl', current_url),
          recovery_state = case
            when s.fence = (p_change->>'sessionFence')::bigint then coalesce(p_change->>'recoveryState', recovery_state)
            else recovery_state end
        where id = p_session;
      if p_tab is not null then
        update browser_tab set
            url = coalesce(p_change->>'tabUrl', url),
            title = coalesce(p_change->>'tabTitle', title),
            status = coalesce(p_change->>'tabStatus', status),
            closed_at = case when p_change->>'tabStatus' = 'closed' then now() else closed_at end,
            document_token = case
              when p_change ? 'documentToken' and s.fence = (p_change->>'sessionFence')::bigint
                and generation = (p_change->>'generation')::bigint
              then p_change->>'documentToken' else document_token end,
            document = case
              when p_change ? 'documentToken' and s.fence = (p_change->>'sessionFence')::bigint
                and generation = (p_change->>'generation')::bigint
              then p_change->'document' else document end,
            last_snapshot_at = case when p_change ? 'documentToken' then now() else last_snapshot_at end
          where id = p_tab;
      end if;
      if p_change ? 'newTab' then
        insert into browser_tab (id, session_id, upstream_tab_id, url)
          values ((p_change->'newTab'->>'id')::uuid, p_session, p_change->'newTab'->>'upstreamTabId', 'about:blank');
        insert into browser_event (session_id, type, data) values (p_session, 'tab.opened',
          jsonb_build_object('tabId', p_change->'newTab'->>'id'));
        -- The explicit way back after a loss: a tab of the start that the browser service is in now.
        update browser_session set
            boot_epoch = (select p.boot_epoch from browser_provider p where p.id = s.provider_id),
            recovery_state = case recovery_state when 'lost' then 'needs_look' else recovery_state end
          where id = p_session;
      end if;
      if p_change->>'tabStatus' in ('closed', 'lost') then
        insert into browser_event (session_id, type, data) values (p_session, 'tab.' || (p_change->>'tabStatus'),
          jsonb_build_object('tabId', p_tab));
      end if;
      if p_change ? 'closeReason' then
        update browser_session set controller = 'closed', waiting_reason = null, fence = fence + 1, closed_at = now(),
            close_reason = p_change->>'closeReason' where id = p_session;
        update browser_tab set status = 'closed', closed_at = now(), document_token = null, document = null
          where session_id = p_session and status = 'open';
        update browser_display_lease d set released_at = now() from browser_control_lease c
          where d.lease_id = c.id and c.session_id = p_session and d.released_at is null;
        update browser_control_lease set status = 'revoked', released_at = now(), release_reason = 'the session was closed'
          where session_id = p_session and status = 'active';
        insert into browser_event (session_id, type, data) values (p_session, 'session.closed',
          jsonb_build_object('reason', p_change->>'closeReason'));
        perform pg_notify('browser_control', p_session::text);
      end if;
      return 'settled';
    end $$`.execute(db);

  // Evidence may turn "unknown" into knowledge while nothing else can have caused what is seen: the lock is held, control
  // did not move, and no later operation reached the tab.
  await sql`
    create function browser_operation_resolve_1(
      p_session uuid, p_operation text, p_holder text, p_lock_fence bigint, p_outcome text, p_evidence jsonb
    ) returns text language plpgsql as $$
    declare
      s browser_session;
      o browser_operation;
    begin
      select * into s from browser_session where id = p_session for no key update;
      perform from browser_profile_lock where provider_id = s.provider_id and profile_key = s.profile_key
        and holder = p_holder and fence = p_lock_fence and expires_at > now() for update;
      if not found then return 'fence_lost'; end if;
      select * into o from browser_operation where session_id = p_session and operation_id = p_operation;
      if o.outcome is distinct from 'unknown' then return 'settled_before'; end if;
      if p_outcome is not null and (s.controller <> 'automation' or s.fence <> o.session_fence or exists (
          select from browser_operation later where later.session_id = p_session and later.tab_id = o.tab_id
            and later.lock_fence > o.lock_fence and later.dispatched_at is not null)) then
        return 'superseded';
      end if;
      update browser_operation set evidence = coalesce(evidence, '{}') || p_evidence, outcome = coalesce(p_outcome, outcome)
        where session_id = p_session and operation_id = p_operation;
      if p_outcome is null then return 'noted'; end if;
      if o.type = 'close_tab' and p_outcome = 'applied' then
        update browser_tab set status = 'closed', closed_at = now(), document_token = null, document = null
          where id = o.tab_id and status <> 'closed';
      end if;
      insert into browser_event (session_id, type, data) values (p_session, 'operation.resolved',
        jsonb_build_object('operationId', p_operation, 'outcome', p_outcome));
      return 'resolved';
    end $$`.execute(db);

  // One reconciler of a provider at a time, and what it saw the last time: a browser service never says that it was
  // started anew.
  await sql`
    create table browser_reconcile (
      provider_id     uuid primary key references browser_provider on delete cascade,
      holder          text,
      expires_at      timestamptz,
      browser_running boolean,
      active_sessions int,
      passed_at       timestamptz,
      constraint held_turn_has_an_end check ((holder is null) = (expires_at is null))
    )`.execute(db);

  await sql`
    create function browser_control_lease_keeps_its_rules() returns trigger language plpgsql as $$
    begin
      if old.status <> 'active' then
        raise exception 'an ended lease never changes' using errcode = 'restrict_violation', constraint = 'ended_lease_is_history';
      end if;
      if (new.session_id, new.holder_kind, new.holder, new.fence) is distinct from
         (old.session_id, old.holder_kind, old.holder, old.fence) then
        raise exception 'a lease is never passed on' using errcode = 'restrict_violation', constraint = 'lease_is_one_holders';
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger control_lease_keeps_its_rules before update on browser_control_lease
      for each row execute function browser_control_lease_keeps_its_rules()`.execute(db);
}
