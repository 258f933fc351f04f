export { type Disturbance, type Rig, type Step, type Subject, testConformance } from './conformance/index.ts';
export { type FaultProxy, type PassingCall, type ProxyFault, startFaultProxy } from './fault-proxy/index.ts';
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
  type LiveElement,
  type LivePage,
  type MockCamofox,
  type MockCamofoxOptions,
  type MockElement,
  type MockFile,
  type MockPage,
  type MockPageSource,
  type PressHandler,
  type RecordedCall,
  type SetFault,
  startMockCamofox,
} from './mock-camofox/index.ts';
