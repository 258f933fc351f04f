import type { Database } from '@wheelhouse/db';
import { statement } from '../statement.ts';

/** Planted fault: dispatch and settle no longer ask whether the lock is still held and control still the same. */
export async function plantNoFence(db: Database['kysely']): Promise<void> {
  const rows = await statement<{ text: string }>(
    db,
    "select pg_get_functiondef(oid) as text from pg_proc where proname ~ '^browser_operation_(dispatch|settle)_[0-9]+$'",
  );
  let planted = 0;
  for (const { text } of rows) {
    const blind = text
      .replace(/holder = p_holder and fence = p_lock_fence and expires_at > now\(\)/g, 'true')
      .replace(/if s\.fence <> o\.session_fence then return 'fence_lost'; end if;/g, '')
      .replace(/was_held := [^;]*;/g, 'was_held := true;');
    if (blind !== text) planted += 1;
    await statement(db, blind);
  }
  if (planted < 2) throw new Error('the steps of an operation look different: the fault could not be planted');
}
