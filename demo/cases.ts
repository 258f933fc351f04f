import type { VerdictName } from '@wheelhouse/runtime';
import type { FixtureSiteOptions, SiteState } from '@wheelhouse/testkit';

/** One site of the demo: how it is broken, and what the job must find. */
export interface DemoCase {
  readonly name: string;
  readonly family: NonNullable<FixtureSiteOptions['family']>;
  readonly state: SiteState;
  readonly login?: 'form' | 'cookie';
  readonly captcha?: boolean;
  readonly expected: VerdictName;
}

/** Every way in which a site breaks, over both kinds of tracker. */
export const demoCases: readonly DemoCase[] = [
  { name: 'healthy', family: 'nexusphp', state: 'healthy', expected: 'ok' },
  { name: 'healthy_unit3d', family: 'unit3d', state: 'healthy', expected: 'ok' },
  { name: 'logged_out', family: 'nexusphp', state: 'logged_out', login: 'cookie', expected: 'auth_expired' },
  { name: 'structure_changed', family: 'unit3d', state: 'structure_changed', expected: 'structure_changed' },
  { name: 'moved', family: 'nexusphp', state: 'moved', expected: 'moved' },
  { name: 'challenge', family: 'unit3d', state: 'challenge', expected: 'needs_human' },
  { name: 'captcha', family: 'nexusphp', state: 'healthy', captcha: true, expected: 'needs_human' },
  { name: 'banned', family: 'nexusphp', state: 'banned', expected: 'blocked' },
  { name: 'unavailable', family: 'unit3d', state: 'unavailable', expected: 'unavailable' },
  { name: 'maintenance', family: 'nexusphp', state: 'maintenance', expected: 'unavailable' },
];
