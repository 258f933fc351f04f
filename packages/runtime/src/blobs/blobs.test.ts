import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BrowserError, SecretRef } from '@wheelhouse/contracts';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBlobStore } from './blob-store.ts';
import { createKeyring, ensureKeyFile } from './keyring.ts';
import { createLocalShelf } from './local-shelf.ts';
import { seal, unseal } from './seal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wheelhouse-blobs-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const keys: Record<string, string> = {
  'env:NEW': randomBytes(32).toString('base64'),
  'env:OLD': randomBytes(32).toString('hex'),
  'env:BAD': 'short',
};
const ring = (...names: [string, ...string[]]) => {
  const [first, ...rest] = names.map((name) => SecretRef.parse(name));
  return createKeyring([first ?? SecretRef.parse('env:NEW'), ...rest], async (ref) => keys[ref] ?? '');
};
const store = (...names: [string, ...string[]]) =>
  createBlobStore({
    shelf: createLocalShelf(join(folder, 'blobs')),
    keyring: ring(...names),
    staging: join(folder, 'in'),
  });

async function* chunks(...parts: readonly Uint8Array[]) {
  yield* parts;
}
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (BrowserError.is(error) ? error.code : String(error)),
  );
const filesBelow = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(path, name)).isFile());

describe('a sealed file', () => {
  const sizes = fc.oneof(fc.nat(300), fc.constantFrom(0, 65_535, 65_536, 65_537, 131_072, 200_000));

  test('comes back byte for byte, however it was cut', async () => {
    const key = await ring('env:NEW').current();
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 70_000 }), async (size, cut) => {
        const whole = randomBytes(size);
        const parts = Array.from({ length: Math.ceil(size / cut) }, (_, at) =>
          whole.subarray(at * cut, (at + 1) * cut),
        );
        const sealed = await buffer(seal(Readable.from(parts), key));
        const open = await buffer(unseal(chunks(sealed), ring('env:NEW')));
        expect(open.equals(whole)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('that was cut, changed or lengthened anywhere is not opened', async () => {
    const sealed = await buffer(seal(chunks(randomBytes(70_000)), await ring('env:NEW').current()));
    const broken = fc.oneof(
      fc.nat(sealed.length - 1).map((at) => sealed.subarray(0, at)),
      fc
        .nat(sealed.length - 1)
        .map((at) =>
          Buffer.concat([sealed.subarray(0, at), Buffer.from([(sealed[at] ?? 0) ^ 1]), sealed.subarray(at + 1)]),
        ),
      fc.constant(Buffer.concat([sealed, Buffer.from('x')])),
    );
    await fc.assert(
      fc.asyncProperty(broken, async (bytes) => {
        expect(await codeOf(buffer(unseal(chunks(bytes), ring('env:NEW'))))).toBe('blob_unreadable');
      }),
      { numRuns: 100 },
    );
  });

  test('does not show its content, and says which key it needs', async () => {
    const sealed = await buffer(
      seal(chunks(Buffer.from('announce?passkey=0123456789abcdef')), await ring('env:OLD').current()),
    );
    expect(sealed.includes('passkey')).toBe(false);
    expect(await codeOf(buffer(unseal(chunks(sealed), ring('env:NEW'))))).toBe('blob_unreadable');
    expect((await buffer(unseal(chunks(sealed), ring('env:NEW', 'env:OLD')))).toString()).toContain('passkey');
  });
});

describe('the blob store', () => {
  test('keeps a file by its content, once, with nothing readable on disk', async () => {
    const blobs = store('env:NEW');
    const file = Buffer.from('d8:announce35:https://t.example/0123456789abcdef/e');
    await using first = await blobs.stage(chunks(file.subarray(0, 9), file.subarray(9)), { maxBytes: 1000 });
    expect(first.sha256).toBe(createHash('sha256').update(file).digest('hex'));
    expect(Buffer.from(first.head).equals(file)).toBe(true);
    const ref = await first.keep('secret');
    await using second = await blobs.stage(chunks(file), { maxBytes: 1000 });
    expect(await second.keep('secret')).toEqual(ref);
    expect((await buffer(await blobs.open(ref))).equals(file)).toBe(true);
    const onDisk = filesBelow(join(folder, 'blobs'));
    expect(onDisk).toHaveLength(1);
    for (const name of filesBelow(folder)) expect(readFileSync(join(folder, name)).includes('announce')).toBe(false);
  });

  test('leaves nothing of a file that is too large or breaks off', async () => {
    const blobs = store('env:NEW');
    expect(await codeOf(blobs.stage(chunks(randomBytes(2000)), { maxBytes: 1999 }))).toBe('too_large');
    const broken = (async function* () {
      yield randomBytes(10);
      throw new BrowserError('answer_lost', 'the network is gone');
    })();
    expect(await codeOf(blobs.stage(broken, { maxBytes: 1999 }))).toBe('answer_lost');
    expect(filesBelow(folder)).toEqual([]);
  });

  test('a file that is gone is said to be gone', async () => {
    expect(await codeOf(store('env:NEW').open({ kind: 'secret', ref: 'secret/aa/bb/cc' }))).toBe('blob_missing');
  });

  test('after a rotation old files open with the old key, and new ones are sealed with the new one', async () => {
    await using old = await store('env:OLD').stage(chunks(Buffer.from('x')), { maxBytes: 10 });
    const ref = await old.keep('secret');
    const rotated = store('env:NEW', 'env:OLD');
    expect(await rotated.isCurrent(ref)).toBe(false);
    await using again = await rotated.stage(await rotated.open(ref), { maxBytes: 10 });
    const fresh = await again.keep('secret');
    expect(fresh.ref).not.toBe(ref.ref);
    expect(await rotated.isCurrent(fresh)).toBe(true);
    expect((await buffer(await store('env:NEW').open(fresh))).toString()).toBe('x');
  });

  test('a value that is no key is refused with what to write', async () => {
    expect(await codeOf(store('env:BAD').stage(chunks(), { maxBytes: 1 }))).toBe('invalid_config');
  });
});

test('a key file is made once, for its owner only', async () => {
  const path = join(folder, 'home', 'blob.key');
  await Promise.all([1, 2, 3, 4].map(() => ensureKeyFile(path)));
  const key = readFileSync(path, 'utf8');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await ensureKeyFile(path);
  expect(readFileSync(path, 'utf8')).toBe(key);
  expect(readdirSync(join(folder, 'home'))).toEqual(['blob.key']);
  writeFileSync(path, key);
});
