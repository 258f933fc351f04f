import { randomUUID } from 'node:crypto';
import {
  type ActContext,
  BrowserError,
  type BrowserProvider,
  canonicalOrigin,
  type ElementTarget,
  type NavigateReceipt,
  parseAllowlist,
  ProfileKey,
  type Receipt,
  type SessionAddress,
  SessionId,
  type TabAddress,
} from '@wheelhouse/contracts';
import { type FixtureSite, startFixtureSite } from '../fixture-site/index.ts';
import type { Rig, Subject } from './subject.ts';

/** What differs from an ordinary call. */
export interface CallOptions {
  readonly withinMs?: number;
  readonly hosts?: readonly string[];
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  readonly dispatched?: () => Promise<void>;
  /** Value of every secret. */
  readonly secret?: string;
}

/** A rig, a site of its own that counts what really happened, and one open tab. */
export interface Stage extends AsyncDisposable {
  readonly provider: BrowserProvider;
  readonly rig: Rig;
  readonly site: FixtureSite;
  readonly session: SessionAddress;
  readonly tab: TabAddress;
  call(options?: CallOptions): ActContext;
  /** Opens a path of the site in the tab. */
  open(path: string): Promise<NavigateReceipt>;
  /** The element as the page shows it now. */
  find(role: string, name: string, nth?: number): Promise<ElementTarget>;
  click(target: ElementTarget, options?: CallOptions): Promise<Receipt>;
  /** Presses by button id, as the site counted them. */
  presses(): Readonly<Record<string, number>>;
}

const generousMs = 60_000;

/** A session that nobody has used. */
export function newSession(profileKey = `wh-test-${randomUUID()}`): SessionAddress {
  return { sessionId: SessionId.parse(randomUUID()), profileKey: ProfileKey.parse(profileKey) };
}

/** The context of a call. */
export function callWith(options: CallOptions = {}): ActContext {
  const withinMs = options.withinMs ?? generousMs;
  const timeout = AbortSignal.timeout(withinMs);
  return {
    signal: options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]),
    deadline: new Date(Date.now() + withinMs),
    allowlist: parseAllowlist(options.hosts ?? ['127.0.0.1']),
    maxBytes: options.maxBytes ?? 64 * 1024 * 1024,
    resolveSecret: async () => options.secret ?? 'Synthetic-Secret-1',
    dispatched: options.dispatched ?? (async () => undefined),
  };
}

/** Sets the stage; release it with `await using`. */
export async function setStage(subject: Subject): Promise<Stage> {
  const [site, rig] = await Promise.all([startFixtureSite({ seed: randomUUID() }), subject.start()]);
  const { provider } = rig;
  const session = newSession();
  const { upstreamTabId } = await provider.openTab(session, callWith());
  const tab = { ...session, upstreamTabId };
  const stage: Stage = {
    provider,
    rig,
    site,
    session,
    tab,
    call: callWith,
    open: (path) => provider.navigate(tab, site.origin + path, callWith()),
    find: async (role, name, nth = 0) => {
      const { elements, text } = await provider.look(tab, callWith());
      const found = elements.filter((one) => one.role === role && one.name === name)[nth];
      if (found === undefined) throw new BrowserError('internal', `the page shows no ${role} "${name}":\n${text}`);
      return { ref: found.ref, fingerprint: found.fingerprint, origin: canonicalOrigin(site.origin) };
    },
    click: (target, options) => provider.click(tab, { ...target, double: false }, callWith(options)),
    presses: () => site.effects().presses,
    [Symbol.asyncDispose]: async () => {
      await provider.closeSession(session, callWith()).catch(() => undefined);
      await rig[Symbol.asyncDispose]();
      await site.close();
    },
  };
  return stage;
}

/** What a call was refused with. Fails the test when it was not. */
export async function refusalOf(call: Promise<unknown>): Promise<BrowserError> {
  const outcome = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (BrowserError.is(outcome)) return outcome;
  throw new Error(outcome === null ? 'the call succeeded' : 'the call failed with an error of another kind', {
    cause: outcome,
  });
}
