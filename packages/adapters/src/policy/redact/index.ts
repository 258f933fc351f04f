export { type Redacted, redactedMark, redactShapes } from './redact.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { redactionRules, type RedactionRule } from './rules.ts';
export { type Projection, projectUrl } from './url-projection.ts';
