/** What goes wrong between the caller and the server. */
export type FaultKind =
  /** Answers `ms` later. */
  | 'delay'
  /** Breaks the connection; nothing was done. */
  | 'reset-before-headers'
  /** Does it, then breaks the connection before anything is answered. */
  | 'apply-then-reset'
  /** Does it, answers the headers, then breaks. */
  | 'reset-after-headers'
  /** Does it, answers half of the body, then breaks. */
  | 'half-body'
  /** Does it, and answers 200 with JSON of another shape (`body`). */
  | 'wrong-json'
  /** Answers an HTML page of a proxy with `status` (502); nothing was done. */
  | 'html-error'
  /** Answers `status` (500) with `body`; nothing was done. */
  | 'status'
  /** Never answers; nothing was done. */
  | 'stall'
  /** Does it, and never answers. */
  | 'apply-then-stall';

/** Which calls it hits. All that is named must fit. */
export interface FaultMatch {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Whole path, or a pattern: `/\/navigate$/`. */
  readonly path?: string | RegExp;
  /** Field `kind` of the body, for `/act`. */
  readonly kind?: string;
  /** Only from the so-manieth fitting call on, counted from 1. */
  readonly nth?: number;
}

/** A fault to inject. */
export interface Fault {
  readonly match: FaultMatch;
  readonly kind: FaultKind;
  /** Milliseconds, not scaled. With kinds other than `delay` it waits first as well. */
  readonly ms?: number;
  readonly status?: number;
  readonly body?: unknown;
  /** How many calls it hits. Default 1; `Infinity` until it is removed. */
  readonly times?: number;
}

/** A fault that was set. */
export interface SetFault extends Disposable {
  /** How many calls it has hit. */
  hits(): number;
  remove(): void;
}

/** What a call is matched by. */
export interface FaultSubject {
  readonly method: string;
  readonly path: string;
  readonly kind: unknown;
}

/** The faults of one server. Of several that fit, the oldest hits. */
export class Faults {
  #set: { readonly fault: Fault; seen: number; hits: number }[] = [];

  add(fault: Fault): SetFault {
    const entry = { fault, seen: 0, hits: 0 };
    this.#set.push(entry);
    const remove = () => {
      this.#set = this.#set.filter((one) => one !== entry);
    };
    return { hits: () => entry.hits, remove, [Symbol.dispose]: remove };
  }

  /** The fault that this call gets. */
  take(subject: FaultSubject): Fault | null {
    for (const entry of this.#set) {
      const { match, times = 1 } = entry.fault;
      if (!fits(match, subject)) continue;
      entry.seen += 1;
      if (entry.seen < (match.nth ?? 1) || entry.hits >= times) continue;
      entry.hits += 1;
      return entry.fault;
    }
    return null;
  }

  clear(): void {
    this.#set = [];
  }
}

function fits({ method, path, kind }: FaultMatch, subject: FaultSubject): boolean {
  return (
    (method === undefined || method === subject.method) &&
    (kind === undefined || kind === subject.kind) &&
    (path === undefined || (typeof path === 'string' ? path === subject.path : path.test(subject.path)))
  );
}

/** Whether the call is done all the same. */
export const applies = (kind: FaultKind) =>
  /^(delay|apply-then-reset|reset-after-headers|half-body|wrong-json|apply-then-stall)$/.test(kind);
