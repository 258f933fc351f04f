export { checkServer, type Database, databaseFailure, oldestPostgres, openDatabase, runStatement } from './database.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded.ts';
export { migrateToLatest, type Migrated, pendingMigrations } from './migrate.ts';
export { createListener, type Listener } from './notify.ts';
export { readEvents } from './repositories/events.ts';
export {
  type Abandoned,
  type Admitted,
  beginOperation,
  type BeginRequest,
  type Begun,
  type Busy,
  dispatchOperation,
  type HeldOperation,
  listOperations,
  type OperationChange,
  type ProviderOfOperation,
  type Refused,
  settleAbandoned,
  settleOperation,
  type Settlement,
  StoredDocument,
} from './repositories/operations.ts';
export { type HeldProfileLock, renewLock } from './repositories/profile-locks.ts';
export {
  addProvider,
  findProvider,
  listProviders,
  type NewProvider,
  removeProvider,
  saveCapabilities,
  saveHealth,
} from './repositories/providers.ts';
export { getSession, listOpenSessions, openSession } from './repositories/sessions.ts';
export { listTabs } from './repositories/tabs.ts';
export { createScratchDatabase, type ScratchDatabase } from './scratch.ts';
export type { DB } from './tables.ts';
