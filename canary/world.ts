import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRedactor, type Redactor } from '@wheelhouse/adapters';
import { createScratchDatabase, type Database, openDatabase, startEmbeddedPostgres } from '@wheelhouse/db';
import { createRuntime, type Runtime } from '@wheelhouse/runtime';
import { createLogger } from '@wheelhouse/server';
import { type MockCamofox, startLiveCamofox, startMockCamofox } from '@wheelhouse/testkit';
import { statement } from '../chaos/statement.ts';
import type { Canaries } from './canaries.ts';
import { type CanarySite, startCanarySite } from './site.ts';

/** How a run is set up. */
export interface WorldOptions {
  readonly canaries: Canaries;
  /** The real browser service over a real browser; else the mock, which loads the same pages over HTTP. */
  readonly live: boolean;
  /** Redaction rules that are off. */
  readonly without: readonly string[];
}

/** Everything that a canary may pass through. */
export interface World extends AsyncDisposable {
  readonly folder: string;
  readonly site: CanarySite;
  readonly upstream: { readonly origin: string; readonly name: 'live' | 'mock' };
  /** Answers what it is told to: errors and pages that no browser gives. */
  readonly scripted: MockCamofox;
  readonly runtime: Runtime;
  readonly redactor: Redactor;
  readonly log: ReturnType<typeof createLogger>;
  readonly logFile: string;
  /** Address of the database, with a canary for its password. */
  readonly databaseUrl: string;
  /** For looking into the tables from outside. */
  readonly db: Database['kysely'];
  /** What the processes of the command line are given. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts Postgres, site, browser service and the layer. Nothing of it outlives the run. */
export async function openWorld({ canaries, live, without }: WorldOptions): Promise<World> {
  const root = fileURLToPath(new URL('../.wheelhouse/', import.meta.url));
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(join(root, 'canary-'));
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
  const close = async () => {
    for (const one of closers.toReversed()) await one();
  };
  try {
    const server = await startEmbeddedPostgres(join(folder, 'postgres'));
    closers.push(() => server.leave());
    const scratch = await createScratchDatabase(server.url);
    const database = openDatabase(scratch.url, { maxConnections: 2 });
    closers.push(() => database.close());
    const password = canaries['database address'];
    await statement(database.kysely, `create role keeper superuser login password '${password}'`);
    const address = new URL(scratch.url);
    address.username = 'keeper';
    address.password = encodeURIComponent(password);

    const site = await startCanarySite(canaries);
    closers.push(() => site[Symbol.asyncDispose]());
    const accessKey = canaries['provider key'];
    const scripted = await startMockCamofox({ accessKey, pages: 'http' });
    closers.push(() => scripted.stop());
    const browser = live ? await startLiveCamofox({ accessKey }) : scripted;
    if (live) closers.push(() => browser.stop());

    const environment = {
      CANARY_KEY: accessKey,
      WHEELHOUSE_SITE_FIXTURE_NEXUSPHP_USERNAME: site.username,
      WHEELHOUSE_SITE_FIXTURE_NEXUSPHP_PASSWORD: canaries.password,
      DATABASE_URL: address.href,
      WHEELHOUSE_HOME: join(folder, 'home'),
      WHEELHOUSE_DEBUG: '1',
    };
    const redactor = createRedactor({ without });
    const logFile = join(folder, 'app.log');
    const log = createLogger({
      redactor,
      level: 'trace',
      destination: { write: (line) => appendFileSync(logFile, line) },
    });
    const runtime = await createRuntime({
      database: { url: address.href },
      secrets: { environment },
      log,
      redactor,
      files: { folder: join(folder, 'home/files') },
    });
    closers.push(() => runtime.close());
    return {
      folder,
      site,
      upstream: { origin: browser.origin, name: live ? 'live' : 'mock' },
      scripted,
      runtime,
      redactor,
      log,
      logFile,
      databaseUrl: address.href,
      db: database.kysely,
      environment,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
