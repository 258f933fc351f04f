export { type CamofoxOptions, createCamofoxProvider } from './camofox/provider.ts';
export { createNoneProvider } from './none/provider.ts';
export { type ConnectionPolicy, type LookupAll } from './policy/connections.ts';
export { createGuardedDispatcher, createServiceDispatcher, type Dispatcher } from './policy/egress.ts';
export {
  createRedactor,
  createRedactStream,
  type Projection,
  projectUrl,
  redact,
  type Redacted,
  type RedactionRule,
  type Redactor,
  type RedactorOptions,
  redactionRules,
  type Surface,
} from './policy/redact/index.ts';
export { type AdapterNeeds, type ConfiguredProvider, createProvider } from './registry.ts';
export { type TimeLimit, timeLimit } from './time-limit.ts';
