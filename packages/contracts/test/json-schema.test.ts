import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contracts, contractSchemas, Instant } from '../src/index.ts';

const schemas = contractSchemas();
const names = Object.keys(contracts) as ReadonlyArray<keyof typeof contracts>;

/** Every JSON object within a value, itself included. */
function parts(value: unknown): ReadonlyArray<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : [value as Record<string, unknown>];
  return [...own, ...Object.values(value).flatMap(parts)];
}

test.each(names)('%s is draft 2020-12 and refers to nothing outside itself', (name) => {
  const schema = schemas[name];
  expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  for (const { $ref } of parts(schema)) {
    if (typeof $ref !== 'string') continue;
    expect(Object.keys(schema['$defs'] ?? {})).toContain($ref.replace('#/$defs/', ''));
  }
});

test.each(names)('%s is read back by somebody who has only the JSON Schema', (name) => {
  expect(() => z.fromJSONSchema(schemas[name])).not.toThrow();
});

test('the exported schema refuses what the contract refuses', () => {
  const foreign = z.fromJSONSchema(schemas.LeaseRequest);
  const good = { sessionId: '3f1c9a52-7a1b-4e0e-9d0b-1f6f0b3f8a11', holder: 'ops@desk', ttlMs: 60_000 };
  for (const [value, expected] of [
    [good, true],
    [{ ...good, ttlMs: 5 }, false],
    [{ ...good, ttl: 5 }, false],
    [{ ...good, holder: '' }, false],
    [{ holder: 'ops@desk' }, false],
  ] as const) {
    expect(contracts.LeaseRequest.safeParse(value).success).toBe(expected);
    expect(foreign.safeParse(value).success).toBe(expected);
  }
});

test('the published schema is the one in the code', () => {
  const published = new URL('../../../docs/reference/contracts.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(JSON.parse(JSON.stringify(schemas)));
});

test('an instant is a Date in code and UTC text on the wire', () => {
  expect(Instant.decode('2026-12-01T12:00:00.250Z')).toEqual(new Date('2026-12-01T12:00:00.250Z'));
  expect(Instant.encode(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
});

test.each(['2026-12-01', '2026-12-01T12:00:00', '2026-12-01T12:00:00+01:00', 'yesterday', ''])(
  '"%s" is not taken for an instant',
  (text) => {
    expect(Instant.safeParse(text).success).toBe(false);
  },
);
