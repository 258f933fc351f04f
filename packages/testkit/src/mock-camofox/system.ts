import { adminGate } from './auth.ts';
import { type Handler, ok, refuse } from './call.ts';
import { type Route, tabRoutes } from './route-table.ts';

const engine = 'camoufox';
const fullVersion = { '1.14': '1.14.0', '1.17': '1.17.0' } as const;

/** GET /health. Says `ok:true` with a dead browser as well; only `browserRunning` tells. */
const health: Handler = (_call, browser) =>
  ok({
    ok: true,
    engine,
    browserConnected: browser.running,
    browserRunning: browser.running,
    activeTabs: browser.running ? browser.tabCount() : 0,
    activeSessions: browser.sessions.size,
    consecutiveFailures: Math.max(0, ...browser.navigationFailures.values()),
    memory: { rssMb: 150, heapUsedMb: 50, nativeMemMb: 100 },
  });

const root: Handler = (_call, { running }) =>
  ok({ ok: true, enabled: true, running, engine, browserConnected: running, browserRunning: running });

const start: Handler = (_call, browser) => {
  browser.start();
  return ok({ ok: true, profile: engine });
};

/** Not final: the next tab starts the browser again. */
const stop: Handler = (call, browser) => {
  const refused = adminGate(call, browser.settings);
  if (refused !== null) return refused;
  browser.stop();
  return ok({ ok: true, stopped: true, profile: engine });
};

const metrics: Handler = () => refuse(404, 'Prometheus metrics disabled. Set PROMETHEUS_ENABLED=1 to enable.');

/** All routes of a release. */
export function routesOf(version: '1.14' | '1.17'): readonly Route[] {
  const others = tabRoutes(version);
  const system: readonly Route[] = [
    { method: 'GET', path: '/health', handler: health },
    { method: 'GET', path: '/', handler: root },
    { method: 'POST', path: '/start', handler: start },
    { method: 'POST', path: '/stop', handler: stop },
    { method: 'GET', path: '/metrics', handler: metrics },
    {
      method: 'GET',
      path: '/openapi.json',
      handler: () =>
        ok({
          openapi: '3.0.3',
          info: { title: 'camofox-browser', version: fullVersion[version] },
          paths: Object.fromEntries(others.map(({ path }) => [path.replace(/:(\w+)/g, '{$1}'), {}])),
        }),
    },
  ];
  return [...system, ...others];
}
