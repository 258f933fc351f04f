import type {
  Artifact,
  BrowserErrorCode,
  BrowserProvider,
  CallContext,
  Operation,
  OperationId,
  SessionId,
  TabAddress,
} from '@wheelhouse/contracts';

/** What became of a file that an operation started. */
export interface CapturedFile {
  readonly filename: string;
  readonly sizeBytes: number | null;
  readonly state: 'captured' | 'invalid' | 'lost' | 'seen';
  readonly artifact: Artifact | null;
  readonly errorCode: BrowserErrorCode | null;
  /** One sentence, redacted. */
  readonly reason: string | null;
}

/** What a capture found. */
export interface Captured {
  readonly files: readonly CapturedFile[];
  /** `open`: nothing has arrived yet, and the window's time is not over; ask again. */
  readonly state: 'done' | 'none' | 'lost' | 'open';
  /** The browser service keeps only its newest files: some may have been dropped before anyone saw them. */
  readonly mayHaveLost: boolean;
}

/** What is to be captured. */
export interface CaptureWish {
  readonly sessionId: SessionId;
  /** The operation that may have started downloads. */
  readonly of: OperationId;
  /** How long the first file is waited for, milliseconds. */
  readonly waitMs: number;
  /** Ends as soon as so many files have come. */
  readonly expect?: number | undefined;
  /** Whether the sinks get them. */
  readonly deliver: boolean;
  /** Largest file, bytes. */
  readonly maxBytes: number;
  readonly provider: BrowserProvider;
  readonly tab: TabAddress;
}

/** Takes the files of an operation down, for one `capture` operation. */
export type CaptureFiles = (
  provider: BrowserProvider,
  tab: TabAddress,
  operation: Extract<Operation, { type: 'capture' }>,
  context: CallContext,
) => Promise<Captured>;

/** The same, of a session. */
export type CaptureFilesOf = (sessionId: SessionId) => CaptureFiles;
