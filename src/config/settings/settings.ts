/** The settings of one process: loaded once, frozen, passed on as this plain object. Times are milliseconds. */
export interface Settings {
  readonly service: {
    /** Base URL without trailing slash and without `/v2/…`; for sources that name none. */
    readonly url: string | undefined;
    readonly token: string | undefined;
    readonly tokenFile: string | undefined;
    /** Ends in `-`. */
    readonly headerPrefix: string;
    readonly listTimeoutMs: number;
    readonly batchTimeoutMs: number;
    readonly deleteTimeoutMs: number;
    readonly connectTimeoutMs: number;
    readonly maxAnswerBytes: number;
  };
  readonly redis: { readonly url: string; readonly keyPrefix: string };
  readonly drains: { readonly file: string };
  readonly http: {
    readonly host: string;
    /** 0: any free port. */
    readonly port: number;
  };
  readonly log: { readonly level: LogLevel };
  readonly lineage: {
    /** Absent, and no keyFile: the key is derived from the token. */
    readonly key: string | undefined;
    readonly keyFile: string | undefined;
    /** Keys that still verify, but sign nothing new. */
    readonly oldKeys: readonly string[];
  };
  readonly ledger: {
    readonly sendByMs: number;
    readonly networkDelayMs: number;
    readonly maxPageAgeMs: number;
    readonly settleGateAgeMs: number;
    readonly settleGateFailedDeletes: number;
  };
  readonly publish: {
    /** 1 to 100. */
    readonly maxItems: number;
    readonly maxBytes: number;
  };
  readonly windows: { readonly concurrency: number };
  readonly sweep: { readonly everyMs: number };
  readonly shutdown: { readonly softMs: number; readonly hardMs: number };
  readonly passes: { readonly overlapMs: number; readonly abandonAfterMs: number };
  readonly statistics: { readonly url: string; readonly timeoutMs: number };
}

export const logLevels = ["debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];
