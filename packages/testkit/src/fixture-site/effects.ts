/** One thing that really happened on the site. */
export interface Effect {
  /** Counts from 1 since the start or the last `reset()`. */
  readonly sequence: number;
  readonly kind: 'login' | 'download' | 'press' | 'challenge' | 'logout';
  /** What it happened to: a torrent id, the id of a button, a user name. */
  readonly id: string;
  readonly at: Date;
}

/** What the site really received and did, whatever any client believes. Counted on arrival, before any delay. */
export interface Effects {
  readonly loginPosts: number;
  readonly loginsSucceeded: number;
  readonly loginsFailed: number;
  readonly captchasFailed: number;
  readonly otpPosts: number;
  readonly otpFailed: number;
  readonly challengesPassed: number;
  readonly logouts: number;
  /** Served `.torrent` files by torrent id. */
  readonly downloads: Readonly<Record<string, number>>;
  /** Presses by button id: every request to `/act/ID`, and `thanks:TORRENT` of the details pages. */
  readonly presses: Readonly<Record<string, number>>;
  /** GET requests by path, whatever they were answered with. */
  readonly pageHits: Readonly<Record<string, number>>;
  /** The last 1,000 effects in the order of their arrival, oldest first. */
  readonly log: readonly Effect[];
}

type Counter = { [Name in keyof Effects]: Effects[Name] extends number ? Name : never }[keyof Effects];
type Tally = {
  [Name in keyof Effects]: Effects[Name] extends Readonly<Record<string, number>> ? Name : never;
}[keyof Effects];

const longestLog = 1_000;

/** Where the pages of a site write down what happened. */
export interface EffectRecorder {
  count: (counter: Counter) => void;
  /** Counts one more and returns how many there are now. */
  tally: (tally: Tally, id: string) => number;
  record: (kind: Effect['kind'], id: string) => void;
  /** How often an id was tallied. */
  tallied: (tally: Tally, id: string) => number;
  /** A copy that later effects do not change. */
  read: () => Effects;
  reset: () => void;
}

/** Counters at zero. */
export function createEffectRecorder(): EffectRecorder {
  let counters = noCounts();
  let tallies = noTallies();
  let log: Effect[] = [];
  let sequence = 0;
  return {
    count(counter) {
      counters[counter] += 1;
    },
    tally(tally, id) {
      const count = (tallies[tally].get(id) ?? 0) + 1;
      tallies[tally].set(id, count);
      return count;
    },
    record(kind, id) {
      sequence += 1;
      log.push({ sequence, kind, id, at: new Date() });
      if (log.length > longestLog) log.shift();
    },
    tallied: (tally, id) => tallies[tally].get(id) ?? 0,
    read: () => ({
      ...counters,
      downloads: Object.fromEntries(tallies.downloads),
      presses: Object.fromEntries(tallies.presses),
      pageHits: Object.fromEntries(tallies.pageHits),
      log: [...log],
    }),
    reset() {
      counters = noCounts();
      tallies = noTallies();
      log = [];
      sequence = 0;
    },
  };
}

function noCounts(): Record<Counter, number> {
  return {
    loginPosts: 0,
    loginsSucceeded: 0,
    loginsFailed: 0,
    captchasFailed: 0,
    otpPosts: 0,
    otpFailed: 0,
    challengesPassed: 0,
    logouts: 0,
  };
}

/** Maps, because ids come from addresses: `/act/constructor` is a name like any other. */
function noTallies(): Record<Tally, Map<string, number>> {
  return { downloads: new Map(), presses: new Map(), pageHits: new Map() };
}
