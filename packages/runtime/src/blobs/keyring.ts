import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BrowserError, type SecretRef, type SecretResolver } from '@wheelhouse/contracts';

/** A key that files are sealed with. */
export interface SealingKey {
  /** Hex, 16 characters: the start of the key's SHA-256. Stands in refs and in front of sealed bytes. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** The keys of a blob store: new files are sealed with the first, old ones opened with any (rotation). */
export interface Keyring {
  current(): Promise<SealingKey>;
  /** @throws BrowserError `blob_unreadable` when no key has this id */
  find(id: string): Promise<SealingKey>;
}

/**
 * The keys that configuration names, by reference, newest first; each 32 bytes as base64 or hex.
 *
 * @throws BrowserError (when a key is asked for) `secret_not_found`, `invalid_config` for a value that is no key
 */
export function createKeyring(refs: readonly [SecretRef, ...SecretRef[]], resolveSecret: SecretResolver): Keyring {
  const load = async (ref: SecretRef) => sealingKey(await resolveSecret(ref), ref);
  return {
    current: () => load(refs[0]),
    find: async (id) => {
      for (const ref of refs) {
        const key = await load(ref);
        if (key.id === id) return key;
      }
      throw new BrowserError('blob_unreadable', `a file was sealed with the key ${id}, which is not configured`);
    },
  };
}

/**
 * Makes a key file for those who configured none: random, readable by its owner only. Of many processes at once one
 * makes it, and a file that is there is never written again.
 */
export async function ensureKeyFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  if (
    await readFile(path).then(
      () => true,
      () => false,
    )
  )
    return;
  await writeFile(own, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  // A link never overwrites: the first one wins.
  await link(own, path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await rm(own, { force: true });
}

function sealingKey(text: string, ref: SecretRef): SealingKey {
  const key = Buffer.from(text.trim(), /^[0-9a-f]{64}$/i.test(text.trim()) ? 'hex' : 'base64');
  if (key.length !== 32) {
    throw new BrowserError(
      'invalid_config',
      `${ref} is no key: write 32 random bytes as base64 (openssl rand -base64 32)`,
    );
  }
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 16), key };
}
