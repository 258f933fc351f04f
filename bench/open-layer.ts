import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Grant,
  OperationId,
  profileKeyOf,
  type ProviderId,
  SecretRef,
  type SessionId,
  type TabId,
} from '@wheelhouse/contracts';
import { createRuntime, type Runtime } from '@wheelhouse/runtime';

/** May do everything. */
export const grant: Grant = {
  caller: 'bench',
  classes: ['observe', 'navigate', 'interact', 'manage'],
  siteSelectors: true,
};

/** A layer over a Postgres, with a counter of its round trips. */
export interface Layer {
  readonly runtime: Runtime;
  readonly counter: { statements: number };
  /** For whatever a measurement writes; gone after `close`. */
  readonly folder: string;
  readonly close: () => Promise<void>;
}

/** Opens the layer over an embedded database of its own, or over the one at `url`. */
export async function openLayer(environment: Readonly<Record<string, string>>, url?: string): Promise<Layer> {
  const folder = mkdtempSync(join(tmpdir(), 'wheelhouse-bench-'));
  const counter = { statements: 0 };
  const runtime = await createRuntime({
    database: url === undefined ? { embeddedIn: join(folder, 'postgres') } : { url },
    secrets: { environment },
    log: { info: () => undefined, warn: () => undefined },
    onStatement: () => {
      counter.statements += 1;
    },
  });
  const close = async () => {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { runtime, counter, folder, close };
}

/** Names a browser service to the layer; its key is the one that `env:BENCH_KEY` stands for. */
export async function addService(runtime: Runtime, baseUrl: string, name: string): Promise<ProviderId> {
  const provider = await runtime.providers.add({
    name,
    kind: 'camofox',
    baseUrl,
    secretRef: SecretRef.parse('env:BENCH_KEY'),
    allowlist: ['127.0.0.1'],
  });
  return provider.id;
}

/** A tab in a session of its own. */
export async function openSessionTab(runtime: Runtime, providerId: ProviderId, name: string) {
  const open = { providerId, operationId: OperationId.parse('open'), downloadPolicy: 'block' } as const;
  const { session } = await runtime.sessions.open({ ...open, profileKey: profileKeyOf('bench', name) }, grant);
  const { value } = await runtime.operate<'open_tab'>(session.id, { type: 'open_tab', operationId: 'tab' }, { grant });
  return { session, tabId: value.tabId };
}

/** A tab in a session of its own, of a service that is named for it. */
export async function openTab(runtime: Runtime, baseUrl: string, name: string) {
  return openSessionTab(runtime, await addService(runtime, baseUrl, name), name);
}

/** Leads a tab to an address. */
export async function load(
  runtime: Runtime,
  at: { sessionId: SessionId; tabId: TabId; url: string; operationId: string },
): Promise<void> {
  const { sessionId, tabId, url, operationId } = at;
  await runtime.operate<'navigate'>(sessionId, { type: 'navigate', tabId, url, operationId }, { grant });
}
