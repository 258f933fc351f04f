import { z } from 'zod';
import { NavigationBudget } from './budget.ts';
import { Fence, OperationId, SessionId, TabId } from './ids.ts';
import { Outcome } from './outcome.ts';
import { Postcondition } from './postcondition.ts';
import { SecretRef, TypeInput } from './secret.ts';
import { DocumentToken, ElementRef } from './snapshot.ts';

/** What a call may do to a page. A grant names the classes a caller has; `observe` alone is really read-only (S002-25). */
export const EffectClass = z.enum(['observe', 'navigate', 'interact', 'manage']);
export type EffectClass = z.infer<typeof EffectClass>;

/** Where an operation with an effect stands. `dispatched` is committed before the first byte leaves. */
export const OperationState = z.enum(['reserved', 'dispatched', 'settled']);
export type OperationState = z.infer<typeof OperationState>;

const onTab = { tabId: TabId };
const named = { operationId: OperationId };
/** An effect on a page that may be proven afterwards, should the answer get lost. */
const provable = {
  ...named,
  postcondition: Postcondition.optional(),
  /**
   * It may start a download. What the tab had before is noted with the dispatch, so that `capture` knows what came of
   * this operation. Only in sessions with the download policy `capture`.
   */
  mayDownload: z.boolean().optional(),
};
/** The element and the snapshot it was chosen in; anything else is `stale_snapshot` (S000-17, S001-19). */
const onElement = {
  ...onTab,
  ...provable,
  ref: ElementRef,
  documentToken: DocumentToken,
  /** Canonical origin with port that the page must have, for example `https://tracker.example:443` (S000-26). */
  expectedOrigin: z.string().max(2048).optional(),
};
/**
 * A CSS selector out of a site definition, matching exactly one element. Jobs only (`Grant.siteSelectors`), and only
 * as data: agents act through refs (contract §4).
 */
const SiteSelector = z.string().min(1).max(1024);
const budgeted = { budget: NavigationBudget.partial().optional() };

/**
 * Every call on an open session. The one list of operations: doors, pipeline and ledger read it.
 *
 * `observe` operations have no `operationId` and no effect on the page; all others have one and go through the ledger.
 */
export const Operation = z.discriminatedUnion('type', [
  // observe
  z.strictObject({ type: z.literal('list_tabs') }),
  z.strictObject({
    type: z.literal('snapshot'),
    ...onTab,
    /** First character of the text to return; `nextOffset` of the answer before. */
    offset: z.int().min(0).default(0),
    /** Body bound, bytes of UTF-8, cut on a whole line (S000-78). */
    maxBytes: z.int().min(1024).max(49_152).default(49_152),
  }),
  z.strictObject({ type: z.literal('screenshot'), ...onTab, fullPage: z.boolean().default(false) }),
  z.strictObject({
    type: z.literal('page_html'),
    ...onTab,
  }),
  z.strictObject({
    type: z.literal('wait'),
    ...onTab,
    /** Longest wait, milliseconds (S000-o3). */
    timeoutMs: z.int().min(0).max(30_000).default(10_000),
  }),
  z.strictObject({
    type: z.literal('links'),
    ...onTab,
    offset: z.int().min(0).default(0),
    limit: z.int().min(1).max(100).default(50),
  }),
  z.strictObject({ type: z.literal('list_downloads'), ...onTab }),
  // navigate
  z.strictObject({
    type: z.literal('navigate'),
    ...onTab,
    ...provable,
    ...budgeted,
    /** Absolute http(s) address, at most 8 KiB. Refused rather than repaired. */
    url: z.string().min(1).max(8192),
    /** The caller knows that loading this address twice does no harm: a lost answer may be followed by one more try. */
    idempotent: z.boolean().default(false),
  }),
  z.strictObject({ type: z.literal('back'), ...onTab, ...provable }),
  z.strictObject({ type: z.literal('forward'), ...onTab, ...provable }),
  z.strictObject({ type: z.literal('refresh'), ...onTab, ...provable }),
  // interact
  z.strictObject({ type: z.literal('click'), ...onElement, double: z.boolean().default(false) }),
  z.strictObject({ type: z.literal('hover'), ...onElement }),
  z.strictObject({
    type: z.literal('type'),
    ...onElement,
    input: TypeInput,
    /** Press Enter afterwards, which usually submits. */
    submit: z.boolean().default(false),
  }),
  z.strictObject({
    type: z.literal('select'),
    ...onElement,
    /** The visible label of the option. */
    label: z.string().min(1).max(4096),
  }),
  z.strictObject({
    type: z.literal('press'),
    ...onTab,
    ...provable,
    documentToken: DocumentToken,
    key: z.enum([
      'Enter',
      'Escape',
      'Tab',
      'Backspace',
      'Delete',
      'Space',
      'ArrowUp',
      'ArrowDown',
      'ArrowLeft',
      'ArrowRight',
      'Home',
      'End',
      'PageUp',
      'PageDown',
    ]),
  }),
  z.strictObject({
    type: z.literal('scroll'),
    ...onTab,
    ...provable,
    documentToken: DocumentToken,
    direction: z.enum(['up', 'down', 'left', 'right']).default('down'),
    /** CSS pixels. */
    amountPx: z.int().min(1).max(20_000).default(500),
  }),
  z.strictObject({
    type: z.literal('upload'),
    ...onElement,
    /** An artifact of this session; never a path of the caller's (S001-33). */
    artifactId: z.uuid(),
  }),
  z.strictObject({
    type: z.literal('click_at'),
    ...onTab,
    ...provable,
    documentToken: DocumentToken,
    x: z.int().min(0).max(10_000),
    y: z.int().min(0).max(10_000),
  }),
  z.strictObject({
    type: z.literal('drag'),
    ...onElement,
    toRef: ElementRef,
  }),
  z.strictObject({
    type: z.literal('site_fill'),
    ...onTab,
    ...provable,
    selector: SiteSelector,
    input: TypeInput,
  }),
  z.strictObject({ type: z.literal('site_submit'), ...onTab, ...provable, selector: SiteSelector }),
  // manage
  z.strictObject({ type: z.literal('open_tab'), ...named }),
  z.strictObject({ type: z.literal('close_tab'), ...onTab, ...provable }),
  z.strictObject({
    type: z.literal('set_cookies'),
    ...named,
    /** The cookies as one `Cookie:` header value, by reference: they are the account. */
    cookieHeader: SecretRef,
    /** Site they belong to; its host must be on the allowlist. */
    url: z.string().min(1).max(8192),
  }),
  z.strictObject({ type: z.literal('checkpoint'), ...named }),
  z.strictObject({
    type: z.literal('capture'),
    ...onTab,
    ...named,
    /** The operation that had `mayDownload`. */
    of: OperationId,
    /** How long the first file is waited for, milliseconds. The browser service shows a file when it is finished. */
    waitMs: z.int().min(0).max(600_000).default(15_000),
    /** Ends as soon as so many files have come; otherwise when no more come for a moment. */
    expect: z.int().min(1).max(100).optional(),
    /** Whether the sinks get them. `false` where only the way is checked. */
    deliver: z.boolean().default(true),
    /** Largest file, bytes. Default 1 GiB. */
    maxBytes: z
      .int()
      .min(1)
      .max(64 * 1024 ** 3)
      .default(1024 ** 3),
  }),
  z.strictObject({ type: z.literal('close_session'), ...named, reason: z.string().max(200).default('done') }),
]);
export type Operation = z.infer<typeof Operation>;
/** An operation as a caller writes it, defaults left out. */
export type OperationInput = z.input<typeof Operation>;
export type OperationType = Operation['type'];

/** The effect class of each operation; `satisfies` closes the list. */
export const effectOf = {
  list_tabs: 'observe',
  snapshot: 'observe',
  screenshot: 'observe',
  page_html: 'observe',
  wait: 'observe',
  links: 'observe',
  list_downloads: 'observe',
  navigate: 'navigate',
  back: 'navigate',
  forward: 'navigate',
  refresh: 'navigate',
  click: 'interact',
  hover: 'interact',
  type: 'interact',
  select: 'interact',
  press: 'interact',
  scroll: 'interact',
  upload: 'interact',
  click_at: 'interact',
  drag: 'interact',
  site_fill: 'interact',
  site_submit: 'interact',
  open_tab: 'manage',
  close_tab: 'manage',
  set_cookies: 'manage',
  checkpoint: 'manage',
  capture: 'manage',
  close_session: 'manage',
} as const satisfies Record<OperationType, EffectClass>;

/** What a caller may do. */
export const Grant = z.object({
  /** Who is calling, for ledger and audit. */
  caller: z.string().min(1).max(200),
  classes: z.array(EffectClass),
  /** Page HTML and selectors of site definitions (`page_html`, `site_fill`, `site_submit`): for jobs, never for agents. */
  siteSelectors: z.boolean().default(false),
});
export type Grant = z.infer<typeof Grant>;

/** One row of the ledger as the world may see it. No arguments: they may hold what a person typed. */
export const OperationRecord = z
  .object({
    sessionId: SessionId,
    operationId: OperationId,
    type: z.string(),
    effect: EffectClass,
    state: OperationState,
    outcome: Outcome.nullable(),
    errorCode: z.string().nullable(),
    /** Fence of the session when the operation was admitted. */
    fence: Fence,
    caller: z.string(),
    /** How often the id was used again; each of those was refused. */
    replays: z.int().min(0),
    reservedAt: z.date(),
    dispatchedAt: z.date().nullable(),
    settledAt: z.date().nullable(),
  })
  .meta({ id: 'OperationRecord' });
export type OperationRecord = z.infer<typeof OperationRecord>;
