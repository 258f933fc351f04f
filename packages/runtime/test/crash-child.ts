import { Grant, SessionId, TabId } from '@wheelhouse/contracts';
import { listOpenTabs } from '@wheelhouse/db';
import { operate } from '../src/pipeline/operate.ts';
import { openHouse } from './open-house.ts';
import { createScriptedBrowser } from './scripted-provider.ts';

/**
 * A worker that is about to be killed: `crash-child.ts URL SESSION sent|unsent`. Opens a page, clicks under the id
 * `click-1`, and says so from inside the click, after or before the request may have left. Then it hangs.
 */
const [url = '', session = '', when = 'sent'] = process.argv.slice(2);
const browser = createScriptedBrowser();
const inside = async () => {
  process.stdout.write('"inside"\n');
  await new Promise(() => setInterval(() => undefined, 60_000));
};
browser.before('click', inside);
const house = openHouse(
  url,
  {
    ...browser.provider,
    click: (tab, target, act) =>
      browser.provider.click(tab, target, when === 'sent' ? act : { ...act, dispatched: inside }),
  },
  1_500,
);
const sessionId = SessionId.parse(session);
const caller = { grant: Grant.parse({ caller: 'worker', classes: ['observe', 'navigate', 'interact', 'manage'] }) };
await operate(house, sessionId, { type: 'open_tab', operationId: 'open-1' }, caller);
const tabId = TabId.parse((await listOpenTabs(house.db.kysely, sessionId))[0]?.id);
const { value } = await operate(house, sessionId, { type: 'snapshot', tabId }, caller);
const { documentToken } = value;
await operate(house, sessionId, { type: 'click', tabId, operationId: 'click-1', ref: 'e1', documentToken }, caller);
