import type { Canary } from './canaries.ts';
import { encodedForms } from './encodings.ts';

/** A canary that was found where none may be. */
export interface Leak {
  readonly canary: string;
  readonly encoding: string;
  readonly sink: string;
  /** File, table and column, call. */
  readonly place: string;
}

/** Searches bytes for all canaries in all encodings at once; remembers what it found and how much it read. */
export interface Search {
  look(sink: string, place: string, content: string | Uint8Array): void;
  readonly leaks: readonly Leak[];
  /** Bytes that were read, by sink. */
  readonly searched: ReadonlyMap<string, number>;
}

interface Needle {
  readonly canary: string;
  readonly encoding: string;
  readonly bytes: Buffer;
}

/** Makes a search. Each leak is told once a canary, encoding, sink and place. */
export function createSearch(canaries: readonly Canary[]): Search {
  const byStart = new Map<number, Needle[]>();
  const starts = new Uint8Array(1 << 24);
  for (const { name, value } of canaries) {
    for (const { encoding, bytes } of encodedForms(value)) {
      const start = startAt(bytes, 0);
      starts[start] = 1;
      byStart.set(start, [...(byStart.get(start) ?? []), { canary: name, encoding, bytes }]);
    }
  }
  const leaks = new Map<string, Leak>();
  const searched = new Map<string, number>();
  return {
    look(sink, place, content) {
      const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
      searched.set(sink, (searched.get(sink) ?? 0) + bytes.length);
      for (let at = 0; at + 2 < bytes.length; at += 1) {
        const start = startAt(bytes, at);
        if (starts[start] !== 1) continue;
        for (const { canary, encoding, bytes: wanted } of byStart.get(start) ?? []) {
          if (!bytes.subarray(at, at + wanted.length).equals(wanted)) continue;
          leaks.set([canary, encoding, sink, place].join('\n'), { canary, encoding, sink, place });
        }
      }
    },
    get leaks() {
      return [...leaks.values()];
    },
    searched,
  };
}

function startAt(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}
