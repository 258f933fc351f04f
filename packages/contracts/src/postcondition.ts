import { z } from 'zod';

/** An address without what may hold a secret: no userinfo, query or fragment. It is written into the ledger. */
const PlainAddress = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((url) => !/[?#]|\/\/[^/]*@/.test(url), 'an address in a postcondition has no userinfo, query or fragment');

/**
 * What will be so when an operation has had its effect, and is not so before: it may settle an `unknown` outcome by
 * looking, never by acting.
 *
 * It proves something only where it did not hold before the operation was dispatched. That is looked at then, at the
 * price of one observation and one round trip. One that held already proves nothing, and its operation stays unknown.
 * Nothing secret: the postcondition is stored. One that redaction would change is refused (`invalid_request`).
 */
export const Postcondition = z
  .discriminatedUnion('kind', [
    /** The tab shows this address; query and fragment of the page are not compared. */
    z.strictObject({ kind: z.literal('address_is'), url: PlainAddress }),
    /** Same origin, and the path begins so. */
    z.strictObject({ kind: z.literal('address_starts_with'), url: PlainAddress }),
    /** The snapshot has this text, to the letter. 3 to 200 characters. */
    z.strictObject({ kind: z.literal('text_present'), text: z.string().min(3).max(200) }),
    /** The tab has a finished download of this suggested file name. 1 to 255 characters. */
    z.strictObject({ kind: z.literal('download_present'), filename: z.string().min(1).max(255) }),
    /** The upstream no longer lists the tab. What `close_tab` has when nothing else is said. */
    z.strictObject({ kind: z.literal('tab_gone') }),
  ])
  .meta({ id: 'Postcondition' });
export type Postcondition = z.infer<typeof Postcondition>;
