import { z } from 'zod';
import { SessionId, TabId } from './ids.ts';
import { Instant } from './instant.ts';

/** Hex SHA-256 of the stored bytes. */
export const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .brand('Sha256');
export type Sha256 = z.infer<typeof Sha256>;

/** Address of stored bytes. `secret` blobs are encrypted at rest: a `.torrent` carries the passkey (S004-26). */
export const BlobRef = z.object({ kind: z.enum(['blob', 'secret']), ref: z.string().min(1).max(500) });
export type BlobRef = z.infer<typeof BlobRef>;

/** A captured file in the content-addressed store (S004-25). */
export const Artifact = z
  .object({
    id: z.uuid(),
    sessionId: SessionId,
    tabId: TabId.nullable(),
    purpose: z.enum(['download', 'screenshot']),
    /** Sanitised; never a path (S001-28). */
    filename: z.string().min(1).max(255),
    mimeType: z.string().max(200),
    sizeBytes: z.int().min(0),
    sha256: Sha256,
    bytes: BlobRef,
    /** Whether a model may see it. `false` until sensitive parts were painted over and the result was checked. */
    modelSafe: z.boolean(),
    capturedAt: Instant,
  })
  .meta({ id: 'Artifact' });
export type Artifact = z.infer<typeof Artifact>;

/** A file as the upstream lists it; not yet captured. */
export const UpstreamDownload = z.object({
  /** The upstream's id, meaningful to the same adapter only. */
  id: z.string(),
  /** Operator projection. */
  url: z.string(),
  suggestedFilename: z.string(),
  sizeBytes: z.int().nullable(),
  /** `finished`, or why there are no bytes. */
  state: z.enum(['finished', 'failed']),
  createdAt: Instant.nullable(),
});
export type UpstreamDownload = z.infer<typeof UpstreamDownload>;
