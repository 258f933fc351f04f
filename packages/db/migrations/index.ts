import * as session from './0001_session.ts';
import * as controlLease from './0002_control_lease.ts';
import * as profileLock from './0003_profile_lock.ts';
import * as operationLedger from './0004_operation_ledger.ts';
import * as operationSteps from './0005_operation_steps.ts';
import * as artifact from './0006_artifact.ts';
import * as controlAndEvidence from './0007_control_and_evidence.ts';
import * as capture from './0008_capture.ts';
import * as profileLockSteps from './0009_profile_lock_steps.ts';

/** Every migration by name, in order. Forward only: a wrong one is corrected by the next. */
export const migrations = {
  '0001_session': session,
  '0002_control_lease': controlLease,
  '0003_profile_lock': profileLock,
  '0004_operation_ledger': operationLedger,
  '0005_operation_steps': operationSteps,
  '0006_artifact': artifact,
  '0007_control_and_evidence': controlAndEvidence,
  '0008_capture': capture,
  '0009_profile_lock_steps': profileLockSteps,
} as const;
