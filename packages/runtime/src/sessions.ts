import {
  BrowserError,
  type BrowserSession,
  type BrowserTab,
  type Grant,
  OpenSession,
  parseAllowlist,
  type SessionId,
} from '@wheelhouse/contracts';
import { findProvider, getSession, listOpenSessions, listOperations, listTabs, openSession } from '@wheelhouse/db';
import type { House } from './pipeline/house.ts';

/** Sessions: opening and looking at them. Closing is an operation like any other (`close_session`). */
export interface Sessions {
  /**
   * Opens a session, or finds the open one of this profile.
   *
   * Writes rows only: the upstream has no sessions, it makes a context when the first tab is opened (S004-46). Of many
   * callers at once one opens it and the others are given the same.
   */
  open(request: OpenSession, grant: Grant): Promise<{ readonly session: BrowserSession; readonly created: boolean }>;
  /** Fails `session_not_found`. */
  get(id: SessionId): Promise<BrowserSession>;
  list(): Promise<readonly BrowserSession[]>;
  tabs(id: SessionId): Promise<readonly BrowserTab[]>;
  /** The ledger, oldest first. */
  operations(id: SessionId): ReturnType<typeof listOperations>;
}

/** The sessions of a house. */
export function createSessions(house: House): Sessions {
  return {
    open: async (request, grant) => {
      if (!grant.classes.includes('manage')) {
        throw new BrowserError(
          'not_permitted',
          `${grant.caller} may not manage: opening a session is not in its grant`,
        );
      }
      const read = OpenSession.safeParse(request);
      if (!read.success) {
        const [issue] = read.error.issues;
        throw new BrowserError(
          'invalid_request',
          `the session is malformed: ${issue?.path.join('.')}: ${issue?.message}`,
        );
      }
      const want = read.data;
      const provider = await findProvider(house.db.kysely, want.providerId);
      if (provider === null) throw new BrowserError('provider_not_found', 'there is no such provider');
      if (provider.kind === 'none') {
        throw new BrowserError('no_provider', `the provider ${provider.name} is of kind none: it cannot open anything`);
      }
      if (!provider.enabled) throw new BrowserError('no_provider', `the provider ${provider.name} is switched off`);
      const allowlist = parseAllowlist(want.allowlist ?? provider.allowlist).entries;
      return openSession(house.db.kysely, { ...want, allowlist: [...allowlist], caller: grant.caller });
    },
    get: async (id) => {
      const session = await getSession(house.db.kysely, id);
      if (session === null) throw new BrowserError('session_not_found', 'there is no such session');
      return session;
    },
    list: () => listOpenSessions(house.db.kysely),
    tabs: (id) => listTabs(house.db.kysely, id),
    operations: (id) => listOperations(house.db.kysely, id),
  };
}
