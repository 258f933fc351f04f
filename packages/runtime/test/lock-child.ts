import { Grant, SessionId } from '@wheelhouse/contracts';
import { getSession, listOpenTabs } from '@wheelhouse/db';
import { operate } from '../src/pipeline/operate.ts';
import { openHouse } from './open-house.ts';
import { createScriptedBrowser } from './scripted-provider.ts';

/**
 * One of many workers on the same profiles: `lock-child.ts URL NAME COUNT SESSION...`. Navigates COUNT times on each
 * session in turn and prints one line: when each stay inside the browser began and ended, on the clock of this host.
 */
const [url = '', name = '', count = '0', ...sessions] = process.argv.slice(2);
const browser = createScriptedBrowser();
const stays: { profile: string; by: string; beginNs: string; endNs: string }[] = [];
const house = openHouse(
  url,
  {
    ...browser.provider,
    navigate: async (tab) => {
      const beginNs = process.hrtime.bigint().toString();
      await new Promise((done) => setTimeout(done, Math.random() * 4));
      stays.push({ profile: tab.profileKey, by: name, beginNs, endNs: process.hrtime.bigint().toString() });
      return { outcome: 'applied', landingUrl: null, notInterceptable: [], httpStatus: 200 };
    },
  },
  10_000,
);
const caller = { grant: Grant.parse({ caller: name, classes: ['navigate'] }), timeoutMs: 90_000 };
for (let i = 0; i < Number(count); i += 1) {
  for (const session of sessions) {
    const sessionId = SessionId.parse(session);
    if ((await getSession(house.db.kysely, sessionId)) === null) throw new Error('no session');
    const [tab] = await listOpenTabs(house.db.kysely, sessionId);
    if (tab === undefined) throw new Error('no tab');
    const operationId = `${name}-${i}`;
    const address = 'https://tracker.example/';
    await operate(house, sessionId, { type: 'navigate', tabId: tab.id, operationId, url: address }, caller);
  }
}
await house[Symbol.asyncDispose]();
process.stdout.write(`${JSON.stringify(stays)}\n`);
