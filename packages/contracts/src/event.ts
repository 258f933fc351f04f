import { z } from 'zod';
import { SessionId } from './ids.ts';
import { Instant } from './instant.ts';

/** Place of an event in the history; grows, without promise of being dense. */
export const EventId = z.coerce.number().int().min(0).brand('EventId');
export type EventId = z.infer<typeof EventId>;

/** What can happen to a session. */
export const EventType = z.enum([
  'session.opened',
  'session.closed',
  'session.lost',
  'session.swept',
  'tab.opened',
  'tab.closed',
  'tab.lost',
  'operation.reserved',
  'operation.dispatched',
  'operation.settled',
  'operation.resolved',
  'control.changed',
  'download.captured',
  'download.lost',
  'artifact.stored',
  'delivery.delivered',
  'delivery.dead',
]);
export type EventType = z.infer<typeof EventType>;

/** One entry of the append-only history, also of the event stream. `data` holds nothing secret. */
export const BrowserEvent = z
  .object({
    id: EventId,
    sessionId: SessionId,
    type: EventType,
    data: z.record(z.string(), z.json()),
    at: Instant,
  })
  .meta({ id: 'BrowserEvent' });
export type BrowserEvent = z.infer<typeof BrowserEvent>;
