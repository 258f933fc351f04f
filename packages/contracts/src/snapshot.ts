import { z } from 'zod';
import { Instant } from './instant.ts';

/** `e12`: an element of ONE snapshot. Numbered by the adapter, never by the upstream. */
export const ElementRef = z
  .string()
  .max(16)
  .regex(/^e\d+$/, 'an element ref looks like e12')
  .brand('ElementRef');
export type ElementRef = z.infer<typeof ElementRef>;

/** Names the page version that a snapshot saw. Opaque, minted per snapshot, dies at the first attempt to act (S000-17). */
export const DocumentToken = z.string().min(16).max(128).brand('DocumentToken');
export type DocumentToken = z.infer<typeof DocumentToken>;

/** One element that can be acted on, as the caller may see it. */
export const SnapshotElement = z.object({
  ref: ElementRef,
  role: z.string(),
  /** Accessible name, redacted. */
  name: z.string(),
  /**
   * Digest of page address, frame, role, exact accessible name and position among equals. Two looks at an unchanged
   * page give the same one; it names the element to the adapter and says nothing to anybody else.
   */
  fingerprint: z.string(),
});
export type SnapshotElement = z.infer<typeof SnapshotElement>;

/**
 * The model-safe text of a page: redacted accessibility text with element refs, on whole lines (S004-24, S000-80).
 *
 * A page is untrusted: whoever hands `text` to a model wraps it as data, never as instructions.
 */
export const Snapshot = z
  .object({
    /** Landing address, model projection: query values redacted, no fragment. */
    url: z.string(),
    /** Canonical origin with port, `null` for pages without one (`about:blank`). */
    origin: z.string().nullable(),
    /** `null` where the upstream does not say with a look (camofox). */
    title: z.string().nullable(),
    text: z.string(),
    /** Elements whose refs stand in `text` or before it; all of the page. */
    elements: z.array(SnapshotElement),
    documentToken: DocumentToken,
    /** Whether `text` was cut, on a whole line. */
    truncated: z.boolean(),
    /** Characters of the whole redacted text. */
    totalChars: z.int(),
    /** Where to go on; absent at the end. */
    nextOffset: z.int().optional(),
    /** How many secrets each redaction rule took. */
    redactions: z.record(z.string(), z.int()),
    takenAt: Instant,
  })
  .meta({ id: 'Snapshot' });
export type Snapshot = z.infer<typeof Snapshot>;
