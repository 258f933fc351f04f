import { z } from 'zod';
import { Artifact, UpstreamDownload } from './artifact.ts';
import { NavigationBudget } from './budget.ts';
import { Capabilities } from './capabilities.ts';
import { BrowserErrorJson } from './errors.ts';
import { BrowserEvent } from './event.ts';
import { ControlLease, LeaseRequest } from './lease.ts';
import { Grant, Operation, OperationRecord } from './operation.ts';
import { Postcondition } from './postcondition.ts';
import { ProviderRecord } from './provider.ts';
import { BrowserSession, OpenSession } from './session.ts';
import { Snapshot } from './snapshot.ts';
import { BrowserTab } from './tab.ts';

/** Every contract that crosses a process border, by name. Closed by a test against the exports of this package. */
export const contracts = {
  Artifact,
  BrowserError: BrowserErrorJson,
  BrowserEvent,
  BrowserSession,
  BrowserTab,
  Capabilities,
  ControlLease,
  Grant,
  LeaseRequest,
  NavigationBudget,
  OpenSession,
  Operation,
  OperationRecord,
  Postcondition,
  ProviderRecord,
  Snapshot,
  UpstreamDownload,
} as const satisfies Record<string, z.ZodType>;

/**
 * JSON Schema (draft 2020-12) of every contract as it looks on the wire: instants are ISO strings.
 * Cross-field rules that JSON Schema cannot say (allowlist grammar) are checked by `parse` only.
 */
export function contractSchemas(): Record<keyof typeof contracts, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(contracts).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>,
    ]),
  ) as Record<keyof typeof contracts, Record<string, unknown>>;
}
