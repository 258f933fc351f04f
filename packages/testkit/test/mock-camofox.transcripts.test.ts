import { describe, expect, test } from 'vitest';
import { startMockCamofox } from '../src/mock-camofox/index.ts';
import { type RecordingCase, recordings } from './recorded/cases.ts';
import { Placeholders, readRecording, replay } from './recorded/replay.ts';
import { startRecordedSite } from './recorded/site.ts';

const defaultScale = 0.1;
/** Calls that are in the fixtures, and how many of them are replayed. Changing a list changes a number here. */
const expected = { recorded: 1443, replayed: 1373, byValue: 1304 };

const callsOf = ({ engine, name, part }: RecordingCase) =>
  readRecording(engine, name).calls.filter(({ note }) => part === undefined || note.startsWith(part));
const listed = (lists: Readonly<Record<string, readonly number[] | undefined>> | undefined) =>
  new Set(Object.values(lists ?? {}).flatMap((positions) => positions ?? []));

describe.concurrent('the mock answers as the recorded server did', () => {
  // The upstream's spans are scaled to a tenth here, so a busy machine may need a second look.
  test.each(recordings)('$engine $name $part', { timeout: 60_000, retry: 2 }, async (recording) => {
    const { engine, name, options, before, together = [], eventually = [] } = recording;
    const excluded = listed(recording.exclude);
    const valuesDiffer = listed(recording.valuesDiffer);
    const scale = options?.timeScale ?? defaultScale;
    await using site = await startRecordedSite(scale);
    const settings = { pages: 'http', runScripts: true, timeScale: scale, engine, accessKey: 'ak-test' } as const;
    await using mock = await startMockCamofox({ ...settings, ...options });
    const { ports } = readRecording(engine, name).about;
    const calls = callsOf(recording).filter(({ at }) => !excluded.has(at));
    const compared = await replay(calls, {
      origin: mock.origin,
      placeholders: new Placeholders(ports, site.port),
      together,
      eventually,
      before: (at) => before?.[at]?.({ mock, site }),
    });
    const wrong = compared.filter(({ same, at }) => same === 'no' || (same === 'shape' && !valuesDiffer.has(at)));
    expect(wrong).toEqual([]);
    expect(compared).toHaveLength(calls.length);
  });
});

test('no recorded call is left out unseen', () => {
  const recorded = recordings.flatMap(callsOf).length;
  const left = recordings.map(({ exclude }) => listed(exclude).size).reduce((sum, size) => sum + size, 0);
  const shaped = recordings
    .map((recording) => {
      const differ = listed(recording.valuesDiffer);
      return callsOf(recording).filter(({ at }) => differ.has(at)).length;
    })
    .reduce((sum, size) => sum + size, 0);
  expect({ recorded, replayed: recorded - left, byValue: recorded - left - shaped }).toEqual(expected);
});

test('every excluded call exists, and is excluded once', () => {
  for (const recording of recordings) {
    const positions = callsOf(recording).map(({ at }) => at);
    const out = Object.values(recording.exclude ?? {}).flatMap((list) => list ?? []);
    expect(out.filter((at) => !positions.includes(at))).toEqual([]);
    expect(new Set(out).size).toBe(out.length);
  }
});
