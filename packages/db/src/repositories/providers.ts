import type { Capabilities, ProviderKind, ProviderRecord, SecretRef, SessionId, TabId } from '@wheelhouse/contracts';
import { ProviderId, ProviderRecord as ProviderRecordSchema } from '@wheelhouse/contracts';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../tables.ts';

/** A provider as it is configured. */
export interface NewProvider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly baseUrl: string | null;
  readonly secretRef: SecretRef | null;
  readonly allowlist: readonly string[];
}

const columns = [
  'id',
  'name',
  'kind',
  'base_url as baseUrl',
  'secret_ref as secretRef',
  'enabled',
  'allowlist',
  'capabilities',
  'verified_at as verifiedAt',
  'health_status as healthStatus',
  'last_health_at as lastHealthAt',
] as const;

type Row = Omit<ProviderRecord, 'capabilities'> & { readonly capabilities: unknown };

/** Rows hold what this package wrote; instants are Dates already, so only the JSON needs reading. */
function recordOf(row: Row): ProviderRecord {
  return {
    ...row,
    capabilities: row.capabilities === null ? null : ProviderRecordSchema.shape.capabilities.parse(row.capabilities),
  };
}

/** Adds a provider, or resolves with `null` when the name is taken. One statement. */
export async function addProvider(db: Kysely<DB>, provider: NewProvider): Promise<ProviderRecord | null> {
  const row = await db
    .insertInto('browser_provider')
    .values({
      name: provider.name,
      kind: provider.kind,
      base_url: provider.baseUrl,
      secret_ref: provider.secretRef,
      allowlist: [...provider.allowlist],
    })
    .onConflict((conflict) => conflict.constraint('provider_name_is_unique').doNothing())
    .returning(columns)
    .$castTo<Row>()
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

/** All providers, by name. */
export async function listProviders(db: Kysely<DB>): Promise<readonly ProviderRecord[]> {
  const rows = await db.selectFrom('browser_provider').select(columns).$castTo<Row>().orderBy('name').execute();
  return rows.map((row) => recordOf(row));
}

/** The provider of this id or name, or `null`. */
export async function findProvider(db: Kysely<DB>, nameOrId: string): Promise<ProviderRecord | null> {
  const id = ProviderId.safeParse(nameOrId);
  const row = await db
    .selectFrom('browser_provider')
    .select(columns)
    .$castTo<Row>()
    .where(id.success ? 'id' : 'name', '=', nameOrId)
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

/** Forgets a provider that never had a session. Resolves with whether it did. One statement. */
export async function removeProvider(db: Kysely<DB>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('browser_provider')
    .where('id', '=', id)
    .where((where) =>
      where.not(where.exists(where.selectFrom('browser_session').select('id').where('provider_id', '=', id))),
    )
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Stores how a provider was found. One statement. */
export async function saveHealth(db: Kysely<DB>, id: string, status: 'ok' | 'degraded' | 'down'): Promise<void> {
  await db
    .updateTable('browser_provider')
    .set({ health_status: status, last_health_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/**
 * Stores what probing found. What was verified stays verified while version and engine are the same, and is dropped at
 * once when either changed (contract §10). One statement.
 */
export async function saveCapabilities(db: Kysely<DB>, id: string, found: Capabilities): Promise<void> {
  const json = JSON.stringify({ ...found, probedAt: found.probedAt?.toISOString() ?? null });
  await sql`
    update browser_provider set capabilities = (
      select jsonb_object_agg(key, case
          when jsonb_typeof(value) = 'object' and same.version
          then value || jsonb_build_object('verified',
            (value->>'supported')::boolean and coalesce((browser_provider.capabilities->key->>'verified')::boolean, false))
          else value end)
      from jsonb_each(${json}::jsonb),
        (select coalesce(browser_provider.capabilities->>'upstreamVersion' = ${found.upstreamVersion}
          and browser_provider.capabilities->>'engine' is not distinct from ${found.engine}, false) as version) as same)
    where id = ${id}`.execute(db);
}

/** Switches a provider on or off; off, it keeps its sessions and takes no operation. Resolves with whether it exists. */
export async function setProviderEnabled(db: Kysely<DB>, id: string, enabled: boolean): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('browser_provider')
    .set({ enabled })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Notes that the browser service of a provider was started anew: what its sessions had open is gone. Their tabs are
 * lost, the sessions too until somebody opens a tab. Resolves with those sessions. One statement.
 *
 * `seen` names the tabs that were known before the evidence was gathered; one opened since may live in the new start.
 * Without it all are lost.
 */
export async function beginBootEpoch(
  db: Kysely<DB>,
  providerId: string,
  seen?: readonly TabId[],
): Promise<readonly SessionId[]> {
  const doomed = seen === undefined ? sql`true` : sql`t.id = any(${[...seen]}::uuid[])`;
  const { rows } = await sql<{ id: SessionId }>`
    with epoch as (
      update browser_provider set boot_epoch = boot_epoch + 1 where id = ${providerId} returning id, boot_epoch
    ), lost as (
      update browser_session s set recovery_state = 'lost'
      from epoch where s.provider_id = epoch.id and s.closed_at is null
        and exists (select from browser_tab t where t.session_id = s.id and t.status = 'open' and ${doomed})
      returning s.id
    ), tabs as (
      update browser_tab t set status = 'lost', document_token = null, document = null, generation = generation + 1
      from lost where t.session_id = lost.id and t.status = 'open' and ${doomed} returning t.id, t.session_id
    ), told as (
      insert into browser_event (session_id, type, data)
      select session_id, 'tab.lost', jsonb_build_object('tabId', id) from tabs
      union all
      select lost.id, 'session.lost', jsonb_build_object('bootEpoch', epoch.boot_epoch) from lost, epoch
      returning id
    )
    select id from lost`.execute(db);
  return rows.map(({ id }) => id);
}
