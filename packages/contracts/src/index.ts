export { AllowQuestion, answerAllowQuestion, type AllowAnswer } from './allow-question.ts';
export {
  AllowlistEntries,
  canonicalOrigin,
  decideCallerAddress,
  decideHref,
  decideLanding,
  parseAllowlist,
  type Allowlist,
  type Decision,
} from './allowlist.ts';
export { Artifact, BlobRef, Sha256, UpstreamDownload } from './artifact.ts';
export { NavigationBudget } from './budget.ts';
export { capabilitiesWith, Capabilities, Capability, CapabilityName, type CapabilityClaim } from './capabilities.ts';
export {
  BrowserError,
  BrowserErrorCode,
  BrowserErrorJson,
  BrowserErrorKind,
  errorCodes,
  underlying,
  type BrowserErrorFacts,
  type ErrorCodeFacts,
} from './errors.ts';
export { BrowserEvent, EventId, EventType } from './event.ts';
export { Fence, OperationId, ProfileKey, profileKeyOf, ProviderId, SessionId, TabId } from './ids.ts';
export { Instant } from './instant.ts';
export { contracts, contractSchemas } from './json-schema.ts';
export { ControlEvent, Controller, ControlLease, LeaseRequest, nextController, WaitingReason } from './lease.ts';
export {
  EffectClass,
  effectOf,
  Grant,
  Operation,
  OperationRecord,
  OperationState,
  type OperationInput,
  type OperationType,
} from './operation.ts';
export { Outcome } from './outcome.ts';
export { Postcondition } from './postcondition.ts';
export {
  ProviderKind,
  ProviderRecord,
  type ActContext,
  type BrowserProvider,
  type CallContext,
  type ElementTarget,
  type Look,
  type NavigateReceipt,
  type NotInterceptable,
  type PageTarget,
  type ProviderHealth,
  type Receipt,
  type ScreenshotImage,
  type SessionAddress,
  type SiteCookie,
  type SiteTarget,
  type TabAddress,
  type UpstreamTab,
} from './provider.ts';
export { SecretRef, TypeInput, type SecretResolver } from './secret.ts';
export { BrowserSession, DownloadPolicy, OpenSession, RecoveryState } from './session.ts';
export { DocumentToken, ElementRef, Snapshot, SnapshotElement } from './snapshot.ts';
export { BrowserTab, TabStatus } from './tab.ts';
