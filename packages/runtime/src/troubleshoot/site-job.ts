import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BrowserError,
  effectOf,
  type Grant,
  OperationId,
  type OperationInput,
  type OperationType,
  type SessionId,
  type TabId,
} from '@wheelhouse/contracts';
import type { House, SiteSecrets } from '../pipeline/house.ts';
import type { OperateOptions } from '../pipeline/operate.ts';
import type { OperationResult } from '../pipeline/result.ts';
import type { Providers } from '../providers.ts';
import type { Sessions } from '../sessions.ts';
import type { SiteDefinition } from '../sites/definition.ts';
import { needsBrowser, pathsOf, responseOf } from '../sites/requests.ts';
import { accountOf, profileOf, type SiteAccount } from './account.ts';
import type { Hand } from './visit.ts';

/** What any job on a site account is asked. */
export interface SiteJobRequest {
  readonly definition: SiteDefinition;
  /** Which account of the site; names its browser profile. */
  readonly account: string;
  /** Name or id of the provider. */
  readonly provider: string;
  /** Address of the site; default: the first link of the definition. */
  readonly url?: string | undefined;
  /** Where the job may go; default: the hosts of the definition's links. */
  readonly allowlist?: readonly string[] | undefined;
  /** Settings of the account; secret ones by reference. */
  readonly settings: ReadonlyMap<string, string>;
  /** Leaves the session open for the next job. Default: a session that this job opened is closed. */
  readonly keepSession?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a job uses of the runtime. */
export interface JobNeeds {
  readonly house: House;
  readonly providers: Providers;
  readonly sessions: Sessions;
  readonly operate: <T extends OperationType>(
    sessionId: SessionId,
    input: Extract<OperationInput, { type: T }>,
    caller: { readonly grant: Grant } & OperateOptions,
  ) => Promise<OperationResult<T>>;
}

/** A job at work: an open session of the account and a tab of its own. */
export interface SiteJob {
  /** Begins the ids of all its operations. */
  readonly jobId: string;
  readonly sessionId: SessionId;
  readonly account: SiteAccount;
  /** Address of the site, with a slash at its end. */
  readonly sitelink: string;
  readonly allowlist: readonly string[];
  /** Whether the session takes downloads. */
  readonly captures: boolean;
  readonly hand: Hand;
  /** Text and addresses as they may be shown. */
  readonly safe: { readonly text: (text: string) => string; readonly url: (url: string) => string };
  /** Opens another tab, works in it and closes it. */
  inTabOfItsOwn<T>(work: (hand: Hand) => Promise<T>): Promise<T>;
}

/**
 * Opens a session of the account, or uses the open one, opens a tab and works in it; leaves the house as it was found.
 *
 * @throws BrowserError for what says nothing about the site: provider, database, configuration
 */
export async function withSiteJob<T>(
  needs: JobNeeds,
  request: SiteJobRequest,
  kind: 'troubleshoot' | 'grab',
  work: (job: SiteJob) => Promise<T>,
): Promise<T> {
  const { definition } = request;
  if (!needsBrowser(definition)) {
    const type = pathsOf(definition).map(responseOf)[0];
    throw new BrowserError(
      'definition_unsupported',
      `${definition.id} answers ${type}: it needs no browser, ask it over HTTP`,
    );
  }
  const sitelink = siteLink(request.url ?? definition.links[0] ?? '');
  const jobId = `${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomUUID().slice(0, 8)}`;
  const account = accountOf(definition, sitelink, request.settings, needs.house.resolveSecret);
  const provider = await needs.providers.get(request.provider);
  const grant: Grant = {
    caller: `${kind} ${jobId}`,
    classes: ['observe', 'navigate', 'interact', 'manage'],
    siteSelectors: true,
  };
  const { session, created } = await needs.sessions.open(
    {
      providerId: provider.id,
      profileKey: profileOf(definition.id, request.account),
      siteId: definition.id,
      accountId: request.account,
      operationId: OperationId.parse(`${jobId}:open`),
      allowlist: [...(request.allowlist ?? hostsOf([sitelink, ...definition.links]))],
      downloadPolicy: needs.house.capture === undefined ? 'block' : 'capture',
    },
    grant,
  );
  const call = { grant, signal: request.signal, siteSecrets: secretsOf(definition, account) };
  const manage: Manage = (input) => needs.operate(session.id, input, call);
  const { redactor } = needs.house;
  let count = 0;
  const nextId = (what: string) => {
    count += 1;
    return OperationId.parse(`${jobId}:${count}-${what}`);
  };
  const openTab = async () =>
    (await needs.operate<'open_tab'>(session.id, { type: 'open_tab', operationId: nextId('tab') }, call)).value.tabId;
  const handOn = (tabId: TabId) => handOf(needs.operate, { sessionId: session.id, tabId, nextId }, call);
  let opened: TabId | null = null;
  try {
    opened = await openTab();
    return await work({
      jobId,
      sessionId: session.id,
      account,
      sitelink,
      allowlist: session.allowlist,
      captures: session.downloadPolicy === 'capture' && needs.house.capture !== undefined,
      hand: handOn(opened),
      safe: { text: (text) => redactor.text(text).text, url: (url) => redactor.url(url, 'operator') },
      inTabOfItsOwn: async (inTab) => {
        const tabId = await openTab();
        try {
          return await inTab(handOn(tabId));
        } finally {
          await quietly(manage({ type: 'close_tab', tabId, operationId: nextId('close') }));
        }
      },
    });
  } finally {
    await leave(manage, nextId, {
      tabId: opened,
      close: created && request.keepSession !== true,
      reason: `${kind} is done`,
    });
  }
}

type Manage = (
  input: Extract<OperationInput, { type: 'close_tab' | 'close_session' | 'checkpoint' }>,
) => Promise<unknown>;

/** Leaves the house as it was found; a failure here must not hide the result. */
async function leave(
  manage: Manage,
  nextId: (what: string) => OperationId,
  { tabId, close, reason }: { readonly tabId: TabId | null; readonly close: boolean; readonly reason: string },
): Promise<void> {
  // The login is written down before its tabs go (report 62).
  await quietly(manage({ type: 'checkpoint', operationId: nextId('checkpoint') }));
  if (close) return quietly(manage({ type: 'close_session', operationId: nextId('close'), reason }));
  if (tabId !== null) await quietly(manage({ type: 'close_tab', tabId, operationId: nextId('close') }));
}

async function quietly(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!BrowserError.is(error)) throw error;
  });
}

/** A tab of a job: every operation gets the next operation id. */
function handOf(
  operate: JobNeeds['operate'],
  at: { readonly sessionId: SessionId; readonly tabId: TabId; readonly nextId: (what: string) => OperationId },
  call: Parameters<JobNeeds['operate']>[2],
): Hand {
  return {
    operate: async (type, rest) => {
      const input = {
        ...(effectOf[type] === 'observe' ? {} : { operationId: at.nextId(type) }),
        ...rest,
        type,
        tabId: at.tabId,
      };
      // `set_cookies` is of the session and takes no tab; the operation is parsed strictly on its way in.
      const { tabId, ...ofSession } = input;
      return operate(at.sessionId, (type === 'set_cookies' ? ofSession : { tabId, ...ofSession }) as never, call);
    },
    nextId: at.nextId,
    pause: async (ms) => {
      await sleep(ms, undefined, call.signal === undefined ? {} : { signal: call.signal });
    },
  };
}

/** What `site:NAME` means while this job runs: a setting, or `login.INPUT` for an input of the login as a whole. */
function secretsOf(definition: SiteDefinition, account: SiteAccount): SiteSecrets {
  return async (name) => {
    const input = name.startsWith('login.') ? definition.login?.inputs[name.slice('login.'.length)] : undefined;
    return account.reveal(input ?? `{{ .Config.${name} }}`);
  };
}

function siteLink(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new BrowserError('invalid_config', 'the address of the site must be an absolute http or https address');
  const link = new URL(url);
  return link.pathname.endsWith('/') ? link.href : `${link.href}/`;
}

function hostsOf(links: readonly string[]): string[] {
  return [...new Set(links.filter((link) => URL.canParse(link)).map((link) => new URL(link).hostname))];
}
