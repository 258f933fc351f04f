import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { AllowlistEntries, BrowserError, SecretRef } from '@wheelhouse/contracts';
import type { FilesOptions } from '@wheelhouse/runtime';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';

/** One site in the configuration: what a troubleshooting job needs besides the definition. */
export const SiteConfig = z.strictObject({
  /** Definition file, or an id in one of the definition folders. Default: the site's own name. */
  definition: z.string().optional(),
  /** Name of the provider that holds this account's browser profile. */
  provider: z.string().optional(),
  /** Which account, when there are several. */
  account: z.string().default('default'),
  /** Address of the site, when it is not the first link of the definition. */
  url: z.string().optional(),
  /** Where the job may go; default: the hosts of the definition's links. */
  allowlist: AllowlistEntries.optional(),
  /** Settings of the definition. Secret ones only by reference: `env:NAME`, `file:/path`, `credential:NAME`. */
  settings: z.record(z.string(), z.string()).default({}),
});
export type SiteConfig = z.infer<typeof SiteConfig>;

/** The configuration file. Every value has a default; a typo is an error. */
export const ConfigFile = z.strictObject({
  database: z
    .strictObject({
      /** `postgres://…` of a Postgres 15 or newer, or by reference `env:NAME`, `file:/path`. Default: an embedded Postgres in `home`. */
      url: z.string().optional(),
    })
    .default({}),
  /** Folder for the embedded database and for evidence. Default `~/.wheelhouse`. */
  home: z.string().optional(),
  /** Folders that are searched for definitions. */
  definitions: z.array(z.string()).default([]),
  /** Provider of sites that name none. */
  provider: z.string().optional(),
  sites: z.record(z.string(), SiteConfig).default({}),
  /** Captured files. */
  files: z
    .strictObject({
      /** Where they are kept. Default: `files` in `home`. */
      folder: z.string().optional(),
      /** Keys that they are sealed with, by reference, newest first. Default: a key file in the folder, made once. */
      keys: z.array(SecretRef).default([]),
      /** Most bytes of all of them. Default 50 GiB. */
      quotaBytes: z.int().min(1).optional(),
      /** Days that a file stays after it arrived everywhere. Default 30. */
      retentionDays: z.number().min(0).optional(),
    })
    .prefault({}),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** The configuration as the doors use it: file and environment joined, paths absolute. */
export interface Config {
  readonly database: { readonly url: string } | { readonly embeddedIn: string };
  readonly home: string;
  readonly definitions: readonly string[];
  readonly provider: string | undefined;
  readonly sites: Readonly<Record<string, SiteConfig>>;
  readonly files: FilesOptions;
  /** The file that was read, if any. */
  readonly file: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The environment variables that are read, and what for. `WHEELHOUSE_SITE_<ID>_<SETTING>` besides, for site accounts. */
export const environmentVariables = {
  DATABASE_URL: 'Postgres to use instead of the embedded one',
  WHEELHOUSE_CONFIG: 'configuration file (default: wheelhouse.yml here, if it is there)',
  WHEELHOUSE_HOME: 'folder for the embedded database and for evidence (default: ~/.wheelhouse)',
  CREDENTIALS_DIRECTORY: 'set by systemd; where `credential:NAME` is looked up',
} as const;

/**
 * Reads configuration from a file and the environment; the environment wins.
 *
 * @throws BrowserError `invalid_config` with file, line and what to write instead
 */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly file?: string | undefined; readonly directory: string },
): Config {
  const named = options.file ?? environment['WHEELHOUSE_CONFIG'];
  const path = named === undefined ? join(options.directory, 'wheelhouse.yml') : resolve(options.directory, named);
  const exists = existsSync(path);
  if (!exists && named !== undefined)
    throw new BrowserError('invalid_config', `the configuration file ${path} does not exist`);
  const read = exists ? readConfigFile(path) : ConfigFile.parse({});
  const from = exists ? dirname(path) : options.directory;
  const absolute = (to: string) => (isAbsolute(to) ? to : resolve(from, to));
  const home = resolve(
    environment['WHEELHOUSE_HOME'] ?? (read.home ? absolute(read.home) : join(homedir(), '.wheelhouse')),
  );
  const url = environment['DATABASE_URL'] ?? read.database.url;
  return {
    database: url === undefined ? { embeddedIn: join(home, 'postgres') } : { url },
    home,
    definitions: read.definitions.map(absolute),
    provider: read.provider,
    sites: Object.fromEntries(
      Object.entries(read.sites).map(([id, site]) => [
        id,
        { ...site, ...(site.definition?.match(/[/\\]|\.ya?ml$/) ? { definition: absolute(site.definition) } : {}) },
      ]),
    ),
    files: {
      folder: read.files.folder === undefined ? join(home, 'files') : absolute(read.files.folder),
      keys: read.files.keys,
      quotaBytes: read.files.quotaBytes,
      retentionMs: read.files.retentionDays === undefined ? undefined : read.files.retentionDays * 24 * 60 * 60 * 1000,
    },
    file: exists ? path : undefined,
    environment,
  };
}

function readConfigFile(path: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) {
    throw new BrowserError('invalid_config', `${path}:${lines.linePos(broken.pos[0]).line}: not YAML (${broken.code})`);
  }
  const read = ConfigFile.safeParse(document.toJS({ maxAliasCount: 50 }) ?? {});
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const node = issue === undefined ? undefined : document.getIn(issue.path as string[], true);
  const at = hasRange(node) ? `:${lines.linePos(node.range[0]).line}` : '';
  throw new BrowserError(
    'invalid_config',
    `${path}${at}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'malformed'}`,
  );
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

/** The environment variable that may hold a setting of a site: `WHEELHOUSE_SITE_<ID>_<SETTING>`, all else than letters and digits as `_`. */
export function siteVariable(siteId: string, setting: string): string {
  const word = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return `WHEELHOUSE_SITE_${word(siteId)}_${word(setting)}`;
}
