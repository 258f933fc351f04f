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
  WaitingReason,
} from '@wheelhouse/contracts';
import { z } from 'zod';
import type { House, SiteSecrets } from '../pipeline/house.ts';
import type { OperateOptions } from '../pipeline/operate.ts';
import type { OperationResult } from '../pipeline/result.ts';
import type { Providers } from '../providers.ts';
import type { Sessions } from '../sessions.ts';
import type { SiteDefinition } from '../sites/definition.ts';
import { needsBrowser, pathsOf, responseOf } from '../sites/requests.ts';
import { accountOf, profileOf, type SiteAccount } from './account.ts';
import { captureEvidence, openEvidence, writeJson } from './evidence.ts';
import { adviceOf, StepName, StepReport, VerdictName } from './verdict.ts';
import type { Hand } from './visit.ts';
import { walk } from './walk.ts';

/** What a troubleshooting job is asked. */
export interface TroubleshootRequest {
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
  /** Folder under which evidence is kept. */
  readonly home: string;
  /** Leaves the session open for the next job. Default: a session that this job opened is closed. */
  readonly keepSession?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when a step begins. */
  readonly onStep?: ((step: StepName) => void) | undefined;
}

/** The answer to "why does this site not work?". */
export const TroubleshootReport = z.object({
  site: z.string(),
  name: z.string(),
  account: z.string(),
  verdict: VerdictName,
  /** One sentence. */
  because: z.string(),
  /** What to do. */
  advice: z.string(),
  /** The step that decided; `null` for `ok`. */
  step: StepName.nullable(),
  selector: z.string().nullable(),
  waitingReason: WaitingReason.nullable(),
  steps: z.array(StepReport),
  /** Features of the definition that are not supported; their steps went on without them. */
  unsupported: z.array(z.string()),
  evidence: z.object({ folder: z.string(), files: z.array(z.string()) }),
  sessionId: z.string(),
  durationMs: z.number(),
});
export type TroubleshootReport = z.infer<typeof TroubleshootReport>;

/** What the job uses of the runtime. */
export interface TroubleshootNeeds {
  readonly house: House;
  readonly providers: Providers;
  readonly sessions: Sessions;
  readonly operate: <T extends OperationType>(
    sessionId: SessionId,
    input: Extract<OperationInput, { type: T }>,
    caller: { readonly grant: Grant } & OperateOptions,
  ) => Promise<OperationResult<T>>;
}

/**
 * Walks a site as its definition describes it (landing, login, list, details, download) and ends in one verdict with
 * evidence. Opens a session of the account, or uses the open one.
 *
 * @throws BrowserError for what says nothing about the site: provider, database, configuration
 */
export async function troubleshoot(
  needs: TroubleshootNeeds,
  request: TroubleshootRequest,
): Promise<TroubleshootReport> {
  const began = performance.now();
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
    caller: `troubleshoot ${jobId}`,
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
      downloadPolicy: 'block',
    },
    grant,
  );
  const call = { grant, signal: request.signal, siteSecrets: secretsOf(definition, account) };
  const manage = <T extends 'open_tab' | 'close_tab' | 'close_session' | 'checkpoint'>(
    input: Extract<OperationInput, { type: T }>,
  ) => needs.operate<T>(session.id, input, call);
  let opened: TabId | null = null;
  try {
    const { value } = await manage({ type: 'open_tab', operationId: `${jobId}:tab` });
    opened = value.tabId;
    const hand = handOf(needs.operate, { sessionId: session.id, tabId: opened, jobId }, call);
    const { redactor } = needs.house;
    const end = await walk({
      hand,
      definition,
      account,
      sitelink,
      allowlist: session.allowlist,
      safe: { text: (text) => redactor.text(text).text, url: (url) => redactor.url(url, 'operator') },
      onStep: request.onStep ?? (() => undefined),
    });
    const folder = await openEvidence(request.home, definition.id, jobId);
    const files = [...(await captureEvidence(folder, hand, end.step ?? 'end'))];
    const report: TroubleshootReport = {
      site: definition.id,
      name: definition.name,
      account: request.account,
      verdict: end.verdict,
      because: end.because,
      advice: adviceOf[end.verdict],
      step: end.step,
      selector: end.finding?.selector ?? null,
      waitingReason: end.finding?.waitingReason ?? null,
      steps: [...end.steps],
      unsupported: [...end.unsupported],
      evidence: { folder, files },
      sessionId: session.id,
      durationMs: Math.round(performance.now() - began),
    };
    files.push(
      await writeJson(folder, 'ledger.json', await needs.sessions.operations(session.id), needs.house.redactor),
    );
    files.push(await writeJson(folder, 'report.json', report, needs.house.redactor));
    return report;
  } finally {
    await leave(manage, jobId, { tabId: opened, close: created && request.keepSession !== true });
  }
}

/** Leaves the house as it was found; a failure here must not hide the verdict. */
async function leave(
  manage: <T extends 'close_tab' | 'close_session' | 'checkpoint'>(
    input: Extract<OperationInput, { type: T }>,
  ) => Promise<unknown>,
  jobId: string,
  { tabId, close }: { readonly tabId: TabId | null; readonly close: boolean },
): Promise<void> {
  const quietly = async (work: Promise<unknown>) => {
    await work.catch((error: unknown) => {
      if (!BrowserError.is(error)) throw error;
    });
  };
  // The login is written down before its tabs go (report 62).
  await quietly(manage({ type: 'checkpoint', operationId: `${jobId}:checkpoint` }));
  if (close)
    return quietly(manage({ type: 'close_session', operationId: `${jobId}:close`, reason: 'troubleshooting is done' }));
  if (tabId !== null) await quietly(manage({ type: 'close_tab', tabId, operationId: `${jobId}:close` }));
}

/** The tab of a job: every operation gets the next operation id. */
function handOf(
  operate: TroubleshootNeeds['operate'],
  at: { readonly sessionId: SessionId; readonly tabId: TabId; readonly jobId: string },
  call: Parameters<TroubleshootNeeds['operate']>[2],
): Hand {
  let count = 0;
  return {
    operate: async (type, rest) => {
      count += 1;
      const input = {
        ...rest,
        type,
        tabId: at.tabId,
        ...(effectOf[type] === 'observe' ? {} : { operationId: `${at.jobId}:${count}-${type}` }),
      };
      // `set_cookies` is of the session and takes no tab; the operation is parsed strictly on its way in.
      const { tabId, ...ofSession } = input;
      return operate(at.sessionId, (type === 'set_cookies' ? ofSession : { tabId, ...ofSession }) as never, call);
    },
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
