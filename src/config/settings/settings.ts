import type { ItemPolicy } from "../../message/item-check.ts";

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
  readonly redis: RedisSettings;
  readonly drains: { readonly file: string };
  readonly http: {
    readonly host: string;
    /** 0: any free port. */
    readonly port: number;
  };
  /** Where callbacks are listened for, where a source has callbacks. */
  readonly callback: {
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
  readonly publish: ItemPolicy & {
    /** 1 to 100. */
    readonly maxItems: number;
    readonly maxBytes: number;
  };
  readonly windows: { readonly concurrency: number };
  readonly memory: { readonly budget: number | "auto" };
  readonly sweep: { readonly everyMs: number };
  readonly shutdown: { readonly softMs: number; readonly hardMs: number };
  readonly passes: { readonly overlapMs: number; readonly abandonAfterMs: number };
  readonly statistics: { readonly url: string; readonly timeoutMs: number };
}

/** Where Redis is: one server, the master that Sentinels name, or a cluster. */
export interface RedisSettings {
  readonly url: string;
  readonly keyPrefix: string;
  readonly caFile: string | undefined;
  /** What caFile held: PEM. */
  readonly ca: string | undefined;
  /** Where a certificate is asked for: its file and the key's, and what they held. Both or neither. */
  readonly certFile: string | undefined;
  readonly cert: string | undefined;
  readonly keyFile: string | undefined;
  readonly key: string | undefined;
  readonly sentinel: RedisSentinel | undefined;
  /** More nodes to start from, `host:port`; absent: not a cluster. */
  readonly cluster: readonly string[] | undefined;
}

export interface RedisSentinel {
  /** `host:port` of each, at least one. */
  readonly nodes: readonly string[];
  /** Of the master. */
  readonly name: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

export const logLevels = ["debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];
