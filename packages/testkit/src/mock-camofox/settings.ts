/** Settings of a mock server. Limits and spans have the upstream's names, units and defaults (05-camofox §5.7). */
export interface MockCamofoxOptions {
  /** Which release answers. Default `1.17`. */
  readonly version?: '1.14' | '1.17';
  /** Whose network errors and error pages are imitated. Default `firefox`. */
  readonly engine?: 'firefox' | 'chromium';
  /** Where pages come from: described by `page()`, or fetched from a real site over HTTP. Default `model`. */
  readonly pages?: 'model' | 'http';
  /** `http` pages only: runs `<script>` and `onclick` of the page over the mock's small document. Default false. */
  readonly runScripts?: boolean;
  /** `null` starts it without one. Default `null`. */
  readonly accessKey?: string | null;
  readonly apiKey?: string | null;
  readonly adminKey?: string | null;
  /** `NODE_ENV=production`: the texts of errors are hidden. */
  readonly production?: boolean;
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Whether the browser already runs at the start. Default true. */
  readonly browserStarted?: boolean;
  /**
   * Every span of the upstream times this: at 0.1 the click that waits 3 s waits 0.3 s. Texts keep the upstream's
   * numbers. Delays of pages are real and not scaled. Default 0.1.
   */
  readonly timeScale?: number;
  readonly handlerTimeoutMs?: number;
  readonly navigateTimeoutMs?: number;
  /** 0 = never. */
  readonly sessionTimeoutMs?: number;
  readonly tabInactivityMs?: number;
  /** 0 = never. */
  readonly browserIdleTimeoutMs?: number;
  readonly maxSessions?: number;
  readonly maxTabsPerSession?: number;
  readonly maxTabsGlobal?: number;
  readonly maxConcurrentPerUser?: number;
}

/** The options with nothing left open. */
export type Settings = Required<MockCamofoxOptions>;

export function settingsOf(options: MockCamofoxOptions): Settings {
  return {
    version: '1.17',
    engine: 'firefox',
    pages: 'model',
    runScripts: false,
    accessKey: null,
    apiKey: null,
    adminKey: null,
    production: false,
    port: 0,
    browserStarted: true,
    timeScale: 0.1,
    handlerTimeoutMs: 30_000,
    navigateTimeoutMs: 30_000,
    sessionTimeoutMs: 600_000,
    tabInactivityMs: 300_000,
    browserIdleTimeoutMs: 300_000,
    maxSessions: 50,
    maxTabsPerSession: 10,
    maxTabsGlobal: 50,
    maxConcurrentPerUser: 3,
    ...options,
  };
}
