import { z } from 'zod';
import { Instant } from './instant.ts';

/** Everything a provider may be able to do. Doors offer only what is usable and say why the rest is not (contract §10). */
export const CapabilityName = z.enum([
  'sessions',
  'tabs',
  'navigate',
  'history',
  'snapshot',
  'screenshot',
  'pageHtml',
  'interact',
  'hover',
  'clickAt',
  'drag',
  'upload',
  'extract',
  'links',
  'evaluate',
  'diagnostics',
  'downloadCapture',
  'takeover',
  'persistentProfile',
  'cookies',
]);
export type CapabilityName = z.infer<typeof CapabilityName>;

/** One capability. Usable means supported and verified (S004-13). */
export const Capability = z.object({
  /** This adapter on this upstream can do it now (S004-09). */
  supported: z.boolean(),
  /** Set only by `wheelhouse verify` on a live instance; probing never sets it (S004-10). */
  verified: z.boolean(),
  /** How `supported` is known: declared by the adapter, or found by probing the upstream. */
  source: z.enum(['static', 'probed']),
  /** Why not, or a limit; one sentence. */
  note: z.string().optional(),
});
export type Capability = z.infer<typeof Capability>;

/** All capabilities of one provider, and of what they were learnt. */
export const Capabilities = z
  .object({
    ...(Object.fromEntries(CapabilityName.options.map((name) => [name, Capability])) as Record<
      CapabilityName,
      typeof Capability
    >),
    upstreamVersion: z.string().nullable(),
    /** Browser engine as far as known: `firefox`, `chromium`. */
    engine: z.string().nullable(),
    probedAt: Instant.nullable(),
  })
  .meta({ id: 'Capabilities' });
export type Capabilities = z.infer<typeof Capabilities>;

/** What `capabilitiesWith` is told of one capability; the rest has defaults. */
export type CapabilityClaim = Partial<Omit<Capability, 'verified'>> & { readonly supported: boolean };

/**
 * A full set in which only the named capabilities are supported and nothing is verified.
 *
 * @example
 * capabilitiesWith({ snapshot: { supported: true } }, 'this adapter looks and does not touch')
 */
export function capabilitiesWith(
  claims: Partial<Record<CapabilityName, CapabilityClaim>>,
  otherwise: string,
  about: Partial<Pick<Capabilities, 'upstreamVersion' | 'engine' | 'probedAt'>> = {},
): Capabilities {
  const of = (name: CapabilityName): Capability => {
    const claim = claims[name];
    if (claim === undefined) return { supported: false, verified: false, source: 'static', note: otherwise };
    return { verified: false, source: 'static', ...claim };
  };
  const all = Object.fromEntries(CapabilityName.options.map((name) => [name, of(name)])) as Record<
    CapabilityName,
    Capability
  >;
  return { upstreamVersion: null, engine: null, probedAt: null, ...about, ...all };
}
