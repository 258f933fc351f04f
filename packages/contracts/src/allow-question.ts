import { z } from 'zod';
import {
  type Allowlist,
  decideCallerAddress,
  decideHref,
  decideLanding,
  type Decision,
  parseAllowlist,
} from './allowlist.ts';
import { BrowserError } from './errors.ts';

/** One line of `wheelhouse allow --jsonl`: may this address be visited under this list? Other fields are ignored. */
export const AllowQuestion = z.object({
  id: z.union([z.string(), z.number()]),
  url: z.string(),
  /** Entries as they are configured. */
  allowlist: z.array(z.string()),
  /** Page that a link stands on. */
  base: z.string().optional(),
  /** Who says the address. Absent: a link where `base` is given, else a page that the browser reports. */
  from: z.enum(['caller', 'landing', 'href']).optional(),
});
export type AllowQuestion = z.infer<typeof AllowQuestion>;

/** The answer to one question. */
export interface AllowAnswer {
  readonly id: string | number;
  /** `invalid`: the list is refused, so nothing was decided on the address. */
  readonly decision: 'allow' | 'deny' | 'invalid';
  readonly why: string;
}

/** Answers a question as the layer itself would decide. */
export function answerAllowQuestion(question: AllowQuestion): AllowAnswer {
  const { id } = question;
  try {
    const decision = decisionOn(question, parseAllowlist(question.allowlist));
    return decision.allowed
      ? { id, decision: 'allow', why: `leads to ${decision.host}, which is on the allowlist` }
      : { id, decision: 'deny', why: decision.why };
  } catch (error) {
    if (BrowserError.is(error) && error.code === 'invalid_allowlist') {
      return { id, decision: 'invalid', why: error.message };
    }
    throw error;
  }
}

function decisionOn({ url, base, from }: AllowQuestion, allowlist: Allowlist): Decision {
  switch (from ?? (base === undefined ? 'landing' : 'href')) {
    case 'caller':
      return decideCallerAddress(url, allowlist);
    case 'landing':
      return decideLanding(url, allowlist);
    case 'href':
      return decideHref(url, base ?? '', allowlist);
  }
}
