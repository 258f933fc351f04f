import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../packages/adapters/fixtures/redaction/', import.meta.url));

/** Text as the engine meets it (snapshots, and lines with and without secrets), repeated up to `chars` characters. */
export function redactionText(chars: number): string {
  const lines = ['redaction-corpus.jsonl', 'redaction-negatives.jsonl'].map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
  const snapshots = readdirSync(join(folder, 'snapshots'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(folder, 'snapshots', name), 'utf8'));
  const text = [...snapshots, ...lines].join('\n');
  return text.repeat(Math.ceil(chars / text.length)).slice(0, chars);
}

/** Shortest of several times, milliseconds: what the work takes when nothing else disturbs it. */
export function fastest(rounds: number, work: () => void): number {
  let best = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    work();
    best = Math.min(best, performance.now() - began);
  }
  return best;
}
