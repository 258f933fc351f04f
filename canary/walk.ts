import { randomUUID } from 'node:crypto';
import { type Grant, OperationId, profileKeyOf, SecretRef, type SessionId, type TabId } from '@wheelhouse/contracts';
import { loadDefinition } from '@wheelhouse/runtime';
import type { Canaries } from './canaries.ts';
import type { RuleLines } from './rule-lines.ts';
import type { Witness } from './witness.ts';
import type { World } from './world.ts';

const grant: Grant = { caller: 'canary', classes: ['observe', 'navigate', 'interact', 'manage'], siteSelectors: true };
const id = (what: string) => OperationId.parse(`${what}-${randomUUID()}`);

/** A tab in a session of its own. */
interface Tab {
  readonly sessionId: SessionId;
  readonly tabId: TabId;
}

/** Configures both browser services; the scripted one is only for answers that no browser gives. */
export async function addProviders({ runtime, upstream, scripted }: World, witness: Witness): Promise<void> {
  const key = SecretRef.parse('env:CANARY_KEY');
  const add = (name: string, baseUrl: string) =>
    runtime.providers.add({ name, kind: 'camofox', baseUrl, secretRef: key, allowlist: ['127.0.0.1'] });
  await witness.take('add provider', add('browser', upstream.origin));
  await witness.take('add scripted provider', add('scripted', scripted.origin));
  await witness.take('check provider', runtime.providers.check('browser'));
}

async function openTab({ runtime }: World, witness: Witness, name: string): Promise<Tab> {
  const provider = await runtime.providers.get(name);
  const open = { providerId: provider.id, operationId: id('open'), profileKey: profileKeyOf('canary', name) };
  const { session } = await runtime.sessions.open({ ...open, downloadPolicy: 'capture' }, grant);
  const operation = { type: 'open_tab', operationId: id('tab') } as const;
  const opened = await witness.take('open tab', runtime.operate<'open_tab'>(session.id, operation, { grant }));
  if (opened === null) throw new Error('no tab could be opened');
  return { sessionId: session.id, tabId: opened.value.tabId };
}

/** An agent that looks at everything, types a secret, is refused, captures a file, and hands over to a person. */
export async function walkPages(world: World, witness: Witness, canaries: Canaries): Promise<void> {
  const { runtime, site } = world;
  const at = await openTab(world, witness, 'browser');
  const { sessionId, tabId } = at;
  const go = (path: string, of = id('go')) =>
    witness.take(
      `navigate ${path.split(/[/?]/)[2] ?? ''}`,
      runtime.operate<'navigate'>(
        sessionId,
        { type: 'navigate', tabId, url: site.page(path), operationId: of },
        { grant },
      ),
    );
  const look = () =>
    witness.take('snapshot', runtime.operate<'snapshot'>(sessionId, { type: 'snapshot', tabId }, { grant }));
  await go('/canary/page');
  const seen = await look();
  await witness.take('links', runtime.operate<'links'>(sessionId, { type: 'links', tabId }, { grant }));
  await witness.take('screenshot', runtime.operate<'screenshot'>(sessionId, { type: 'screenshot', tabId }, { grant }));
  const password = seen?.value.elements.find(({ role, name }) => role === 'textbox' && name?.startsWith('Password'));
  if (seen === null || password === undefined) throw new Error('the page was not seen');
  const type = (input: { kind: 'text'; text: string } | { kind: 'secret'; ref: SecretRef }, documentToken: string) =>
    runtime.operate<'type'>(
      sessionId,
      { type: 'type', tabId, ref: password.ref, documentToken, operationId: id('type'), input },
      { grant },
    );
  await witness.take('type in the clear', type({ kind: 'text', text: canaries.password }, seen.value.documentToken));
  const again = await look();
  const ref = SecretRef.parse('env:WHEELHOUSE_SITE_FIXTURE_NEXUSPHP_PASSWORD');
  if (again !== null) await witness.take('type a secret', type({ kind: 'secret', ref }, again.value.documentToken));
  await look();
  // From here on the password is known: pages may write it in any way.
  await go('/canary/echo');
  await look();
  await go('/canary/go');
  await look();
  await go(`/canary/rss/${canaries.path}/feed?passkey=${canaries.query}`);
  await look();
  await go(`/canary/page?session=${canaries.cookie}`);
  await witness.take(
    'a postcondition with a secret',
    runtime.operate<'navigate'>(
      sessionId,
      {
        type: 'navigate',
        tabId,
        url: site.page('/canary/page'),
        operationId: id('go'),
        postcondition: { kind: 'text_present', text: `passkey=${canaries.query}` },
      },
      { grant },
    ),
  );
  await witness.take(
    'refused address',
    go(`/canary/page?passkey=${canaries.query}`).then(() => outside(world, at, canaries)),
  );
  await people(world, witness, at, canaries);
  await witness.take('tabs', runtime.sessions.tabs(sessionId));
  await witness.take('ledger', runtime.sessions.operations(sessionId));
}

/** An address that the allowlist refuses, with secrets in it. */
function outside({ runtime }: World, { sessionId, tabId }: Tab, canaries: Canaries) {
  const url = `https://fox:${canaries.query}@elsewhere.example/${canaries.path}?passkey=${canaries.query}`;
  return runtime.operate<'navigate'>(sessionId, { type: 'navigate', tabId, url, operationId: id('go') }, { grant });
}

/** What people write into briefs and notes. */
async function people({ runtime }: World, witness: Witness, { sessionId }: Tab, canaries: Canaries): Promise<void> {
  const { control } = runtime;
  const brief = `log in with passkey=${canaries.query}, password ${canaries.password}`;
  await witness.take('need a person', control.needHuman(sessionId, 'captcha', brief));
  const lease = await witness.take(
    'request control',
    control.request({ sessionId, holder: 'ops@desk', reason: brief, ttlMs: 60_000 }),
  );
  if (lease === null) throw new Error('nobody got control');
  await witness.take(
    'hand back',
    control.handBack({ leaseId: lease.id, holder: 'ops@desk', note: `https://t.example/?passkey=${canaries.query}` }),
  );
  await witness.take('look at control', control.look(sessionId));
}

/** Upstream answers that no browser gives: error texts with everything in them, and the snapshots of the rules. */
export async function walkScripted(
  world: World,
  witness: Witness,
  { canaries, rules }: { readonly canaries: Canaries; readonly rules: RuleLines },
): Promise<void> {
  const { runtime, scripted, site } = world;
  const { sessionId, tabId } = await openTab(world, witness, 'scripted');
  const url = site.page('/canary/page');
  const go = (what: string) =>
    witness.take(
      what,
      runtime.operate<'navigate'>(sessionId, { type: 'navigate', tabId, url, operationId: id('go') }, { grant }),
    );
  await go('scripted page');
  const error = `page.goto: ${url}?passkey=${canaries['upstream error']} X-Api-Key: ${canaries.header} Authorization: Bearer ${canaries['provider key']} Cookie: tlx=${canaries.cookie}`;
  const fail = async (status: number, body: object) => {
    using fault = scripted.fault({ match: { path: /\/navigate$/ }, kind: 'status', status, body });
    await go(`upstream error ${status}`);
    if (fault.hits() === 0) throw new Error(`the error ${status} was not asked for`);
  };
  await fail(500, { error });
  await fail(422, { error, code: canaries['upstream error'] });
  await fail(401, { error });
  await fail(429, { error, retryAfter: canaries['upstream error'] });
  using links = scripted.fault({
    match: { path: /\/links$/ },
    kind: 'wrong-json',
    body: { links: canaries['upstream error'] },
  });
  await witness.take('wrong answer', runtime.operate<'links'>(sessionId, { type: 'links', tabId }, { grant }));
  if (links.hits() === 0) throw new Error('the wrong answer was not asked for');
  await go('scripted page again');
  for (const { rule, line } of rules.lines.filter(({ isSnapshot }) => isSnapshot)) {
    const body = { url, snapshot: line, refsCount: 0, structure: { forms: [] } };
    using shown = scripted.fault({ match: { path: /\/snapshot$/ }, kind: 'wrong-json', body });
    await witness.take(
      `snapshot for ${rule}`,
      runtime.operate<'snapshot'>(sessionId, { type: 'snapshot', tabId }, { grant }),
    );
    if (shown.hits() === 0) throw new Error(`the snapshot for ${rule} was not asked for`);
  }
  await fail(404, { error });
  const close = { type: 'close_session', operationId: id('close'), reason: `done, passkey=${canaries.query}` } as const;
  await witness.take('close', runtime.operate<'close_session'>(sessionId, close, { grant }));
}

/** The jobs that users run: a site is examined, a file of it is grabbed. Resolves with the id of the file. */
export async function runJobs(world: World, witness: Witness): Promise<string> {
  const { runtime, site, environment, folder } = world;
  const request = {
    definition: loadDefinition(site.definition, 'canary.yml'),
    account: 'job',
    provider: 'browser',
    settings: new Map([
      ['username', site.username],
      ['password', 'env:WHEELHOUSE_SITE_FIXTURE_NEXUSPHP_PASSWORD'],
    ]),
  };
  const home = environment['WHEELHOUSE_HOME'] ?? folder;
  const report = await witness.take('troubleshoot', runtime.troubleshoot({ ...request, home }));
  if (report?.verdict !== 'ok') throw new Error(`the site was not examined: ${report?.because ?? 'no report'}`);
  const grabbed = await witness.take('grab', runtime.grab({ ...request, detailsUrl: site.details }));
  if (grabbed?.artifact == null) throw new Error(`no file was captured: ${grabbed?.because ?? 'no report'}`);
  await witness.take('files', runtime.files.list());
  await witness.take('file', runtime.files.get(grabbed.artifact.id));
  return grabbed.artifact.id;
}

/** What an application around the layer logs: requests, settings, errors, and lines as the rules know them. */
export function logEverything({ log, databaseUrl }: World, canaries: Canaries, rules: RuleLines): void {
  log.info({ databaseUrl, headers: { 'x-api-key': canaries.header, cookie: `tlx=${canaries.cookie}` } }, 'starting');
  log.warn(`cannot connect to ${databaseUrl}`);
  log.info({ login: { user: 'fox', password: canaries.password } }, `typed "${canaries.password}" into e2 (Password)`);
  log.debug(`the browser service says: page.goto: /dl?passkey=${canaries['upstream error']}`);
  log.info({ title: `Profile - passkey=${canaries.title}`, feed: `/rss/${canaries.path}/feed` });
  log.info({ row: `Passkey | ${canaries['table cell']}` }, `Passkey: ${canaries['table cell']}`);
  log.info(`announce https://t.example/announce/${canaries['download body']}`);
  log.error(
    new Error(`GET /dl?passkey=${canaries.query}`, {
      cause: new TypeError(`Bearer ${canaries['provider key']}`, {
        cause: new AggregateError([new Error(databaseUrl)], `[${canaries['file name']}].Quiet.torrent`),
      }),
    }),
  );
  for (const { line, rule } of rules.lines.filter(({ isSnapshot }) => !isSnapshot)) {
    log.info({ rule, line, list: [line] }, line);
    log.error({ err: new Error(line, { cause: new Error(line) }) }, 'failed: %s', line);
  }
}
