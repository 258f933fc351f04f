import { buffer } from 'node:stream/consumers';
import { redactionRules } from '@wheelhouse/adapters';
import { createCanaries } from './canaries.ts';
import { runCommands } from './command-line.ts';
import { encodings } from './encodings.ts';
import { ruleLines } from './rule-lines.ts';
import { createSearch, type Leak } from './search.ts';
import { lookEverywhere } from './sinks.ts';
import { addProviders, logEverything, runJobs, walkPages, walkScripted } from './walk.ts';
import { createWitness } from './witness.ts';
import { openWorld } from './world.ts';

/** What a run is asked. */
export interface CanaryOptions {
  readonly seed: string;
  readonly live: boolean;
  /** A redaction rule that is taken away, or `all` of them. */
  readonly broken: string | null;
  readonly say: (line: string) => void;
}

/** What a run found. */
export interface CanaryReport {
  readonly ok: boolean;
  readonly upstream: 'live' | 'mock';
  readonly broken: string | null;
  readonly canaries: number;
  readonly encodings: number;
  readonly sinks: number;
  /** Bytes. */
  readonly searched: number;
  readonly found: number;
  /** The captured file is in the blob store: its secret is read with the key, and is not there without. */
  readonly sealed: boolean;
  readonly calls: { readonly answered: number; readonly failed: number };
  /** Bytes. */
  readonly bySink: Readonly<Record<string, number>>;
  /** Leaks of each canary that has any. */
  readonly byCanary: Readonly<Record<string, number>>;
  /** The first hundred. */
  readonly leaks: readonly Leak[];
}

/** Plants a canary on every surface, uses the layer in every way, and searches all that is left for every canary. */
export async function runCanaries({ seed, live, broken, say }: CanaryOptions): Promise<CanaryReport> {
  const canaries = createCanaries(seed);
  const rules = ruleLines(seed);
  const without = broken === null ? [] : broken === 'all' ? redactionRules.map(({ id }) => id) : [broken];
  const search = createSearch([
    ...Object.entries(canaries).map(([name, value]) => ({ name, value })),
    ...rules.canaries,
  ]);
  say('starting Postgres, site and browser service ...');
  await using world = await openWorld({ canaries, live, without });
  const witness = createWitness(search, world);
  for (const value of rules.known) world.redactor.learn(value);
  await addProviders(world, witness);
  say('pages ...');
  await walkPages(world, witness, canaries);
  await walkScripted(world, witness, { canaries, rules });
  say('jobs ...');
  const file = await runJobs(world, witness);
  logEverything(world, canaries, rules);
  say('command line ...');
  await runCommands(world, search, { canaries, rules, without, file });
  const bytes = await buffer(await world.runtime.files.open(file));
  say('searching ...');
  await lookEverywhere(world, search);
  const { leaks, searched } = search;
  const sealed =
    bytes.includes(canaries['download body']) &&
    !leaks.some(({ sink, canary }) => sink === 'blob store' && canary === 'download body');
  return {
    ok: leaks.length === 0 && sealed,
    upstream: world.upstream.name,
    broken,
    canaries: Object.keys(canaries).length + rules.canaries.length,
    encodings: encodings.length,
    sinks: searched.size,
    searched: [...searched.values()].reduce((sum, size) => sum + size, 0),
    found: leaks.length,
    sealed,
    calls: witness.counts,
    bySink: Object.fromEntries(searched),
    byCanary: countsOf(leaks),
    leaks: leaks.slice(0, 100),
  };
}

function countsOf(leaks: readonly Leak[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { canary } of leaks) counts[canary] = (counts[canary] ?? 0) + 1;
  return counts;
}
