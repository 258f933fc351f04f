import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The only files that may let bytes out of the process, and what makes each safe. A file that is missing here fails the
 * test below: give it a redactor, and only then a line.
 */
const sinks: Readonly<Record<string, string>> = {
  'server/src/cli/output.ts': 'terminal: texts and JSON pass the redactor of the run',
  'server/src/cli/jsonl.ts':
    'answers of `redact` and `allow`, which are the redacted texts themselves, and the decisions',
  'server/src/cli/redact.ts': 'the redacted stream itself',
  'server/src/cli/support-bundle.ts': 'the bundle, redacted as a whole',
  'server/src/telemetry.ts': 'the logger: every line passes the redactor',
  'runtime/src/troubleshoot/evidence.ts': 'evidence: snapshot and JSON pass the redactor of the house',
  'runtime/src/files.ts': 'export of a captured file, for its owner only, because a person asked',
  'runtime/src/blobs/blob-store.ts': 'captured files, sealed',
  'runtime/src/blobs/keyring.ts': 'the key of a blob store, for its owner only',
  'db/src/embedded/cluster.ts': "the embedded server's own password and settings, for its owner only",
  'db/src/embedded/server.ts': "the embedded server's own log, of statements without their values",
  'db/src/embedded/postmaster.ts': 'a pid file',
  'db/src/embedded/users.ts': 'pids of those who use the embedded server',
};

const raw =
  /\bconsole\.|\bprocess\.(?:stdout|stderr)\b|\b(?:writeFile|appendFile|writev?|open)Sync\(|\b(?:writeFile|appendFile|createWriteStream)\(|\bpino\b[(.]|\bdiagnostics_channel\b|\bprocess\.(?:title|emitWarning)\b/;

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* sources(path);
    else if (path.endsWith('.ts') && !path.endsWith('.test.ts')) yield path;
  }
}

const rooms = ['contracts', 'adapters', 'db', 'runtime', 'server'];
const found = rooms
  .flatMap((room) => [...sources(`packages/${room}/src`)])
  .filter((path) => raw.test(code(readFileSync(join(root, path), 'utf8'))))
  .map((path) => path.replace('packages/', ''));

/** Without comments, which may speak of such calls. */
function code(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

test('no file besides the named ones can print, log or write what was not redacted', () => {
  expect(found.filter((path) => !(path in sinks))).toEqual([]);
});

test('every named sink is one, so that the list does not outlive its reasons', () => {
  expect(Object.keys(sinks).filter((path) => !found.includes(path))).toEqual([]);
});
