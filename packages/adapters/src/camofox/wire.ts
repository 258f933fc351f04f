import { z } from 'zod';

/** GET /health. `ok` and the status say little: a server whose browser died still answers `200 ok:true` (recording 15-crash). */
export const HealthWire = z.object({
  browserRunning: z.boolean().nullish(),
  browserConnected: z.boolean().nullish(),
  recovering: z.boolean().nullish(),
  activeTabs: z.number().nullish(),
  activeSessions: z.number().nullish(),
  reason: z.string().nullish(),
});

/** GET /openapi.json. `paths` is empty unless the server was started in its own folder. */
export const OpenApiWire = z.object({
  info: z.object({ version: z.string() }),
  paths: z.record(z.string(), z.unknown()).nullish(),
});

/** POST /tabs. */
export const CreatedTabWire = z.object({ tabId: z.string().min(1), url: z.string().nullish() });

/** GET /tabs. */
export const TabListWire = z.object({
  tabs: z.array(
    z.object({
      tabId: z.string(),
      url: z.string().nullish(),
      title: z.string().nullish(),
      listItemId: z.string().nullish(),
    }),
  ),
});

/** POST /tabs/:id/navigate, back, forward, refresh. `httpStatus` since 1.15 or later; `null` or absent before. */
export const NavigatedWire = z.object({
  url: z.string().nullish(),
  httpStatus: z.int().nullish(),
});

/** One field of a form in `structure`; absent before 1.17. */
const FieldWire = z.object({
  label: z.string().nullish(),
  type: z.string().nullish(),
  id: z.string().nullish(),
  name: z.string().nullish(),
});

/** GET /tabs/:id/snapshot: one window of at most 80,000 characters. */
export const SnapshotWire = z.object({
  url: z.string(),
  snapshot: z.string(),
  structure: z.object({ forms: z.array(z.object({ fields: z.array(FieldWire).nullish() })).nullish() }).nullish(),
  refsCount: z.number().nullish(),
  truncated: z.boolean().nullish(),
  totalChars: z.int().nullish(),
  hasMore: z.boolean().nullish(),
  nextOffset: z.int().nullish(),
});
export type SnapshotWire = z.infer<typeof SnapshotWire>;

/** GET /tabs/:id/stats: the cheapest question for the present address. */
export const StatsWire = z.object({ url: z.string().nullish() });

/** POST /act. `url` with clicks only. */
export const ActWire = z.object({ ok: z.boolean().nullish(), url: z.string().nullish() });

/** POST /tabs/:id/evaluate. `result` is absent for `undefined`. */
export const EvaluateWire = z.object({ ok: z.boolean().nullish(), result: z.unknown() });

/** POST /tabs/:id/wait. `ready:false` comes with status 200. */
export const WaitWire = z.object({ ready: z.boolean().nullish() });

/** GET /tabs/:id/links. Absolute addresses, passkeys included. */
export const LinksWire = z.object({
  links: z.array(z.object({ url: z.string(), text: z.string().nullish() })),
  pagination: z.object({ total: z.int() }).nullish(),
});

/** GET /tabs/:id/downloads. Only finished ones are listed. */
export const DownloadsWire = z.object({
  downloads: z.array(
    z.object({
      id: z.string(),
      url: z.string().nullish(),
      suggestedFilename: z.string().nullish(),
      bytes: z.int().nullish(),
      createdAt: z.string().nullish(),
      failure: z.string().nullish(),
      dataBase64: z.string().nullish(),
      dataSkipped: z.string().nullish(),
      readError: z.string().nullish(),
    }),
  ),
});

/** GET /vnc/status, with the VNC plugin only. */
export const VncWire = z.object({ enabled: z.boolean().nullish(), running: z.boolean().nullish() });

/** An error body. Nothing it says about retrying is believed; in production its text says nothing at all (recording 28). */
export const ErrorWire = z.object({ error: z.string().nullish(), code: z.string().nullish() });
