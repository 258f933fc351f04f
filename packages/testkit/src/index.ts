export {
  type Account,
  type DefinitionOptions,
  type FixtureSite,
  type FixtureSiteOptions,
  type SiteState,
  startFixtureSite,
} from './fixture-site/index.ts';
export { type LiveCamofox, type LiveCamofoxOptions, startLiveCamofox } from './live-camofox/index.ts';
export {
  type Fault,
  type FaultKind,
  type FaultMatch,
  type MockCamofox,
  type MockCamofoxOptions,
  type MockElement,
  type MockPage,
  startMockCamofox,
} from './mock-camofox/index.ts';
