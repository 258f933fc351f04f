import { type createProvider } from '@wheelhouse/adapters';
import {
  BrowserError,
  type BrowserProvider,
  type CallContext,
  type Capabilities,
  parseAllowlist,
  type ProviderHealth,
  type ProviderRecord,
} from '@wheelhouse/contracts';
import {
  addProvider,
  findProvider,
  listProviders,
  type NewProvider,
  type ProviderOfOperation,
  removeProvider,
  saveCapabilities,
  saveHealth,
} from '@wheelhouse/db';
import type { House } from './pipeline/house.ts';

/** What one look at a browser service found. */
export interface ProviderCheck {
  readonly provider: ProviderRecord;
  readonly health: ProviderHealth;
  readonly capabilities: Capabilities;
}

/** The configured browser services. */
export interface Providers {
  /** Adds one. Fails `invalid_request` when the name is taken. */
  add(provider: NewProvider): Promise<ProviderRecord>;
  list(): Promise<readonly ProviderRecord[]>;
  /** By name or id. Fails `provider_not_found`, which names those that exist. */
  get(nameOrId: string): Promise<ProviderRecord>;
  /** Forgets one. Fails `invalid_request` while sessions of it are kept. */
  remove(nameOrId: string): Promise<void>;
  /** Asks the service for health, version and capabilities, and stores what it says; `verified` is left as it was. */
  check(nameOrId: string): Promise<ProviderCheck>;
}

/** Longest wait for a health or capability answer, milliseconds. */
const probeTimeoutMs = 15_000;

/** The providers of a house. */
export function createProviders(house: House): Providers {
  const get = async (nameOrId: string) => {
    const found = await findProvider(house.db.kysely, nameOrId);
    if (found !== null) return found;
    const names = (await listProviders(house.db.kysely)).map(({ name }) => name);
    const known = names.length === 0 ? 'none is configured' : `there are: ${names.join(', ')}`;
    throw new BrowserError('provider_not_found', `there is no provider ${nameOrId}; ${known}`);
  };
  return {
    add: async (provider) => {
      const added = await addProvider(house.db.kysely, provider);
      if (added === null)
        throw new BrowserError('invalid_request', `a provider called ${provider.name} exists already`);
      return added;
    },
    list: () => listProviders(house.db.kysely),
    get,
    remove: async (nameOrId) => {
      const { id, name } = await get(nameOrId);
      if (!(await removeProvider(house.db.kysely, id))) {
        throw new BrowserError(
          'invalid_request',
          `${name} has sessions, and their history is kept; disable it instead`,
        );
      }
    },
    check: async (nameOrId) => {
      const provider = await get(nameOrId);
      const adapter = house.adapterOf({ ...provider, config: {} });
      const health = await adapter.health(probeContext(house));
      await saveHealth(house.db.kysely, provider.id, health.status);
      if (health.status === 'down') {
        const code = provider.kind === 'none' ? 'no_provider' : 'upstream_unreachable';
        throw new BrowserError(code, `${provider.name} is down: ${health.note ?? 'it does not answer'}`);
      }
      const capabilities = await adapter.capabilities(probeContext(house));
      await saveCapabilities(house.db.kysely, provider.id, capabilities);
      return { provider: await get(nameOrId), health, capabilities };
    },
  };
}

function probeContext(house: House): CallContext {
  return {
    signal: AbortSignal.timeout(probeTimeoutMs),
    deadline: new Date(Date.now() + probeTimeoutMs),
    allowlist: parseAllowlist([]),
    maxBytes: 4 * 1024 * 1024,
    resolveSecret: house.resolveSecret,
  };
}

/** Makes each adapter once for each configuration of a provider, since an adapter holds a connection pool. */
export function adapterCache(create: typeof createProvider, needs: Parameters<typeof createProvider>[1]) {
  const made = new Map<string, BrowserProvider>();
  return (provider: ProviderOfOperation): BrowserProvider => {
    if (!provider.enabled) throw new BrowserError('no_provider', `the provider ${provider.name} is switched off`);
    const key = JSON.stringify([provider.id, provider.kind, provider.baseUrl, provider.secretRef, provider.config]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const adapter = create(provider, needs);
    made.set(key, adapter);
    return adapter;
  };
}
