import type { KeyKind } from './classify-key.ts';
import { ruleIndex } from './rules.ts';

/** Under which rule a value is counted, by what its name is. */
export const ruleOfKind: Readonly<Record<KeyKind, number>> = {
  password: ruleIndex('password-value'),
  secret: ruleIndex('secret-value'),
  pass: ruleIndex('secret-value'),
  code: ruleIndex('code-value'),
  recovery: ruleIndex('code-value'),
  session: ruleIndex('session-value'),
  weak: ruleIndex('weak-value'),
  hash: ruleIndex('session-value'),
  cookie: ruleIndex('cookie'),
  authorization: ruleIndex('authorization'),
};
