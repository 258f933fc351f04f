export { KnownSecrets } from './known.ts';
export { marker as redactionMarker } from './marker.ts';
export { projectUrl } from './project-url.ts';
export { type Projection, redact, redactByRules, type RedactOptions, type Redacted } from './redact.ts';
export type { SafeError } from './redact-error.ts';
export { createRedactor, type Redactor, type RedactorOptions } from './redactor.ts';
export { type RedactionRule, redactionRules, type Surface } from './rules.ts';
export { createRedactStream, redactChunks, type RedactStream, type RedactStreamOptions } from './stream.ts';
