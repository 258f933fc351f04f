import process from 'node:process';
import { parseArgs } from 'node:util';
import { startFixtureSite } from './server.ts';
import { Family, LoginVariant, SiteState } from './switches.ts';

// node scripts/up.mjs run packages/testkit/src/fixture-site/main.ts --port 8090 --family unit3d
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    family: { type: 'string', default: 'nexusphp' },
    seed: { type: 'string', default: 'fixture' },
    state: { type: 'string', default: 'healthy' },
    login: { type: 'string', default: 'plain' },
    /** Print only this: the definition with that login method. */
    definition: { type: 'string' },
  },
});
const site = await startFixtureSite({
  family: Family.parse(values.family),
  port: Number(values.port),
  seed: values.seed,
  switches: { state: SiteState.parse(values.state), login: LoginVariant.parse(values.login) },
});
const { origin, movedOrigin, family, controlToken, account } = site;
process.stdout.write(
  `${JSON.stringify({ origin, movedOrigin, family, controlToken, account, cookie: site.issueCookie() })}\n`,
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void site.close());
