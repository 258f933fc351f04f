import { setTimeout as sleep } from 'node:timers/promises';
import { json, redirect, type Reply, type SiteRequest } from '../http.ts';
import { markup } from '../markup.ts';
import type { SiteContext } from '../site-context.ts';
import { bounded, labPage } from './layout.ts';

const longestWaitMs = 120_000;

/**
 * `/act/ID`: counts the press on arrival, then answers. `ms` delays the answer; `then` spoils it after the effect:
 * `reset` the connection, `error` 500, `away` to the moved host. Forms get a page, everything else JSON.
 */
export async function act(request: SiteRequest, context: SiteContext): Promise<Reply> {
  const id = decodeURIComponent(request.path.slice('/act/'.length));
  const count = countPress(id, context);
  await sleep(bounded(request.query, 'ms', { fallback: 0, max: longestWaitMs }));
  switch (request.query.get('then') ?? '') {
    case 'reset':
      return { status: 0, headers: {}, body: (response) => response.socket?.resetAndDestroy() };
    case 'error':
      return json({ error: 'Internal Server Error' }, 500);
    case 'away':
      return redirect(`${context.movedOrigin()}/lab/landed?by=${encodeURIComponent(id)}`);
    case 'back':
      return redirect(localPath(request.headers.referer) ?? '/lab');
  }
  const wantsPage = (request.headers.accept ?? '').includes('text/html');
  return wantsPage ? labPage('Done', markup`<p id="done">${id} was pressed ${count} times.</p>`) : json({ id, count });
}

/** `/lab/form`: a form whose POST takes `ms` milliseconds (the page's own `ms`, default 0) and shows the form again. */
export async function formPage(request: SiteRequest, context: SiteContext): Promise<Reply> {
  const ms = bounded(request.query, 'ms', { fallback: 0, max: longestWaitMs });
  const saved = request.method === 'POST' ? countPress('form', context) : context.effects.tallied('presses', 'form');
  if (request.method === 'POST') await sleep(ms);
  return labPage(
    'Settings',
    markup`<form method="post" action="/lab/form?ms=${ms}"><label>Title <input name="title" value="${request.form.get('title') ?? 'Old title'}"></label>
<label>Kind <select name="kind"><option>Film</option><option>Series</option></select></label>
<label><input type="checkbox" name="public" value="1"> Public</label><button type="submit">Save</button></form><p id="saved">Saved ${saved} times.</p>`,
  );
}

/** `/lab/count`: what was pressed, for other processes. */
export function countPage(context: SiteContext): Reply {
  const { presses, log } = context.effects.read();
  return json({ presses, total: Object.values(presses).reduce((sum, count) => sum + count, 0), log });
}

/** Counts one press and returns how often the id was pressed by now. */
function countPress(id: string, context: SiteContext): number {
  context.effects.record('press', id);
  return context.effects.tally('presses', id);
}

function localPath(referer: string | undefined): string | null {
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).pathname : null;
}
