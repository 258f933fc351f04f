// Generated from the migrations by `npm run generate`. Do not edit.

import type { ColumnType } from 'kysely';

export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;

export type Int8 = ColumnType<number, bigint | number | string, bigint | number | string>;

export type Json = JsonValue;

export type JsonArray = JsonValue[];

export type JsonObject = {
  [x: string]: JsonValue | undefined;
};

export type JsonPrimitive = boolean | number | string | null;

export type JsonValue = JsonArray | JsonObject | JsonPrimitive;

export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface BrowserArtifact {
  blob_kind: string;
  blob_ref: string;
  captured_at: Generated<Timestamp>;
  filename: string;
  id: Generated<string>;
  info_hash_v1: string | null;
  info_hash_v2: string | null;
  mime_type: string;
  model_safe: Generated<boolean>;
  operation_id: string | null;
  purpose: string;
  removed_at: Timestamp | null;
  session_id: string;
  sha256: string;
  size_bytes: Int8;
  tab_id: string | null;
}

export interface BrowserBlob {
  claimed_until: Timestamp | null;
  doomed_at: Timestamp | null;
  ref: string;
}

export interface BrowserCapture {
  closes_at: Timestamp;
  ended_at: Timestamp | null;
  id: Generated<string>;
  known: string[];
  opened_at: Generated<Timestamp>;
  operation_id: string;
  session_id: string;
  state: Generated<string>;
  tab_id: string;
}

export interface BrowserControlLease {
  acquired_at: Generated<Timestamp>;
  expires_at: Timestamp;
  fence: Int8;
  holder: string;
  holder_kind: string;
  id: Generated<string>;
  reason: Generated<string>;
  release_reason: string | null;
  released_at: Timestamp | null;
  session_id: string;
  status: Generated<string>;
}

export interface BrowserDisplayLease {
  acquired_at: Generated<Timestamp>;
  display: string;
  id: Generated<string>;
  lease_id: string;
  provider_id: string;
  released_at: Timestamp | null;
}

export interface BrowserDownload {
  artifact_id: string | null;
  capture_id: string;
  error_code: string | null;
  filename: string;
  reason: string | null;
  seen_at: Generated<Timestamp>;
  settled_at: Timestamp | null;
  size_bytes: Int8 | null;
  state: Generated<string>;
  upstream_id: string;
  url: string;
}

export interface BrowserEvent {
  at: Generated<Timestamp>;
  data: Generated<Json>;
  id: Generated<Int8>;
  session_id: string;
  type: string;
  xact: Generated<string>;
}

export interface BrowserOperation {
  caller: string;
  dispatched_at: Timestamp | null;
  effect: string;
  error_code: string | null;
  error_message: string | null;
  evidence: Json | null;
  holder: string;
  lock_fence: Int8;
  operation_id: string;
  outcome: string | null;
  postcondition: Json | null;
  replays: Generated<number>;
  reserved_at: Generated<Timestamp>;
  result: Json | null;
  session_fence: Int8;
  session_id: string;
  settled_at: Timestamp | null;
  state: Generated<string>;
  tab_id: string | null;
  type: string;
}

export interface BrowserOutbox {
  artifact_id: string;
  attempts: Generated<number>;
  created_at: Generated<Timestamp>;
  delivered_at: Timestamp | null;
  id: Generated<Int8>;
  idempotency_key: string;
  last_error_code: string | null;
  next_attempt_at: Generated<Timestamp>;
  reason: string | null;
  sink: string;
  status: Generated<string>;
}

export interface BrowserProfileLock {
  acquired_at: Timestamp | null;
  expires_at: Timestamp | null;
  fence: Generated<Int8>;
  holder: string | null;
  holder_note: string | null;
  profile_key: string;
  provider_id: string;
  wanted_until: Timestamp | null;
}

export interface BrowserProvider {
  allowlist: Generated<string[]>;
  base_url: string | null;
  boot_epoch: Generated<Int8>;
  capabilities: Json | null;
  config: Generated<Json>;
  created_at: Generated<Timestamp>;
  enabled: Generated<boolean>;
  health_status: Generated<string>;
  id: Generated<string>;
  kind: string;
  last_health_at: Timestamp | null;
  name: string;
  secret_ref: string | null;
  verified_at: Timestamp | null;
}

export interface BrowserReconcile {
  active_sessions: number | null;
  browser_running: boolean | null;
  expires_at: Timestamp | null;
  holder: string | null;
  passed_at: Timestamp | null;
  provider_id: string;
}

export interface BrowserSession {
  account_id: string | null;
  allowlist: string[];
  boot_epoch: Generated<Int8>;
  close_reason: string | null;
  closed_at: Timestamp | null;
  controller: Generated<string>;
  created_at: Generated<Timestamp>;
  current_url: string | null;
  download_policy: Generated<string>;
  fence: Generated<Int8>;
  id: Generated<string>;
  last_activity_at: Generated<Timestamp>;
  profile_key: string;
  provider_id: string;
  recovery_state: Generated<string>;
  site_id: string | null;
  upstream_ref: string | null;
  waiting_reason: string | null;
}

export interface BrowserTab {
  closed_at: Timestamp | null;
  document: Json | null;
  document_token: string | null;
  generation: Generated<Int8>;
  id: Generated<string>;
  last_snapshot_at: Timestamp | null;
  opened_at: Generated<Timestamp>;
  session_id: string;
  status: Generated<string>;
  title: string | null;
  upstream_tab_id: string;
  url: string | null;
}

export interface DB {
  browser_artifact: BrowserArtifact;
  browser_blob: BrowserBlob;
  browser_capture: BrowserCapture;
  browser_control_lease: BrowserControlLease;
  browser_display_lease: BrowserDisplayLease;
  browser_download: BrowserDownload;
  browser_event: BrowserEvent;
  browser_operation: BrowserOperation;
  browser_outbox: BrowserOutbox;
  browser_profile_lock: BrowserProfileLock;
  browser_provider: BrowserProvider;
  browser_reconcile: BrowserReconcile;
  browser_session: BrowserSession;
  browser_tab: BrowserTab;
}
