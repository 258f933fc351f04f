import { startFixtureSite } from '@wheelhouse/testkit';
import { serveParent } from './child.ts';

/** The site, which counts what really arrives. */
const site = await startFixtureSite();
serveParent(site.origin, async () => site.effects().presses);
