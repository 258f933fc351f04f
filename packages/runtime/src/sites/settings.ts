import { BrowserError } from '@wheelhouse/contracts';
import type { SettingBlock, SiteDefinition } from './definition.ts';
import type { TemplateValue, TemplateVariables } from './template.ts';

/** Settings whose value is the account: never in the clear on a command line, in a file or in a row. */
const secretName = /pass|cookie|token|secret|key$|key_|^pin$|_pin$|pin_?code|2fa|otp|two_?step/i;

/** Whether the value of a setting is secret: by its type, or by a name that says so. */
export function isSecretSetting({ name, type }: Pick<SettingBlock, 'name' | 'type'>): boolean {
  return type === 'password' || (type === 'text' && secretName.test(name));
}

/** Settings that carry a value; the others are notes for people. */
export function settingsWithValue(definition: SiteDefinition): readonly SettingBlock[] {
  return definition.settings.filter(({ type }) => !type.startsWith('info') && type !== 'cardigannCaptcha');
}

/**
 * The variables of a definition's templates for a browse of its list: defaults, what the account brings, no keywords.
 *
 * @param values settings of the account. What is not given here has its default, or is empty: templates go on, and
 *   with secrets left out nothing secret is in them.
 * @throws BrowserError `invalid_config` for a value that a `select` does not offer
 */
export function variablesOf(
  definition: SiteDefinition,
  sitelink: string,
  values: ReadonlyMap<string, string>,
): TemplateVariables {
  const variables = new Map<string, TemplateValue>([
    ['True', 'True'],
    ['False', ''],
    ['Keywords', ''],
    ['Query.Keywords', ''],
    ['Categories', []],
    ['Today.Year', String(new Date().getUTCFullYear())],
    ['Config.sitelink', sitelink],
  ]);
  for (const setting of settingsWithValue(definition)) {
    variables.set(`Config.${setting.name}`, valueOf(setting, values.get(setting.name)));
  }
  return variables;
}

function valueOf(setting: SettingBlock, given: string | undefined): string {
  const value = given ?? setting.default ?? '';
  if (setting.type === 'checkbox') return /^(true|yes|on|1)$/i.test(value) ? 'True' : '';
  if (setting.type === 'select' && given !== undefined) return optionOf(setting, given);
  return value;
}

/** The key of an option, given as its key or its label. */
function optionOf({ name, options = {} }: SettingBlock, given: string): string {
  if (Object.hasOwn(options, given)) return given;
  const byLabel = Object.entries(options).find(([, label]) => label === given);
  if (byLabel !== undefined) return byLabel[0];
  throw new BrowserError('invalid_config', `the setting ${name} takes one of: ${Object.keys(options).join(', ')}`);
}
