import { nexusphpDefinition } from './nexusphp/definition.ts';
import type { Family } from './switches.ts';
import { unit3dDefinition } from './unit3d/definition.ts';

/** Which definition of a site to write. */
export interface DefinitionOptions {
  /** `form` fills in the login form, `post` posts the fields, `cookie` uses a copied cookie. Default `form`. */
  readonly login?: 'form' | 'post' | 'cookie';
}

/** A definition in the field's own format for a site at an origin. */
export function siteDefinition(family: Family, origin: string, options: DefinitionOptions = {}): string {
  const login = options.login ?? 'form';
  return family === 'nexusphp' ? nexusphpDefinition(origin, login) : unit3dDefinition(origin, login);
}
