import type { Capabilities, ProviderKind, ProviderRecord, SecretRef } from '@wheelhouse/contracts';
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

/** Rows hold what this package wrote; instants are Dates already, so only the JSON needs reading. */
function recordOf(row: Omit<ProviderRecord, 'capabilities'> & { readonly capabilities: unknown }): ProviderRecord {
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
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row as Parameters<typeof recordOf>[0]);
}

/** All providers, by name. */
export async function listProviders(db: Kysely<DB>): Promise<readonly ProviderRecord[]> {
  const rows = await db.selectFrom('browser_provider').select(columns).orderBy('name').execute();
  return rows.map((row) => recordOf(row as Parameters<typeof recordOf>[0]));
}

/** The provider of this id or name, or `null`. */
export async function findProvider(db: Kysely<DB>, nameOrId: string): Promise<ProviderRecord | null> {
  const id = ProviderId.safeParse(nameOrId);
  const row = await db
    .selectFrom('browser_provider')
    .select(columns)
    .where(id.success ? 'id' : 'name', '=', nameOrId)
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row as Parameters<typeof recordOf>[0]);
}

/** Forgets a provider that never had a session. Resolves with whether it did. One statement. */
export async function removeProvider(db: Kysely<DB>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('browser_provider')
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('browser_session').select('id').where('provider_id', '=', id))),
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
