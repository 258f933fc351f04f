import { createHash } from 'node:crypto';
import { BrowserError, type ProfileKey, profileKeyOf, SecretRef, type SecretResolver } from '@wheelhouse/contracts';
import type { SiteDefinition } from '../sites/definition.ts';
import { isSecretSetting, settingsWithValue, variablesOf } from '../sites/settings.ts';
import { renderTemplate, type TemplateVariables } from '../sites/template.ts';

/** The account of a site, as a job uses it: settings in the clear, secrets by reference. */
export interface SiteAccount {
  /** Variables for templates that may be seen: secrets are missing in them. */
  readonly variables: TemplateVariables;
  /** Whether a setting has a value, secret or not. */
  has(setting: string): boolean;
  /** Whether a template names a setting that is given by reference. */
  isSecret(template: string): boolean;
  /** Renders a template with the real secrets in it; only to be typed or sent, never to be kept. */
  reveal(template: string): Promise<string>;
}

/**
 * Joins a definition with what the account brings.
 *
 * @param given settings by name; secret ones as references (`env:NAME` …)
 * @throws BrowserError `invalid_config` for unknown settings, and for secrets in the clear
 */
export function accountOf(
  definition: SiteDefinition,
  sitelink: string,
  given: ReadonlyMap<string, string>,
  resolve: SecretResolver,
): SiteAccount {
  const known = new Map(settingsWithValue(definition).map((setting) => [setting.name, setting]));
  const plain = new Map<string, string>();
  const secret = new Map<string, SecretRef>();
  for (const [name, value] of given) {
    const setting = known.get(name);
    if (setting === undefined) {
      throw new BrowserError(
        'invalid_config',
        `${definition.id} has no setting ${name}; it has: ${[...known.keys()].join(', ')}`,
      );
    }
    const ref = SecretRef.safeParse(value);
    if (ref.success) secret.set(name, ref.data);
    else if (isSecretSetting(setting)) {
      throw new BrowserError(
        'invalid_config',
        `the setting ${name} is secret: give it as env:NAME, file:/path or credential:NAME`,
      );
    } else plain.set(name, value);
  }
  const variables = variablesOf(definition, sitelink, plain);
  const names = (template: string) => [...template.matchAll(/\.Config\.([\w-]+)/g)].map((match) => match[1] ?? '');
  return {
    variables,
    isSecret: (template) => names(template).some((name) => secret.has(name)),
    has: (setting) => secret.has(setting) || (plain.get(setting) ?? '') !== '',
    reveal: async (template) => {
      const revealed = new Map(variables);
      for (const name of names(template)) {
        const ref = secret.get(name);
        if (ref !== undefined) revealed.set(`Config.${name}`, await resolve(ref));
      }
      return renderTemplate(template, revealed);
    },
  };
}

/** The profile of an account: the same for the same site and account, on every host. */
export function profileOf(siteId: string, account: string): ProfileKey {
  return profileKeyOf(uuidOf(`site ${siteId}`), uuidOf(`account ${siteId} ${account}`));
}

/** A UUID made from a name (RFC 9562 version 8: our own digest). */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(`wheelhouse ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
