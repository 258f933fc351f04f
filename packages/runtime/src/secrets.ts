import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BrowserError, type SecretRef, type SecretResolver } from '@wheelhouse/contracts';

/** Where secrets may come from. */
export interface SecretSources {
  /** For `env:NAME`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For `credential:NAME`: the folder that systemd names in `CREDENTIALS_DIRECTORY`. */
  readonly credentialsDirectory?: string | undefined;
}

/** Largest secret that is read from a file, bytes. */
const maxFileBytes = 64 * 1024;

/**
 * Resolves secret references when they are used and keeps nothing.
 *
 * A file must belong to nobody but its owner (no group or world bits, as ssh asks for its keys); a trailing line break
 * is not part of the secret. Empty values count as missing.
 *
 * @throws BrowserError `secret_not_found` naming the reference, never a value
 */
export function createSecretResolver(sources: SecretSources): SecretResolver {
  return async (ref: SecretRef) => {
    const at = ref.indexOf(':');
    const place = ref.slice(at + 1);
    switch (ref.slice(0, at)) {
      case 'env':
        return found(ref, sources.environment[place], `the environment variable ${place} is not set`);
      case 'file':
        return found(ref, await readSecretFile(place, ref), `the file ${place} is empty`);
      case 'credential': {
        const { credentialsDirectory } = sources;
        if (credentialsDirectory === undefined)
          throw missing(ref, 'CREDENTIALS_DIRECTORY is not set, so this is no systemd service');
        return found(
          ref,
          await readSecretFile(join(credentialsDirectory, place), ref),
          `the credential ${place} is empty`,
        );
      }
      default:
        throw missing(ref, 'values of a site account are known only to the job of that site');
    }
  };
}

async function readSecretFile(path: string, ref: SecretRef): Promise<string> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw missing(ref, `the file ${path} cannot be read`, cause);
  });
  try {
    const { mode, size } = await file.stat();
    if ((mode & 0o077) !== 0) throw missing(ref, `the file ${path} is open to others; run: chmod 600 ${path}`);
    if (size > maxFileBytes) throw missing(ref, `the file ${path} is larger than ${maxFileBytes} bytes`);
    return (await file.readFile('utf8')).replace(/\r?\n$/, '');
  } finally {
    await file.close();
  }
}

function found(ref: SecretRef, value: string | undefined, otherwise: string): string {
  if (value === undefined || value === '') throw missing(ref, otherwise);
  return value;
}

function missing(ref: SecretRef, why: string, cause?: unknown): BrowserError {
  return new BrowserError('secret_not_found', `${ref}: ${why}`, { cause });
}
