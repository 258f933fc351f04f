export type { Fault, FaultKind, FaultMatch, SetFault } from './faults.ts';
export { type MockCamofox, startMockCamofox } from './mock-camofox.ts';
export type {
  LiveElement,
  LivePage,
  MockElement,
  MockFile,
  MockPage,
  MockPageRequest,
  MockPageSource,
  NetworkFailure,
  PressEffect,
  PressHandler,
} from './page-model.ts';
export type { RecordedCall } from './server.ts';
export type { MockCamofoxOptions } from './settings.ts';
