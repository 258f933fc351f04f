import { startEmbeddedPostgres } from '../src/index.ts';

/**
 * A process of its own that uses an embedded server: `embedded-child.ts FOLDER [stay|leave]`. Prints one line of JSON
 * once it is up; `stay` keeps using it until the process is killed.
 */
const [folder = '', then = 'leave'] = process.argv.slice(2);
try {
  const server = await startEmbeddedPostgres(folder);
  const { url, port, pid, adopted, how } = server;
  process.stdout.write(`${JSON.stringify({ url, port, pid, adopted, how })}\n`);
  if (then === 'stay') setInterval(() => undefined, 60_000);
  else await server.leave();
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error })}\n`);
  process.exitCode = 1;
}
