import { z } from 'zod';

/**
 * Where a secret lives, never the secret: `env:NAME`, `file:/absolute/path` (mode 0600), `credential:NAME`
 * (systemd), or `site:SETTING` for a value of the site's own account. Resolved on the server at the last moment.
 */
export const SecretRef = z
  .string()
  .max(1024)
  .regex(
    /^(env:[A-Za-z_]\w{0,127}|file:\/[^\0]+|credential:[\w.-]{1,128}|site:[\w.-]{1,128})$/,
    'write env:NAME, file:/path, credential:NAME or site:SETTING',
  )
  .brand('SecretRef');
export type SecretRef = z.infer<typeof SecretRef>;

/** Gives the value behind a reference. Throws `secret_not_found`; the value never appears in a message. */
export type SecretResolver = (ref: SecretRef) => Promise<string>;

/**
 * What to type. Plain text into a credential field is refused (`credential_field`); secrets are given by reference
 * and never pass a model, a log or a row (S000-36, S004-38). At most 10,000 characters.
 */
export const TypeInput = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string().max(10_000) }),
  z.strictObject({ kind: z.literal('secret'), ref: SecretRef }),
]);
export type TypeInput = z.infer<typeof TypeInput>;
