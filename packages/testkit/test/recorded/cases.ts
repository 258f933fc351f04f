import { setTimeout as sleep } from 'node:timers/promises';
import type { MockCamofox, MockCamofoxOptions } from '../../src/mock-camofox/index.ts';
import type { RecordedSite } from './site.ts';

/** What a step between two calls may touch. */
export interface Stage {
  readonly mock: MockCamofox;
  readonly site: RecordedSite;
}

/** One recording: how its server was set, and which of its calls are not replayed or not compared by value. */
export interface RecordingCase {
  readonly engine: 'firefox' | 'chromium';
  readonly name: string;
  /** Only calls whose note begins so; the server was set anew for each part. */
  readonly part?: string;
  readonly options?: MockCamofoxOptions;
  /** Reason to calls, by their position in the recording. */
  readonly exclude?: Readonly<Partial<Record<keyof typeof reasons, readonly number[]>>>;
  /** Calls that are compared by status, code and shape only. */
  readonly valuesDiffer?: Readonly<Partial<Record<keyof typeof differences, readonly number[]>>>;
  /** Calls that ran at the same time, in the order in which they were sent. */
  readonly together?: readonly (readonly number[])[];
  /** Looks that are repeated, for 5 s at most, until the page has come or the file has arrived. */
  readonly eventually?: readonly number[];
  /** What happened before a call. */
  readonly before?: Readonly<Record<number, (stage: Stage) => void | Promise<void>>>;
}

/** Why a recorded call is not replayed. Nothing else is a reason. */
export const reasons = {
  'no such route':
    'upload, fetch-current-resource, pressure cleanup, transcripts, metrics and bytes of images are not imitated',
  'blocks the page': 'a script that never ends or keeps the page busy; the model has busyMs for it',
  'page behaviour': 'needs beforeunload, blobs or drawing of a real browser; the model has its own means',
  'engine defect': 'the recorded browser hung or failed by a defect of its own; the mock does what was meant',
  race: 'the recorded answer depends on which of two things came first',
  'another address': 'an address of the recording machine that means nothing here',
} as const;

/** Why a value differs although the answer is of the same kind. */
export const differences = {
  'words of the engine':
    'network errors, error pages, script errors and names of files are told in each engine’s own words',
  'locator hints': 'Playwright adds how else an element could be found',
  timing: 'something arrives earlier here than there',
  'not imitated': 'a part of the answer that the mock leaves out or simplifies',
  'calls left out': 'counts calls that are not replayed',
} as const;

const dark = (ms: number) => async () => sleep(ms);
const kill = ({ mock }: Stage) => mock.killBrowser();
const killSoon = ({ mock }: Stage) => void setTimeout(() => mock.killBrowser(), 100);
const restart = ({ mock }: Stage) => mock.restartBrowser();
const pass = (ms: number) => (stage: Stage) => stage.mock.advance(ms);
const forget = ({ site }: Stage) => site.forget();

const navigating = { handlerTimeoutMs: 8000, navigateTimeoutMs: 4000, timeScale: 0.25 } as const;
const crashes = { 3: killSoon, 16: kill, 23: kill, 26: kill, 31: killSoon, 33: kill, 37: kill } as const;

/** All recordings. Not in the fixtures: tracing and VNC, which the mock has none of, and what Chromium answered alike. */
export const recordings: readonly RecordingCase[] = [
  {
    engine: 'firefox',
    name: '01-system',
    options: { adminKey: 'adm-test', browserStarted: false },
    valuesDiffer: { 'not imitated': [7], 'words of the engine': [12] },
  },
  ...authParts(),
  { engine: 'firefox', name: '03-tabs', valuesDiffer: { 'words of the engine': [19, 21, 38] } },
  {
    engine: 'firefox',
    name: '04-navigate',
    options: navigating,
    exclude: { 'no such route': [48], 'engine defect': [58, 59, 60] },
    valuesDiffer: { 'words of the engine': [21, 24], timing: [40], 'not imitated': [47] },
    eventually: [36, 38],
  },
  { engine: 'firefox', name: '05-snapshot', valuesDiffer: { 'not imitated': [18] } },
  { engine: 'firefox', name: '06-refs', before: { 44: dark(300) } },
  {
    engine: 'firefox',
    name: '07-click',
    options: { handlerTimeoutMs: 12_000 },
    exclude: { 'blocks the page': [23, 27, 31] },
    valuesDiffer: { 'locator hints': [8], 'words of the engine': [48, 49], 'calls left out': [44] },
  },
  {
    engine: 'firefox',
    name: '08-input',
    exclude: { 'engine defect': [74, 75] },
    valuesDiffer: { 'not imitated': [44] },
    eventually: [20, 25],
  },
  {
    engine: 'firefox',
    name: '09-content',
    options: { handlerTimeoutMs: 6000 },
    exclude: { 'blocks the page': [49, 50], 'no such route': [7, 8], race: [33, 34] },
    valuesDiffer: { 'words of the engine': [22, 27, 28, 31, 40], 'not imitated': [6] },
  },
  {
    engine: 'firefox',
    name: '10-downloads',
    exclude: { 'no such route': [58, 61] },
    valuesDiffer: {
      'words of the engine': [46, 54],
      'not imitated': [57, 59],
      'locator hints': [62],
      timing: [34, 37, 40],
      'calls left out': [42],
    },
    eventually: [5, 15, 22, 25, 27, 31, 34, 41],
    before: { 34: dark(400) },
  },
  {
    engine: 'firefox',
    name: '11-double-effects',
    together: [[61, 63, 64, 62, 60]],
    valuesDiffer: { timing: [60] },
    eventually: [30, 45],
  },
  {
    engine: 'firefox',
    name: '12-concurrency',
    options: { handlerTimeoutMs: 6000 },
    together: [
      [6, 5, 3, 4, 2, 1],
      [10, 9, 8],
      [13, 12],
      [18, 19],
      [27, 28, 29, 30, 31],
    ],
    exclude: { race: [15, 16] },
  },
  {
    engine: 'firefox',
    name: '13-limits',
    options: { maxTabsPerSession: 3, maxSessions: 2, maxTabsGlobal: 5 },
    exclude: { 'no such route': [21, 22, 23] },
    valuesDiffer: { 'calls left out': [24] },
  },
  { engine: 'firefox', name: '14-failure-threshold', options: { navigateTimeoutMs: 2500 } },
  { engine: 'firefox', name: '15-crash', before: crashes },
  {
    engine: 'firefox',
    name: '16-expiry',
    options: { sessionTimeoutMs: 6000, browserIdleTimeoutMs: 4000, tabInactivityMs: 4000 },
    eventually: [2],
    before: { 3: pass(6001), 6: pass(4001), 15: pass(6001), 17: pass(4001), 18: pass(6001) },
  },
  { engine: 'firefox', name: '17-persistence', before: { 12: restart, 17: kill, 21: kill } },
  {
    engine: 'firefox',
    name: '19-popups-dialogs',
    exclude: { 'page behaviour': [19, 20, 21, 22, 23, 24, 25, 26, 27] },
  },
  {
    engine: 'firefox',
    name: '20-act-upload-misc',
    exclude: { 'no such route': [27, 28, 29, 30, 31, 32, 33, 35, 36, 37, 38, 39, 40] },
  },
  {
    engine: 'firefox',
    name: '21-ssrf',
    exclude: { 'another address': [3, 7, 10] },
    valuesDiffer: { 'words of the engine': [4], 'calls left out': [12, 14, 16] },
  },
  {
    engine: 'firefox',
    name: '22-blast-radius',
    together: [
      [3, 2],
      [8, 9],
      [20, 21],
    ],
  },
  { engine: 'firefox', name: '23-410-vs-404', before: { 1: pass(301_000) } },
  { engine: 'firefox', name: '25-ref-resolution' },
  { engine: 'firefox', name: '26-second-click', before: { 6: forget, 18: forget, 30: forget, 36: forget } },
  { engine: 'firefox', name: '27-exact-selectors' },
  { engine: 'firefox', name: '28-production', options: { production: true, apiKey: 'api-test' } },
  { engine: 'firefox', name: '29-checkpoint', eventually: [6] },
  {
    engine: 'chromium',
    name: '04-navigate',
    options: navigating,
    exclude: {
      'no such route': [48],
      // One failed load interrupts the next there, which fails three in a row.
      'engine defect': [20, 21, 22, 24, 49, 50, 51, 52, 57, 58, 59, 60, 62],
    },
    valuesDiffer: { 'words of the engine': [31, 32], timing: [40], 'not imitated': [47] },
    eventually: [36, 38],
  },
  {
    engine: 'chromium',
    name: '07-click',
    options: { handlerTimeoutMs: 12_000 },
    exclude: { 'blocks the page': [23, 27, 31] },
    valuesDiffer: { 'locator hints': [8], 'words of the engine': [10, 49], 'calls left out': [44] },
  },
  {
    engine: 'chromium',
    name: '10-downloads',
    exclude: { 'no such route': [58, 61] },
    valuesDiffer: {
      // A file that breaks off is asked for again and again there, and never listed.
      'words of the engine': [25, 27, 46, 51, 54],
      'not imitated': [57, 59],
      'locator hints': [62],
      timing: [34, 37, 40, 41, 50, 52],
      'calls left out': [42],
    },
    eventually: [5, 15, 22, 34],
    before: { 34: dark(400) },
  },
  {
    engine: 'chromium',
    name: '14-failure-threshold',
    options: { navigateTimeoutMs: 2500 },
    exclude: { race: [20, 21, 22, 23] },
    valuesDiffer: { 'calls left out': [24] },
  },
  { engine: 'chromium', name: '15-crash', before: crashes },
  { engine: 'chromium', name: '27-exact-selectors', valuesDiffer: { 'words of the engine': [2, 18, 22, 38] } },
];

/** The matrix of keys: a server was started for each. The text of broken JSON is the parser's, which differs by version. */
function authParts(): readonly RecordingCase[] {
  const none = { accessKey: null, apiKey: null, adminKey: null };
  const access = { accessKey: 'ak-test' };
  const parts: Readonly<Record<string, MockCamofoxOptions>> = {
    '[no keys]': none,
    '[access key only]': { ...none, ...access },
    '[api key only]': { ...none, apiKey: 'api-test' },
    '[access+api+admin]': { ...access, apiKey: 'api-test', adminKey: 'adm-test' },
    '[production, no keys]': { ...none, production: true },
    '[production, access]': { ...none, ...access, production: true },
  };
  return Object.entries(parts).map(([part, options]) => ({
    engine: 'firefox',
    name: '02-auth',
    part,
    options: { ...options, browserStarted: false },
    valuesDiffer: { 'words of the engine': [35, 71, 107, 143], 'not imitated': [49] },
  }));
}
