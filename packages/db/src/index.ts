export {
  checkServer,
  type Database,
  type DatabaseOptions,
  databaseFailure,
  oldestPostgres,
  openDatabase,
} from './database.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded.ts';
export { migrateToLatest, type Migrated, pendingMigrations } from './migrate.ts';
export { createListener, type Listener } from './notify.ts';
export {
  type Delivery,
  getArtifact,
  listArtifacts,
  type NewArtifact,
  storeArtifact,
  type StoredArtifact,
} from './repositories/artifacts.ts';
export {
  type CaptureWindow,
  claimBlob,
  doomBlob,
  endCapture,
  forgetBlob,
  getCapture,
  giveUpDownload,
  listDownloads,
  listOpenCaptures,
  moveArtifact,
  noteDownloads,
  retireArtifacts,
  type SeenDownload,
  storedBytes,
  type TrackedDownload,
} from './repositories/captures.ts';
export { controlChannel, type ControlState, needHuman, resumeAutomation } from './repositories/control.ts';
export { appendEvent, readAllEvents, readEvents } from './repositories/events.ts';
export {
  activeLease,
  expireLeases,
  extendLease,
  getLease,
  grantLease,
  handBackLease,
  remainingControl,
  revokeLease,
} from './repositories/leases.ts';
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
  ProviderOfOperation,
  type Refused,
  settleAbandoned,
  settleOperation,
  type Settlement,
  StoredDocument,
} from './repositories/operations.ts';
export {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryState,
  listDeliveries,
  markDelivered,
  markDeliveryFailed,
  replayDeliveries,
} from './repositories/outbox.ts';
export {
  type HeldProfileLock,
  profileLockChannel,
  type ProfileLockState,
  readLock,
  releaseLock,
  renewLock,
  takeLock,
} from './repositories/profile-locks.ts';
export {
  addProvider,
  beginBootEpoch,
  findProvider,
  listProviders,
  type NewProvider,
  removeProvider,
  saveCapabilities,
  saveHealth,
  setProviderEnabled,
} from './repositories/providers.ts';
export {
  adoptTab,
  endReconcileTurn,
  type KnownProfile,
  listKnownProfiles,
  loseSession,
  type ReconcileMemory,
  takeReconcileTurn,
} from './repositories/reconcile.ts';
export { closeSession, getSession, listOpenSessions, openSession, setRecoveryState } from './repositories/sessions.ts';
export { listOpenTabs, listTabs, loseTabs, type OpenTab } from './repositories/tabs.ts';
export { type Evidence, listUnknowns, resolveUnknown, type UnknownOperation } from './repositories/unknowns.ts';
export { createScratchDatabase, type ScratchDatabase } from './scratch.ts';
export type { DB } from './tables.ts';
