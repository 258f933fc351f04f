import { join } from 'node:path';
import { createProvider, createRedactor, createGuardedDispatcher, type Redactor } from '@wheelhouse/adapters';
import {
  BrowserError,
  type Grant,
  type OperationInput,
  type OperationType,
  SecretRef,
  type SecretResolver,
  type SessionId,
} from '@wheelhouse/contracts';
import {
  checkServer,
  controlChannel,
  createListener,
  type EmbeddedPostgres,
  migrateToLatest,
  type Migrated,
  openDatabase,
  profileLockChannel,
  startEmbeddedPostgres,
} from '@wheelhouse/db';
import { createBlobStore } from './blobs/blob-store.ts';
import { createKeyring, ensureKeyFile } from './blobs/keyring.ts';
import { createLocalShelf } from './blobs/local-shelf.ts';
import type { Shelf } from './blobs/shelf.ts';
import { capture, type CaptureFailpoint } from './capture/capture.ts';
import type { CaptureFilesOf } from './capture/captured.ts';
import { type Control, createControl } from './control.ts';
import { createFiles, type Files } from './files.ts';
import type { Sink } from './ingest/sink.ts';
import type { House, RuntimeLog } from './pipeline/house.ts';
import { operate, type OperateOptions } from './pipeline/operate.ts';
import { ProfileQueue } from './pipeline/queue.ts';
import type { OperationResult } from './pipeline/result.ts';
import { adapterCache, createProviders, type Providers } from './providers.ts';
import { reconcileProvider, type ReconcilePolicy, type ReconcileReport } from './reconcile.ts';
import { recover, type Recovered } from './recover.ts';
import { type Resolved, resolveUnknowns } from './resolve.ts';
import { createSecretResolver, type SecretSources } from './secrets.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { grab, type GrabReport, type GrabRequest } from './troubleshoot/grab.ts';
import { troubleshoot, type TroubleshootReport, type TroubleshootRequest } from './troubleshoot/job.ts';

/** What a runtime is made of. */
export interface RuntimeOptions {
  /** A Postgres of 15 or newer, or the folder of the embedded one. */
  readonly database: { readonly url: string } | { readonly embeddedIn: string };
  readonly secrets: SecretSources;
  readonly log: RuntimeLog;
  /** Shared with whatever else of the process writes, so that all of it knows the same secrets. Default: its own. */
  readonly redactor?: Redactor | undefined;
  /** Where captured files are kept and who gets them; without it nothing can be captured. */
  readonly files?: FilesOptions;
  /** Life of a profile lock without a heartbeat, milliseconds. Default 15 s. */
  readonly lockTtlMs?: number;
  /** Most connections to Postgres. Default 10. */
  readonly maxConnections?: number;
  /** Called once for each round trip to Postgres. For measuring. */
  readonly onStatement?: () => void;
}

/** Where captured files are kept, and who gets them. */
export interface FilesOptions {
  /** Folder for files that are still arriving, and for all of them where no other shelf is given. */
  readonly folder: string;
  /** Where finished ones stand. Default: `FOLDER/blobs`. */
  readonly shelf?: Shelf | undefined;
  /** Keys that they are sealed with, newest first. Default: `FOLDER/blob.key`, made when it is missing. */
  readonly keys?: readonly SecretRef[] | undefined;
  /** Who gets them; any number. */
  readonly sinks?: readonly Sink[] | undefined;
  /** Most bytes of all kept files. Default 50 GiB. */
  readonly quotaBytes?: number | undefined;
  /** How long a file stays after it arrived everywhere, milliseconds. Default 30 days. */
  readonly retentionMs?: number | undefined;
  /** Called at each place where a crash matters. Only the chaos harness sets it. */
  readonly failpoint?: ((at: CaptureFailpoint) => Promise<void> | void) | undefined;
  /** A fault planted by the chaos harness. */
  readonly rowBeforeBlob?: boolean | undefined;
}

/** The layer, ready for use. Holds nothing about a session that a restart would miss. */
export interface Runtime extends AsyncDisposable {
  readonly providers: Providers;
  readonly sessions: Sessions;
  /** The one way to act on a session; see `pipeline/operate.ts`. */
  operate<T extends OperationType>(
    sessionId: SessionId,
    input: Extract<OperationInput, { type: T }>,
    caller: { readonly grant: Grant } & OperateOptions,
  ): Promise<OperationResult<T>>;
  troubleshoot(request: TroubleshootRequest): Promise<TroubleshootReport>;
  /** Fetches the file of one entry of a site; see `troubleshoot/grab.ts`. */
  grab(request: GrabRequest): Promise<GrabReport>;
  /** Captured files; fails `invalid_config` where `files` was not given. */
  readonly files: Files;
  /** People at the wheel: asking for control, giving it back. */
  readonly control: Control;
  /** Settles operations whose process is gone; idempotent, from any process. See `recover.ts`. */
  recover(): Promise<Recovered>;
  /** Settles unknown outcomes that a look can prove, of one session or of all. See `resolve.ts`. */
  resolve(sessionId?: SessionId): Promise<readonly Resolved[]>;
  /** Brings rows and browser services together, one pass over all enabled providers. See `reconcile.ts`. */
  reconcile(policy?: Partial<ReconcilePolicy>): Promise<readonly ReconcileReport[]>;
  readonly database: { readonly migrated: Migrated; readonly version: string; readonly embedded: boolean };
  close(): Promise<void>;
}

const defaultLockTtlMs = 15_000;

/**
 * Opens the database (starting the embedded one where asked), migrates it, settles what dead processes left behind,
 * and hands out the layer.
 *
 * @throws BrowserError `database_unreachable`, `database_too_old`, `database_outdated`, `environment`; nothing is left
 *   running then
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const server: EmbeddedPostgres | null =
    'embeddedIn' in options.database ? await startEmbeddedPostgres(options.database.embeddedIn) : null;
  const url = server?.url ?? ('url' in options.database ? options.database.url : '');
  const db = openDatabase(url, { maxConnections: options.maxConnections, onStatement: options.onStatement });
  const listener = createListener(url, [profileLockChannel, controlChannel]);
  // Our own calls reach the configured services and nothing else.
  const services = new Set<string>();
  const dispatcher = createGuardedDispatcher({ services: () => services });
  const close = async () => {
    await listener[Symbol.asyncDispose]();
    await db.close();
    await dispatcher.close();
    await server?.leave();
  };
  try {
    const { version } = await checkServer(db.kysely);
    const migrated = await migrateToLatest(db.kysely);
    const redactor = options.redactor ?? createRedactor();
    const resolveSecret = createSecretResolver(options.secrets);
    const house: House & { queue: ProfileQueue; capture?: CaptureFilesOf } = {
      db,
      listener,
      redactor,
      log: options.log,
      adapterOf: adapterCache(
        (provider, needs) => {
          if (provider.baseUrl !== null) services.add(provider.baseUrl);
          return createProvider(provider, needs);
        },
        { resolveSecret, redactor, dispatcher },
      ),
      resolveSecret: async (ref) => {
        const value = await resolveSecret(ref);
        redactor.learn(value);
        return value;
      },
      lockTtlMs: options.lockTtlMs ?? defaultLockTtlMs,
      queue: new ProfileQueue(),
    };
    const kept = options.files === undefined ? null : await openFiles(options.files, resolveSecret);
    if (kept !== null) {
      house.capture =
        (sessionId) =>
        (provider, tab, { of, waitMs, maxBytes, expect, deliver }, context) =>
          capture(house, kept, { sessionId, of, waitMs, maxBytes, expect, deliver, provider, tab }, context);
    }
    await recover(house);
    const providers = createProviders(house);
    const sessions = createSessions(house);
    const run: Runtime['operate'] = (sessionId, input, caller) => operate(house, sessionId, input, caller);
    const files =
      kept === null
        ? null
        : createFiles({
            ...kept,
            house,
            sinks: kept.byName,
            operate: (id, input, by) => run(id, input, { grant: by }),
          });
    return {
      providers,
      sessions,
      get files() {
        if (files === null) throw new BrowserError('invalid_config', 'no folder for captured files is configured');
        return files;
      },
      operate: run,
      troubleshoot: (request) => troubleshoot({ house, providers, sessions, operate: run }, request),
      grab: (request) => grab({ house, providers, sessions, operate: run }, request),
      control: createControl(house),
      recover: () => recover(house),
      resolve: (sessionId) => resolveUnknowns(house, sessionId),
      reconcile: async (policy) => {
        const reports: ReconcileReport[] = [];
        for (const { id, kind, enabled } of await providers.list()) {
          if (enabled && kind !== 'none') reports.push(await reconcileProvider(house, id, policy));
        }
        return reports;
      },
      database: { migrated, version, embedded: server !== null },
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const defaultQuotaBytes = 50 * 1024 ** 3;
const defaultRetentionMs = 30 * 24 * 60 * 60 * 1000;

/** The blob store and what captures need, as options and defaults say. */
async function openFiles(options: FilesOptions, resolveSecret: SecretResolver) {
  const [first, ...older] = options.keys ?? [];
  const own = join(options.folder, 'blob.key');
  if (first === undefined) await ensureKeyFile(own);
  const keyring = createKeyring(
    first === undefined ? [SecretRef.parse(`file:${own}`)] : [first, ...older],
    resolveSecret,
  );
  const shelf = options.shelf ?? createLocalShelf(join(options.folder, 'blobs'));
  const sinks = options.sinks ?? [];
  return {
    blobs: createBlobStore({ shelf, keyring, staging: join(options.folder, 'arriving') }),
    byName: new Map(sinks.map((sink) => [sink.name, sink])),
    sinks: sinks.map(({ name }) => name),
    quotaBytes: options.quotaBytes ?? defaultQuotaBytes,
    retentionMs: options.retentionMs ?? defaultRetentionMs,
    failpoint: options.failpoint,
    rowBeforeBlob: options.rowBeforeBlob ?? false,
  };
}
