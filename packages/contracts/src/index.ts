export {
  BrowserError,
  BrowserErrorCode,
  BrowserErrorJson,
  BrowserErrorKind,
  errorCodes,
  underlying,
  type BrowserErrorFacts,
  type ErrorCodeFacts,
} from './errors.ts';
