import { z } from 'zod';

/** What became of an operation with an effect (contract §3). `applied_observation_failed` is a success: only the look afterwards failed. */
export const Outcome = z.enum(['applied', 'applied_observation_failed', 'not_applied', 'unknown']);
export type Outcome = z.infer<typeof Outcome>;
