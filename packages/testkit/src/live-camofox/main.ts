// Starts the real server by hand: `node scripts/up.mjs run packages/testkit/src/live-camofox/main.ts`. Stops on Ctrl-C.
import { startLiveCamofox } from './live-camofox.ts';

const live = await startLiveCamofox();
const { origin, accessKey, version, browserName } = live;
process.stdout.write(`${JSON.stringify({ origin, accessKey, version, browserName, pid: process.pid })}\n`);
const keep = setInterval(() => undefined, 60_000);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clearInterval(keep);
    void live.stop();
  });
}
