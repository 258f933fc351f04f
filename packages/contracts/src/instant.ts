import { z } from 'zod';

/** A point in time: `Date` in code, ISO 8601 in UTC on the wire. */
export const Instant = z
  .codec(z.iso.datetime(), z.date(), {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  })
  .meta({ id: 'Instant' });
export type Instant = z.infer<typeof Instant>;
