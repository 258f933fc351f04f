export { type CamofoxOptions, createCamofoxProvider } from './camofox/provider.ts';
export { createNoneProvider } from './none/provider.ts';
export { createServiceDispatcher } from './policy/egress.ts';
export {
  createRedactor,
  type Projection,
  projectUrl,
  type Redacted,
  type Redactor,
  redactionRules,
} from './policy/redact/index.ts';
export { type AdapterNeeds, type ConfiguredProvider, createProvider } from './registry.ts';
