import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimit } from '@wheelhouse/adapters';
import { BrowserError, effectOf, type Grant, type Operation } from '@wheelhouse/contracts';
import {
  type Admitted,
  type BeginRequest,
  beginOperation,
  type Busy,
  controlChannel,
  profileLockChannel,
  type Refused,
} from '@wheelhouse/db';
import type { House } from './house.ts';

/** Operations that need the jobs' grant: page HTML and selectors of site definitions never reach an agent. */
const forJobsOnly: ReadonlySet<Operation['type']> = new Set(['page_html', 'site_fill', 'site_submit']);

/**
 * Refuses what the caller's grant does not include, before anything is read or written.
 *
 * @throws BrowserError `not_permitted`
 */
export function checkGrant(operation: Operation, grant: Grant): void {
  const effect = effectOf[operation.type];
  if (!grant.classes.includes(effect)) {
    throw new BrowserError('not_permitted', `${grant.caller} may not ${effect}: ${operation.type} is not in its grant`);
  }
  if (forJobsOnly.has(operation.type) && !grant.siteSelectors) {
    throw new BrowserError('not_permitted', `${operation.type} is for jobs that run site definitions`);
  }
}

/** Longest time between two looks at a lock that somebody else holds; NOTIFY wakes earlier. */
const longestNapMs = 2_000;

/**
 * Admits an operation and takes the profile lock, waiting for its present holder until the signal aborts.
 *
 * @throws BrowserError the reason of a refusal; `lock_timeout` with holder and since when, if the lock stayed held.
 *   Nothing was written then, and the operation id is still free.
 */
export async function admit(house: House, want: BeginRequest, signal: AbortSignal): Promise<Admitted> {
  for (let napMs = 20; ; napMs = Math.min(napMs * 2, longestNapMs)) {
    const begun = await beginOperation(house.db.kysely, want);
    if ('refused' in begun) throw refusal(begun, want);
    if (!('busy' in begun)) return begun;
    if (signal.aborted) throw heldTooLong(begun, want);
    await lockFreed(house, { ...begun, sessionId: want.sessionId }, napMs, signal);
    if (signal.aborted) throw heldTooLong(begun, want);
  }
}

/** Resolves when the holder let go, when its lease may have run out, when control changed hands, or after the nap. */
async function lockFreed(
  house: House,
  busy: Busy & { readonly sessionId: string },
  napMs: number,
  signal: AbortSignal,
): Promise<void> {
  const untilExpiryMs = busy.expiresAt === null ? napMs : Math.max(busy.expiresAt.getTime() - Date.now() + 5, 5);
  if (house.listener === null) {
    await sleep(Math.min(napMs, untilExpiryMs), undefined, { signal }).catch(() => undefined);
    return;
  }
  const woken = new AbortController();
  using limit = timeLimit(Math.min(longestNapMs, untilExpiryMs));
  const nap = AbortSignal.any([signal, woken.signal, limit.signal]);
  await Promise.race([
    house.listener.waitFor(profileLockChannel, `${busy.providerId} ${busy.profileKey}`, nap),
    house.listener.waitFor(controlChannel, busy.sessionId, nap),
  ]);
  woken.abort();
}

function heldTooLong(busy: Busy, want: BeginRequest): BrowserError {
  const since = busy.since === null ? '' : ` since ${busy.since.toISOString()}`;
  return new BrowserError(
    'lock_timeout',
    `the profile is busy with ${busy.holderNote ?? 'another operation'}${since}`,
    {
      operationId: want.operationId ?? undefined,
    },
  );
}

const sentences: Record<Refused['refused'], string> = {
  session_not_found: 'there is no such session',
  session_closed: 'the session is closed',
  human_in_control: 'a person controls this session',
  waiting_for_human: 'the session waits for a person',
  tab_not_found: 'the session has no such open tab',
  tab_lost: 'the browser service no longer has this tab',
  snapshot_required: 'what became of the last operation is not known',
  stale_snapshot: 'the page was acted on or replaced after this snapshot',
  operation_replayed: 'this operationId was used before',
};

function refusal(refused: Refused, want: BeginRequest): BrowserError {
  const operationId = want.operationId ?? undefined;
  if (refused.refused === 'human_in_control' && refused.controlHolder && refused.until) {
    const until = refused.until.toISOString();
    return new BrowserError('human_in_control', `${refused.controlHolder} controls this session until ${until}`, {
      operationId,
    });
  }
  if (refused.refused !== 'operation_replayed') {
    const reason = refused.waitingReason ? ` (${refused.waitingReason})` : '';
    return new BrowserError(refused.refused, `${sentences[refused.refused]}${reason}`, { operationId });
  }
  const stored = refused.outcome ?? 'still under way';
  return new BrowserError('operation_replayed', `${sentences.operation_replayed}; its outcome is: ${stored}`, {
    operationId,
    outcome: refused.outcome ?? undefined,
  });
}
