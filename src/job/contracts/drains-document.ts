import type { FlowControl } from "../message/item-changes.ts";
import type { Select } from "../message/select.ts";
import type { Router } from "../rules/decision.ts";
import type { DateEdge } from "../rules/patterns/parse-dates.ts";
import type { RuleTest } from "../rules/rule-test.ts";
import type { NumberRange, Rate, RuleSpec } from "../rules/rule-spec.ts";
import type { AutoRate } from "./auto-rate.ts";
import type { DrainName, SourceId } from "./ids.ts";
import type { IndexTarget, ScalarField } from "./index-statistics.ts";
import type { NoticeEvent } from "./notices.ts";

// What each key means stands in its schema (config/document/schema). Here is what compiling it adds.

/** The place of a secret; never the secret itself. */
export type SecretRef =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "env"; readonly name: string }
  /** The setting service.token / service.tokenFile. */
  | { readonly kind: "settings" };

export interface SourceConfig {
  readonly id: SourceId;
  readonly name: string;
  /** True if the document has `id:`. The operator then chose this source's ledger on purpose. */
  readonly isIdWritten?: true;
  /** Base URL without trailing slash and without `/v2/publish`. Absent: the setting service.url. */
  readonly url?: string;
  readonly token: SecretRef;
  readonly retentionMs: number;
  readonly dedupWindowMs: number;
  readonly censusEveryMs: number;
  readonly listByIds?: true;
  readonly keepsCredentials?: true;
  readonly callbacks?: CallbacksConfig;
  readonly watchDeliveries?: true;
  readonly serviceRetry?: true;
  readonly brake?: number;
  readonly maxParallelism?: number;
}

export interface CallbacksConfig {
  /** Reachable for the service; no trailing slash, no query. The source's id is added as the last part. */
  readonly url: string;
  readonly keys: readonly SecretRef[];
}

export type Schedule =
  | { readonly kind: "every"; readonly everyMs: number }
  | { readonly kind: "cron"; readonly pattern: string; readonly timezone?: string };

export interface LimitsConfig {
  readonly publish?: Rate;
  readonly perHost?: Rate | AutoRate;
  readonly perPass?: number;
  readonly perDay?: number;
}

export interface LaneConfig {
  readonly canary: number;
  readonly watchMs: number;
  readonly haltAt: number;
  readonly probeEveryMs: number;
  /** A step of this size opens the lane, because limits bind before it does. From the drain's limits. */
  readonly openFrom: number;
  readonly byReport?: true;
  readonly byAsking?: true;
}

export interface GuardConfig {
  readonly index: string;
  readonly field: ScalarField;
  readonly hold: NumberRange;
  readonly resume: NumberRange;
  readonly whenStale: "hold" | "ignore";
}

export interface ArchiveConfig {
  readonly dir: string;
  readonly keepMs: number;
  readonly volume?: "durable" | "ephemeral";
}

export interface DrainConfig {
  readonly name: DrainName;
  readonly source: SourceConfig;
  readonly mode: "plan" | "live";
  /** From the document: the whole document's or this drain's `paused`. */
  readonly paused: boolean;
  readonly schedule: Schedule;
  readonly fullEveryMs: number;
  readonly minAgeMs: number;
  readonly attempts: {
    readonly max: number;
    readonly waitMs: readonly number[];
    readonly then: "park" | "hold";
  };
  readonly select: Select;
  readonly dates?: { readonly from?: DateEdge; readonly to?: DateEdge };
  readonly unknownOutcome: "republish" | "park";
  readonly afterLedgerLoss: "republish" | "park";
  readonly limits: LimitsConfig;
  readonly lane?: LaneConfig;
  readonly flowControl?: FlowControl;
  readonly guards: readonly GuardConfig[];
  readonly onLoss: "park" | "republish";
  readonly beforeExpiry: { readonly withinMs: number; readonly then: "archive" | "nothing" };
  readonly rules: readonly RuleSpec[];
  readonly tests: readonly RuleTest[];
  readonly otherwise: "hold" | "park";
  readonly route: Router;
  /** Changes exactly when this drain's decisions can. Parks by rule are decided again under another hash. */
  readonly rulesHash: string;
}

export interface IndexConfig extends IndexTarget {
  readonly user: SecretRef;
  readonly password: SecretRef;
  readonly schedule: Schedule;
}

export interface NotifyTarget {
  readonly name: string;
  /** Whole address, or where it is read from: the path of many webhooks is a secret. */
  readonly url: SecretRef | { readonly kind: "written"; readonly url: string };
  readonly form: "events" | "slack";
  readonly secret?: SecretRef;
  readonly events: readonly NoticeEvent[];
  readonly sources?: readonly SourceId[];
  readonly drains?: readonly DrainName[];
  readonly allowPrivate: boolean;
  readonly everyMs: number;
  readonly digest?: Extract<Schedule, { kind: "cron" }>;
}

export interface DrainsDocument {
  /** Hash of the whole document's meaning; in config_info, passes and status. */
  readonly hash: string;
  readonly paused: boolean;
  /** Absent: there is no archive, so nothing is dropped, and nothing is copied before its expiry. */
  readonly archive?: ArchiveConfig;
  readonly sources: readonly SourceConfig[];
  readonly drains: readonly DrainConfig[];
  readonly indexes: readonly IndexConfig[];
  readonly notify: readonly NotifyTarget[];
}
