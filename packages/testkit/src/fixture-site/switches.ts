import { z } from 'zod';

/** The two kinds of site software that the fixture imitates. */
export const Family = z.enum(['nexusphp', 'unit3d']);
export type Family = z.infer<typeof Family>;

/** What a page is for. */
export const PageKind = z.enum(['landing', 'login', 'list', 'details', 'download', 'account']);
export type PageKind = z.infer<typeof PageKind>;

/**
 * How the site is broken.
 * - `logged_out`: cookies from before the switch, and those of `issueCookie`, are refused; a new login works.
 * - `structure_changed`: list and details are there, in other markup. The login form only when `only` names it.
 * - `moved`: everything asked of 127.0.0.1 is redirected to the same port of localhost, where the site works.
 * - `challenge`: a bot check stands before the site until its button is pressed (then by a clearance cookie).
 * - `banned`, `unavailable`, `maintenance`: a notice instead of every page, with status 200, 503 and 200.
 * - `slow`: every answer comes `delayMs` later. `reset`: the connection is reset instead of an answer.
 */
export const SiteState = z.enum([
  'healthy',
  'logged_out',
  'structure_changed',
  'moved',
  'challenge',
  'banned',
  'unavailable',
  'maintenance',
  'slow',
  'reset',
]);
export type SiteState = z.infer<typeof SiteState>;

/** What the login asks for besides name and password. */
export const LoginVariant = z.enum(['plain', 'captcha', 'otp', 'captcha+otp']);
export type LoginVariant = z.infer<typeof LoginVariant>;

const Scope = z.union([PageKind, z.string().startsWith('/')]);

/** Everything that can be switched while the site runs. */
export const SwitchesPatch = z
  .strictObject({
    state: SiteState,
    /** Pages that `state` is limited to: kinds, or beginnings of paths (`/lab`). Empty: every page of the tracker. */
    only: z.union([Scope.transform((one) => [one]), z.array(Scope)]),
    login: LoginVariant,
    /** Delay of `slow`, milliseconds; `forever` never answers. */
    delayMs: z.union([z.int().min(0).max(600_000), z.literal('forever')]),
    /** Status of the challenge page: Cloudflare answers 403, older ones 503. */
    challengeStatus: z.union([z.literal(403), z.literal(503)]),
    /** Failed logins after which the login is locked until `reset()`. */
    maxLoginAttempts: z.int().min(1).max(1_000),
  })
  .partial();

/** A change of switches, as `set` and the control endpoint take it. */
export type SwitchesPatch = z.input<typeof SwitchesPatch>;

/** The present position of every switch. */
export type Switches = {
  readonly [Name in keyof z.output<typeof SwitchesPatch>]-?: NonNullable<z.output<typeof SwitchesPatch>[Name]>;
};

/** How a site starts: healthy, plain login. */
export const defaultSwitches: Switches = {
  state: 'healthy',
  only: [],
  login: 'plain',
  delayMs: 5_000,
  challengeStatus: 403,
  maxLoginAttempts: 10,
};

/** The switches after a change. A new `state` without `only` holds for every page, whatever `only` was before. */
export function applySwitches(present: Switches, change: SwitchesPatch): Switches {
  const patch = SwitchesPatch.parse(change);
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  return { ...present, ...(patch.state === undefined ? {} : { only: [] }), ...given };
}

/** Whether `state` is on and holds for this page. Lab and control pages are only reached by a path in `only`. */
export function isIn(switches: Switches, state: SiteState, page: { kind: PageKind | null; path: string }): boolean {
  if (switches.state !== state) return false;
  if (switches.only.length === 0) return !/^\/(lab|act|__)/.test(page.path);
  return switches.only.some((scope) => scope === page.kind || (scope.startsWith('/') && page.path.startsWith(scope)));
}
