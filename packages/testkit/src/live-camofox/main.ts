// Starts the real server by hand: `node scripts/up.mjs run packages/testkit/src/live-camofox/main.ts [1.14]`. Stops on Ctrl-C.
import { startLiveCamofox } from './live-camofox.ts';

const live = await startLiveCamofox({ version: process.argv[2] === '1.14' ? '1.14' : '1.17' });
const { origin, accessKey, version, browserName, logPath } = live;
process.stdout.write(`${JSON.stringify({ origin, accessKey, version, browserName, logPath, pid: live.pid() })}\n`);
const keep = setInterval(() => undefined, 60_000);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clearInterval(keep);
    void live.stop();
  });
}
