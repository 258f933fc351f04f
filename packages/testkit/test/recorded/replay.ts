import { readFileSync } from 'node:fs';
import { z } from 'zod';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const RecordedCall = z.object({
  /** Position in the recording. */
  at: z.int(),
  note: z.string(),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  status: z.int(),
  type: z.string(),
  answer: z.unknown(),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

const Recording = z.object({
  about: z.object({ package: z.string(), browser: z.string(), recorded: z.string(), ports: z.array(z.string()) }),
  calls: z.array(RecordedCall),
});

export function readRecording(engine: 'firefox' | 'chromium', name: string) {
  const file = new URL(`../../fixtures/camofox-transcripts/${engine}/${name}.json`, import.meta.url);
  return Recording.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** How far an answer is the recorded one: not even its status or code, its shape only, or every value that is not chance. */
export interface Comparison {
  readonly at: number;
  readonly note: string;
  readonly same: 'no' | 'shape' | 'all';
  /** First difference, for people. */
  readonly difference: string | null;
}

/** Stands in for what differs by chance: ids, ports, times, sizes of the process. */
export class Placeholders {
  readonly #here = new Map<string, string>();
  readonly #recordedPorts: readonly string[];
  readonly #port: number;

  constructor(recordedPorts: readonly string[], port: number) {
    this.#recordedPorts = recordedPorts;
    this.#port = port;
  }

  /** A recorded request as it is sent now. */
  toHere(text: string): string {
    return this.#ports(text)
      .replace(uuid, (id) => this.#here.get(id) ?? id)
      .replace(/\{\{(.)\*(\d+)\}\}/g, (_, char: string, times: string) => char.repeat(Number(times)));
  }

  /** Learns which id of the recording is which id here, by their place in two answers. */
  learn(recorded: unknown, actual: unknown): void {
    const [before = [], now = []] = [recorded, actual].map((one) => (JSON.stringify(one) ?? '').match(uuid) ?? []);
    before.forEach((id, at) => {
      const mine = now[at];
      if (mine !== undefined && !this.#here.has(id)) this.#here.set(id, mine);
    });
  }

  /** A recorded answer in terms of here. */
  expected(value: unknown): unknown {
    return JSON.parse(this.toHere(JSON.stringify(value ?? null))) as unknown;
  }

  #ports(text: string): string {
    return this.#recordedPorts.reduce(
      (now, port) => now.replaceAll(`:${port}`, `:${this.#port}`).replaceAll(`%3A${port}`, `%3A${this.#port}`),
      text,
    );
  }
}

/** Keys whose values say nothing. */
const byChance = new Set(['paths', 'createdAt', 'memory', 'rssMb', 'heapUsedMb', 'nativeMemMb', 'id', 'data']);

/** The first difference between two answers; `values: false` looks at keys and types only. */
export function differenceOf(expected: unknown, actual: unknown, values: boolean, path = '$'): string | null {
  if (typeof expected === 'string' && typeof actual === 'string' && cut.test(expected)) {
    return sameStart(expected, actual) || !values ? null : `${path}: another text of ${actual.length} characters`;
  }
  if (Array.isArray(expected) || Array.isArray(actual)) {
    if (!Array.isArray(expected) || !Array.isArray(actual)) return `${path}: a list on one side only`;
    if (values && expected.length !== actual.length) return `${path}: ${actual.length} entries, not ${expected.length}`;
    if (!values && expected.length > 0 && actual.length === 0) return `${path}: no entries`;
    const pairs = values ? expected.map((_, at) => at) : [0];
    for (const at of pairs) {
      if (at >= Math.min(expected.length, actual.length)) continue;
      const difference = differenceOf(expected[at], actual[at], values, `${path}[${at}]`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (isRecord(expected) && isRecord(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    for (const key of keys) {
      if (key in expected !== key in actual) return `${path}.${key}: on one side only`;
      if (byChance.has(key)) continue;
      const difference = differenceOf(expected[key], actual[key], values, `${path}.${key}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (!values) return typeof expected === typeof actual ? null : `${path}: another type`;
  if (path.endsWith('.error') && typeof expected === 'string' && typeof actual === 'string')
    return headline(expected) === headline(actual)
      ? null
      : `${path}: "${headline(actual)}", not "${headline(expected)}"`;
  return Object.is(expected, actual) ? null : `${path}: ${brief(actual)}, not ${brief(expected)}`;
}

/** The recorder cut long texts: `start…(+1234 chars)`. */
const cut = /…\(\+(\d+) chars\)$/;

function sameStart(expected: string, actual: string): boolean {
  const start = expected.replace(cut, '');
  return actual.startsWith(start) && actual.length === start.length + Number(cut.exec(expected)?.[1]);
}

/** Texts of errors are compared by what adapters may read: the first two lines, engines' own words left out. */
const headline = (text: string) => text.split('\n').slice(0, 2).join('\n');
const brief = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 160);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A server and what a recording is replayed with. */
export interface Replaying {
  readonly origin: string;
  readonly placeholders: Placeholders;
  /** Groups of calls that are sent at the same time, by position, in sending order. */
  readonly together: readonly (readonly number[])[];
  /** Calls that are repeated until they are answered as recorded, for 5 s at most. */
  readonly eventually: readonly number[];
  readonly before: (at: number) => void | Promise<void>;
}

/** Between calls that are sent at the same time, milliseconds: so that they arrive in order. */
const gapMs = 30;
const patienceMs = 5_000;

/** Sends recorded calls to a server, one after the other except for groups, and compares its answers. */
export async function replay(calls: readonly RecordedCall[], how: Replaying): Promise<readonly Comparison[]> {
  const compared: Comparison[] = [];
  const done = new Set<number>();
  for (const call of calls) {
    if (done.has(call.at)) continue;
    const group = how.together.find((positions) => positions.includes(call.at)) ?? [call.at];
    const members = group.flatMap((at) => calls.find((one) => one.at === at) ?? []);
    await how.before(call.at);
    const sent = members.map(async (member, order) => {
      await new Promise((go) => setTimeout(go, order * gapMs));
      return how.eventually.includes(member.at) ? replayUntil(member, how) : replayOne(member, how);
    });
    for (const one of await Promise.all(sent)) {
      compared.push(one);
      done.add(one.at);
    }
  }
  return compared;
}

async function replayUntil(call: RecordedCall, how: Replaying): Promise<Comparison> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const compared = await replayOne(call, how);
    if (compared.same === 'all' || Date.now() > until) return compared;
    await new Promise((go) => setTimeout(go, gapMs));
  }
}

async function replayOne(call: RecordedCall, { origin, placeholders }: Replaying): Promise<Comparison> {
  const json =
    call.body === undefined ? undefined : typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
  const headers = new Headers(call.headers);
  if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const body = json === undefined ? {} : { body: placeholders.toHere(json) };
  const answer = await fetch(origin + placeholders.toHere(call.path), { method: call.method, headers, ...body });
  const type = (answer.headers.get('content-type') ?? '').split(';')[0];
  const text = await answer.text();
  const { at, note } = call;
  const no = (difference: string): Comparison => ({ at, note, same: 'no', difference });
  if (answer.status !== call.status) return no(`status ${answer.status}, not ${call.status}: ${text.slice(0, 200)}`);
  if (type !== call.type) return no(`type ${type}, not ${call.type}`);
  if (type === 'text/html') {
    const told = /<pre>(.*?)(<br>|<\/pre>)/s.exec(text)?.[1] ?? '';
    const same = told === placeholders.expected(call.answer);
    return { at, note, same: same ? 'all' : 'shape', difference: same ? null : told };
  }
  if (type !== 'application/json') return { at, note, same: 'all', difference: null };
  const actual: unknown = JSON.parse(text);
  placeholders.learn(call.answer, actual);
  const expected = placeholders.expected(call.answer);
  const shape = differenceOf(expected, actual, false) ?? codeDifference(expected, actual);
  if (shape !== null) return no(`${shape} — ${text.slice(0, 200)}`);
  const values = differenceOf(expected, actual, true);
  return { at, note, same: values === null ? 'all' : 'shape', difference: values };
}

function codeDifference(expected: unknown, actual: unknown): string | null {
  if (!isRecord(expected) || !isRecord(actual)) return null;
  for (const key of ['code', 'retryable', 'recovery', 'ok']) {
    if (expected[key] !== actual[key]) return `$.${key}: ${brief(actual[key])}, not ${brief(expected[key])}`;
  }
  return null;
}
